// Package worker is the worker engine: it dials the hub, takes commands on, carries
// them out with the host's container engine, and tells what runs.
//
// # One command, from frame to acknowledgement
//
//	session.handle    the link's reader hands a Command to commands.take
//	commands.take     journals RECEIVED (fsync); then answers lets Accepted go out, and the task is queued
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
// # One run of a job
//
//	commands.take     journals what is needed without the Command: the run, its timeout, the names of its secrets
//	steps.container   looks for the container by its name; judge, provide, PrepareRun when there is none
//	steps.launch      journals LAUNCHED, then starts it: from here on it is never begun anew
//	steps.attend      waits for its end, ends it when its time is over or it is cancelled
//	logTail           beside that, what the container writes, redacted by the engine; the engine keeps what no link takes
//	commands.clear    removes the container once the result is acknowledged, then PRUNED
//
// A run that was LAUNCHED goes on with the next worker without its Command and without the hub (commands.resume). Only
// where its log goes on does the hub say: it stores how far it has it. What a crash leaves behind, commands.sweep
// finds.
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
// Commands that run, that wait and that are journaled, runs of jobs apart from those of stacks; live requests; log text that no
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
// in by a main; the engine's part in runs is berth/hub/worker/runs. Start with Worker.Run, then session.go, commands.go and
// run_container.go.
package worker
