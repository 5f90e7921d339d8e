// Package outbound is how adapters of secret backends and Git hosts speak HTTP to a server that a person named:
// with a limit on time and on the size of an answer, without following redirects, and with a fault
// for each way in which a server can fail as a whole, under the caller's own codes.
//
// Nothing of an answer gets into a fault, and of a request only the server's address: either may hold
// a secret. The package must not know what is asked for. Start with Service in service.go; faults.go
// has what goes wrong, each.go asks for many things at once, problems.go makes one fault of many, and lookup.go has what
// the providers of secrets share.
package outbound
