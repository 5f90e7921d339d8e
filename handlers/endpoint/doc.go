// Package endpoint is what every handler stands on: the handler that returns an error,
// strict decoding, JSON answers, lists, and the one place where a fault becomes an HTTP
// answer.
//
// It knows HTTP and core/fault, and nothing of what any route does or who may do it;
// handlers/guard decides that and leaves the principal in the context. Start with Handle,
// then Decode and JSON; Fail is where errors end.
package endpoint
