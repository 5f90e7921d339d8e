// Package githost stands in for a Git host: it serves bare repositories below one
// folder over HTTP, through Git's own http-backend, and commits files to them. The
// demonstration, the tests and the measurements use it.
//
// It needs the git command and knows nothing of Berth. Nothing is cached, so that
// repositories may also be changed by hand. Start reading at Host.
package githost
