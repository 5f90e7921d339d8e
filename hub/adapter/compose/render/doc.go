// Package render reads the Compose files of a stack from a commit and writes the
// rendered project that a worker applies. It implements core.ComposeReader.
//
// # What happens to a file, in order
//
//  1. Files are found and read as blobs of the commit (files.go), with what they include
//     and extend (includes.go): a variable cannot choose a file, and none is remote.
//  2. Each is parsed into YAML nodes under limits, before any library that expands
//     aliases sees it (document.go, weigh.go).
//  3. What this release does not do, and whatever would make the Compose library open
//     a file, run a program or make a connection, is refused by its key (refuse.go).
//  4. The Compose library loads and merges the files. It sees the stack's variables and
//     nothing else; a secret variable is seen as a placeholder (variables.go, load.go).
//     What is included or extended goes in as a model whose paths begin at the stack's
//     folder (models.go), because the library would open files for it.
//  5. Services get their env_file variables, from the commit (environment.go).
//  6. Mounts, configs and secrets with relative paths become content of the commit or
//     folders of the stack's state (mounts.go, content.go).
//  7. The project is written as YAML that is the same for the same inputs, with every
//     dollar sign doubled and the placeholders turned into ${NAME} (canonical.go). What
//     it asks of a host is judged and noted (judge.go).
//
// # Secrets
//
// A placeholder is an opaque word that cannot occur by itself. Because it is a word, a
// secret can never change the project's structure: where it would (a port, a path, an
// image, a key), rendering fails and names the place (places.go). A value with spaces
// in a command stays one argument.
//
// # State and content
//
// A relative bind mount names something below the stack's folder. Mounted read-only
// and found in the commit, it is content: its path holds its digest, so a change
// recreates exactly the services that mount it. Anything else is state: a folder of
// the stack that outlives deployments.
//
// The package must not know Git, the engine or the store, opens no file, reads no
// process environment and makes no connection. Start reading at Reader.Read.
package render
