// Package backups owns the folder of backups: it makes them from a running server, opens each again before it
// counts, takes those that are brought, deletes what is over, and sets out for the next start what is to be restored.
//
// A file has the name of a backup only when it was read whole and found to agree with itself; what a crash leaves has
// another name and is removed at the next start. The package must not know how archives or databases work. Start
// with Shelf.
package backups
