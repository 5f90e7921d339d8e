// Package workerport owns the surface on TLS_WORKER_PORT: it serves the registration of
// workers and their links, and nothing else.
//
// What comes in passes five gates, each cheaper than the next: a connection must find
// room, and once more when it begins to speak, before TLS; a request must come within the
// rate, its address must not have shown bad credentials too often, and then its token and
// the key that TLS has proven must belong together. Only then is the connection upgraded
// and handed to the hub.
//
// It must not know what is said on a link, nor how workers are kept: a Desk judges them, a
// Hub talks to them. Start with Port in port.go, then admission.go; identity.go is the
// key that the port itself shows.
package workerport
