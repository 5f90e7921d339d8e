// Package content owns the repository content and the state folders on a worker's disk:
// what containers mount.
//
//	blobs/<aa>/<digest>       one file's bytes, verified, read-only
//	content/<digest>/<path>   a core.Content, complete or absent; never changed
//	state/<stack id>/         a stack's own folder, which survives deployments
//
// A file in content is a hard link to its blob where that is possible, so a blob costs
// nothing while a content needs it, and its link count tells when none does. Everything
// is written beside its place and renamed into it, and is looked at again, byte by byte, before it is
// used for another deployment (Mend); paths never leave the store's folder
// (os.Root), whoever sent them.
//
// The package must not know the link, commands or the engine: blobs are handed in piece
// by piece, and the caller says which content is still in use. Start with Store.
package content
