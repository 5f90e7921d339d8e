package stacks

import (
	"time"

	"berth/core"
)

// Command is the durable row of what the hub asks a worker to do. It holds references
// only; the frame with values is built when it is sent.
type Command struct {
	ID         core.CommandID
	Attempt    int
	Worker     core.WorkerID
	Kind       CommandKind
	Stack      core.StackID
	Deployment core.DeploymentID // empty for a teardown and a run
	Run        core.RunID        // of a run; Stack and Deployment are empty then
	State      CommandState
	Epoch      uint64 // of the link that it was last sent on
	Body       CommandBody
	DeadlineAt time.Time // of one that is queued: it is not sent before; zero until it was first sent
	CreatedAt  time.Time
}

// CommandKind is what a command asks for.
type CommandKind string

// The kinds of commands.
const (
	CommandDeploy   CommandKind = "deploy"
	CommandTeardown CommandKind = "teardown"
	CommandRun      CommandKind = "run"
)

// CommandState is how far a command got.
type CommandState string

// The states of a command; the last three are final.
const (
	CommandQueued    CommandState = "queued"
	CommandSent      CommandState = "sent"
	CommandAccepted  CommandState = "accepted"
	CommandSucceeded CommandState = "succeeded"
	CommandFailed    CommandState = "failed"
	CommandCancelled CommandState = "cancelled"
)

// CommandBody is what a command needs beyond its row.
type CommandBody struct {
	Project  string        `json:"project"`
	Revision int           `json:"revision,omitempty"`
	Options  DeployOptions `json:"options,omitzero"`
	Seconds  int           `json:"seconds"`           // how long it may take once it was sent
	Volumes  bool          `json:"volumes,omitempty"` // teardown removes volumes too
	Restore  bool          `json:"restore,omitempty"` // deploy: the last good revision is put back
	Keep     bool          `json:"keep,omitempty"`    // teardown: the stack's row stays, it runs elsewhere
}

// Outcome is how a deployment ended, to be stored in one transaction.
type Outcome struct {
	Deployment core.DeploymentID
	Command    core.CommandID // whose word it is; empty: it is the hub's own
	State      DeploymentState
	Commit     core.Commit // empty: as stored
	Phases     []Phase
	ErrorCode  string
	Error      string
	// Service and Lines name the compose service that failed and what it said last.
	Service    string
	Lines      string
	Containers []ContainerState // as observed at the end; nil: not observed
	At         time.Time
	Actor      string // person whose act ended it; empty: nobody's
	OnlyUnsent bool   // end it only if its command was not sent yet
	NoRestore  bool   // nothing can be put back: its worker is gone
}
