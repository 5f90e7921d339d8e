// Package guard owns what happens before a handler runs: who is asking, whether they
// may, and how much of anything is let in.
//
// It has two layers. Outer wraps the whole server: request id, recovery, access log,
// security headers, cross-origin rules. Admit wraps one route and follows the route's
// Rule: requests in flight, body size, credential, rate, capability. It must not know
// what any route does or how a credential is kept; a Doorkeeper turns one into a
// principal. Start with New, then Outer and Admit.
package guard
