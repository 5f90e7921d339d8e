// Package link owns one framed, bounded, heart-beating connection between hub and
// worker. It is the same at both ends.
//
// A Link has one reader, which is the goroutine that calls Run, and one writer while there is
// something to write: of ten thousand links most are at rest. Between callers and the writer stand
// two bounded queues: control messages go first, bulk waits. Every write has a deadline, silence has a limit, and a peer that breaks the
// protocol is cut off. When Run returns, everything that it started has ended.
//
// It must not know TLS, WebSockets, tokens, commands or the store: it moves the messages
// of berth/core/wire over any Conn. Start with Link, then conn.go; Pair is a Conn in memory with the
// faults of a network, for tests of either end. Pulse sends a worker's heartbeats.
package link
