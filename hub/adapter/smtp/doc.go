// Package smtp hands messages to the SMTP server that the process was configured with, with the client of the standard
// library. A server may be slow, hostile or not one at all: what is read of it is bounded in time and size, and what it
// says is shortened and freed of control characters before anybody is shown it.
//
// The package decides which failures are final. It must not know what a message says. Start with Sender.
package smtp
