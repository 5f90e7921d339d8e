// Package api owns the REST interface: one file for each operation.
//
// A file reads from top to bottom: the port that this operation needs, the request with
// its units, what can be refused without a database, the response, and the constructor
// that takes the ports and returns the handler. Inside, each decodes, checks, calls one
// use case and answers.
//
// It must not know how anything is kept or who may call what: the route table in
// berth/handlers says the latter, and handlers/guard enforces it. Types that several
// operations answer with stand in a file named after their noun. Start with login.go.
package api
