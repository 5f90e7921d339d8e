// Package rig sets up the whole program for the end-to-end tests: the server in this
// process on free ports, workers that dial its real TLS port, a Git host over HTTP, and
// the container engine of this machine.
//
// It asks for everything through the REST API, with an API key, as a program outside
// would. Whatever it makes has a name that no other run uses, and is removed when the test
// ends that asked for it. It must not know what a test proves: no assertion about the
// product is here beyond "this call was expected to work". Start with Start, then
// Server.Repository and Repository.Stack.
package rig
