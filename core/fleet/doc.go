// Package fleet owns the workers: the tokens that let one register, enrolment, which
// worker is whose, what makes one fit for a stack, and how one is cut off.
//
// A worker proves itself with two things at once: its token and a key pair of its own,
// which the first registration binds to each other. A leaked token alone is therefore
// useless later.
//
// The package decides; it must not know links, TLS or SQL. What it needs of the store
// is in ports.go. Start with Desk in desk.go, then Enrol in enrol.go and Place in
// place.go.
package fleet
