// Package worker is the worker engine: it dials the hub, takes commands on, carries
// them out with the host's container engine, and tells what runs.
//
// # One command, from frame to acknowledgement
//
//	session.handle    the link's reader hands a Command to commands.take
//	commands.take     journals RECEIVED (fsync), queues a task, lets Accepted go out
//	commands.run      waits for its turn, journals STARTED, runs the steps
//	steps.deploy      pull (content and images), apply, verify; or steps.teardown
//	outbox            phases and log lines, numbered, while that goes on
//	commands.save     journals RESULT (fsync); then answers lets Result go out
//	commands.acked    the hub has stored it: PRUNED
//
// A link may end at any point of this; the work does not notice. On the next link Hello
// lists the journal, and the hub says what becomes of each entry (settle.go). A worker may
// end at any point too: a command that was RECEIVED is not run again by itself. Its
// secrets are gone with the process, so the hub delivers it again, under the same id and
// attempt, and steps.deploy finds out what is in place already.
//
// # What runs, and what a hand did to it
//
//	worker.follow     the engine's events ring, at most one look a second comes of them
//	view.look         the engine lists what runs; every few seconds without any event
//	claims.of         each container against the portrait of its stack (portrait.go)
//	view.report       what the hub was not told yet
//
// A portrait is taken when a deployment was verified (tidy.go) and is void from the moment at
// which the next one touches a container. A deployment recreates what a hand has changed (renew.go).
//
// # What is bounded
//
// Commands that run, that wait and that are journaled; live requests; log text that no
// link takes (outbox); blobs on their way; reports; time, everywhere.
//
// # What it keeps on disk
//
//	worker.key   the worker's own key (Identity)
//	lock         keeps a second worker out
//	journal      commands (hub/worker/journal)
//	stacks/      what was applied, and the portraits (hub/worker/applied)
//	blobs/ content/ state/   what containers mount (hub/worker/content)
//
// Nothing of it holds a secret value; WORKER_STACK_DIR holds rendered Compose files with
// references, for people to look at.
//
// The package must not know Docker, WebSockets or the store: Engine and Dial are handed
// in by a main. Start with Worker.Run, then session.go and commands.go.
package worker
