// Package allinone composes the whole program in one process: store, keys, hub, worker
// port, handlers and, when asked for, a worker that still dials the real TLS port.
//
// It is the one place where adapters are chosen for the server. The handlers and the hub
// talk through ports that a hub on another host can fill as well. The binaries local and
// hub run it, and so do the end-to-end tests. It must not decide anything about stacks,
// people or workers. Start with Run, then parts.go.
package allinone
