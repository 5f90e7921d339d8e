// Package post carries the letters of core/outbox: it claims what is due, opens it, hands it to the carrier of its kind,
// and settles what came of that. One hub does at a time, the one that leads; a claim keeps another from
// carrying the same letter when the lead changes in the middle.
//
// The package must not know what letters say. Start with Post.
package post
