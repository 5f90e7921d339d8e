// Package git implements core.GitRemote: it asks Git hosts over HTTP(S) and SSH what a branch
// points at, fetches into bare mirrors and reads trees and files from those.
//
// It owns the mirrors' folder (one <repository id>.git each), every process of the git
// command and every rule about what a Git host may make us do: which redirects are
// followed, where a credential goes, how long and how large anything gets. It must not
// know stacks, stores or what the files mean.
//
//   - Asking happens in this process (ask.go, refs.go): a git process for each poll costs
//     ten times as much. Redirects are judged here, once; git then gets the final address
//     and may follow none.
//
//   - Fetching is `git fetch` (mirror.go), shallow where the host can. A mirror that is
//     damaged is made anew beside the old one and takes its place. It is not partial: of a
//     repository with 5,000 files and 2,000 commits, fifty commits are 1.1 MB of 31.9, without
//     their files 0.1, in the same time (`go run ./local/bench git`); and whoever reads a file that was
//     left out would need the host and its credential at that moment.
//
//   - Reading is one `git cat-file` per open Tree (batch.go), which hands out raw objects;
//     folders are walked here (tree.go). So a missing object is told apart from a missing
//     path: 200 folders' hashes take 1.5 ms, against 11.6 ms by go-git's object storage.
//
//   - Over SSH this process holds the connection (hub/adapter/ssh), asks over it (ask_ssh.go) and
//     leads git's plain protocol into it (bridge.go): no ssh program, and no key outside.
//
// Nothing of a repository is checked out or executed. A credential exists in the request
// header here and in the environment of the one git process that needs it; a key for SSH in this process alone.
//
// Start reading at Remote.
package git
