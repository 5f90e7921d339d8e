// Package archive writes and reads the archives of backups.
//
// An archive is an age file (filippo.io/age: authenticated chunks of 64 KiB) around a gzip stream around a tar:
// first head.json, then the members, then manifest.json. The key of the file is sealed with the installation's
// active data key, and the key ring travels along, wrapped under SECRET_KEY: whoever has that key and an archive has all that
// is needed. Nothing that is read is passed on before its chunk was authenticated, and nothing may be acted on before
// Read has returned. Start with Archive.
package archive
