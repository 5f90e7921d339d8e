// Package applied owns what a worker remembers of each stack on its host: which revision
// was applied last, which content the containers of each revision may mount, and what the containers
// were like when that was verified.
//
// There is one small JSON file per stack, replaced whole. It is written before the
// engine is asked to change anything, with the revision that is being tried, so that a
// crash in the middle never lets content be deleted that a container already mounts.
// It holds no values and no Compose text; a portrait holds digests that say nothing without
// the worker's key.
//
// The package must not know the engine, the link or the journal. Start with Record.
package applied
