// Package outbox owns what waits to be told to the outside: letters, which are stored with the change that they
// tell of and carried out afterwards, again and again until they have arrived, were refused for good, or are too old.
//
// A letter is carried at least once: a crash between its arrival and the note of it repeats it, and whoever
// receives it knows it by its identifier. It is never carried by two hubs at a time: who carries it has
// claimed it, and settles it under that claim alone. Its content is sealed and goes when it has ended.
//
// The package must not know how anything is carried. Start with Letter, then Wait.
package outbox
