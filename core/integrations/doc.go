// Package integrations owns the outside services that a person enables and configures under
// Settings, Integrations: what settings each has, which of them are secret, and the clients that
// are made of them.
//
// Secret settings leave the package in one way only, to the Maker of a client. A change counts for
// whoever resolves next, in every process: clients are kept for one version of the settings. The
// package must not know how any service is spoken to. Start with Declaration in declaration.go, then
// Desk in desk.go and Backends in backends.go.
package integrations
