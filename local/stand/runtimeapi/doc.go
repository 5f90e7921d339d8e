// Package runtimeapi stands in for AWS Lambda: it runs the program of a function, hands it events
// over the runtime API and takes its answers, one at a time, as that host does with an instance.
//
// The API is three addresses, as AWS documents them for runtimes of one's own: the next invocation,
// the answer to it, the failure of it. Beside them the host bounds what passes, 6 MB either way, and
// the time that an invocation may take, after which it kills the instance; an instance that is
// gone is started anew with the next event, which is a cold start.
//
// Start with Host in host.go.
package runtimeapi
