// Package hubport is where a hub hears handlers that run elsewhere, and other hubs: the calls of
// core/hubcall, on an internal port of their own, over TLS, each with a proof of who calls.
//
// It must not decide anything: it turns calls into calls of the hub, of the mirrors and of the
// metrics, and their faults into answers. Nothing here is for people, browsers or workers. Start
// with Port, then calls.go.
package hubport
