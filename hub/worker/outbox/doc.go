// Package outbox owns what running commands have to tell: phases that changed and lines
// of their logs, numbered, in chunks, until a link takes them.
//
// It is memory and bounded. Each command has a feed; when a feed is full its oldest log
// lines are dropped, and the text that follows says how many. The numbers of the chunks
// keep rising over such a gap. What was sent last is kept until nobody can want it
// again: a hub may die before it has stored it. Lines of a container are never dropped: their engine keeps them, so that
// whoever tells them waits while there is no room, and tells again what a hub turns out not to have; see container.go.
// All of that survives the loss of a link, not of the worker;
// the journal, not the outbox, holds what must arrive.
//
// The package must not know commands, the engine or the disk. Lines come in redacted.
// Start with Box.
package outbox
