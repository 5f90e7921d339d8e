// Package metrics owns what scrapers read: the server's own families, the cache of what
// each worker last reported, and the one text that both make together.
//
// A worker pushes its snapshot over its link, and after that what changed in it. It is validated when it arrives, or
// compared where its series are those that are kept; it gets the labels worker and hostname, and is kept as ready text,
// many workers' parts of one family in one piece of memory; a scrape sends those pieces, compressed ones too, so its cost
// does not depend on what workers sent, and a bad snapshot spoils nothing but itself. Nothing here writes to the store.
//
// It must not know the store, HTTP, or the library that reads the text format (a
// Validator does). Start with Board in board.go, then Own in own.go for the server's families, Cache in
// cache.go for the workers', sheet.go for how both are joined, and exposition.go for how both become one answer.
package metrics
