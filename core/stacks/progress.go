package stacks

import (
	"time"

	"berth/core"
)

// Progress is what is known of a running deployment so far.
type Progress struct {
	Deployment core.DeploymentID
	Commit     core.Commit
	Tree       string // what Sight.Tree is at Commit
	Revision   int
	Worker     core.WorkerID
	Phases     []Phase
	Heard      Heard
}

// Heard is how far the events of a deployment's command have come: they are stored with what they said.
type Heard struct {
	Command core.CommandID // the last one that anything was heard of; empty: nothing was heard of any
	Attempt int
	Event   uint64 // number of the last event
}

// LogLine is a numbered piece of a deployment's log: one or more whole lines.
type LogLine struct {
	Deployment core.DeploymentID
	Number     uint64 // rises by one within a deployment, from 1
	At         time.Time
	Text       string // at most 64 KiB, redacted
}

// Seen is what polling found for one stack that it does not deploy.
type Seen struct {
	Stack   core.StackID
	Sight   Sight
	Verdict Verdict
}

// Observation is what a worker saw of one stack.
type Observation struct {
	Stack      core.StackID
	Containers []ContainerState
	Told       bool // it was stored before, and says only that the worker has this stack
}
