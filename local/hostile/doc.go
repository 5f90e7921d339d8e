// Package hostile is the suite of hostile repositories: what may come out of Git that was made to harm the server or
// a host, each case under a short name, R1 to R34 for what lies in a repository and G1 to G12 for what a Git host does.
//
//	go test ./local/hostile                 all of it
//	go test ./local/hostile -run 'R6$' -v   one case, with what it took in time and memory
//
// The cases bring a real commit through a real Git host and the real adapters, and some through the real server with
// Docker, under strace, or without a network. A case that is proven where the code is, with its internals, runs those
// tests from here. It needs what make test installs.
//
// Start reading at stand_test.go, which has the ways to bring a commit in.
package hostile
