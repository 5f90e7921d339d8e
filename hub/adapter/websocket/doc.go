// Package websocket carries link frames over TLS and WebSocket with
// golang.org/x/net/websocket. That package's types stop here.
//
// It owns both ends of the worker port's transport: Handler upgrades a request that the
// hub has admitted, Dial proves the server, enrols by plain HTTP and upgrades the same
// connection, and the certificates that both ends show are made here. The protocol
// stands in berth/core/wire.
//
// It must not know workers, tokens' meaning, commands or the store. Start with Dial and
// Handler; conn.go explains what the library needs around it.
package websocket
