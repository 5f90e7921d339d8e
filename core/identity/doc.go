// Package identity owns who people and programs are: users and their passwords, browser
// sessions, service accounts and their API keys, and the first administrator.
//
// It decides and leaves the rows to a store behind small ports and the keyed codes to
// core/seal. It must not know HTTP or SQL, nor what a role may do, which is core/access's
// business. What is secret here (a password, a session's cookie, an API key) is kept as
// a code that tells nothing about it, and is shown once or never.
//
// The use cases: SetUp makes the first administrator, SignIn opens and closes sessions,
// Doorkeeper turns the credential of a request into a principal, Accounts gives programs
// their keys. Start with Doorkeeper, which every request passes.
package identity
