// Package applied owns what a worker remembers of each stack on its host: which revision
// was applied last, and which content the containers of each revision may mount.
//
// There is one small JSON file per stack, replaced whole. It is written before the
// engine is asked to change anything, with the revision that is being tried, so that a
// crash in the middle never lets content be deleted that a container already mounts.
// It holds no values and no Compose text.
//
// The package must not know the engine, the link or the journal. Start with Record.
package applied
