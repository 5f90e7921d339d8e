// Package pgserver runs a PostgreSQL server for tests: the distribution's, below a temporary folder, without
// rights of root, on a socket and a port of its own. It needs no set-up and leaves nothing behind: the server
// ends with the test process, however that ends.
//
// URL gives a test an empty database on a server that all tests of the process share. Start gives it a
// server of its own, to be stopped and started again. Pool puts PgBouncer before one. The program
// itself must not use it. Start with server.go.
package pgserver
