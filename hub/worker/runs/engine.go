// Package runs owns the port between a worker and its container engine for runs of jobs: what the
// engine is asked for, and how a run's container looks.
//
// It must not know commands, the journal, the wire or any engine. An engine that only remembers is in
// berth/local/stand/dryruns; what each must do is in berth/hub/worker/runs/contract. Start with Engine.
package runs

import (
	"context"
	"time"

	"berth/core/secrets"
)

// Engine is what the container engine does for runs of jobs: one container each, known by its name.
// Errors are faults: Unavailable "engine.unreachable", Invalid "engine.image" (image missing or refused),
// Invalid "run.network_missing", Invalid "run.start" (the engine refuses the container).
type Engine interface {
	// PrepareRun fetches the image, unless the host has it, and makes the container, which is not started.
	// Conflict "run.container_taken" when there is one of that name. report is called, from one goroutine,
	// with lines for the run's log.
	PrepareRun(ctx context.Context, r Spec, report func(line string)) error
	// FindRun looks at a container; found is false when there is none of that name.
	FindRun(ctx context.Context, name string) (c Container, found bool, err error)
	// StartRun starts a container that never ran. After an error only FindRun tells whether it was started.
	StartRun(ctx context.Context, name string) error
	// AwaitRun blocks until a container does not run, which it may not do now.
	AwaitRun(ctx context.Context, name string) error
	// FollowRun hands on what a container writes, line by line, until it has ended and all of it was handed on; to
	// is how far that is with this line. An error of line ends it and is returned.
	FollowRun(ctx context.Context, name string, ask LogAsk, line func(to Position, text string) error) error
	// StopRun ends a container by SIGTERM and, ten seconds later, by SIGKILL. One that does not run, or is
	// gone, is left as it is.
	StopRun(ctx context.Context, name string) error
	// RemoveRun removes a container that does not run. One that is gone is no failure.
	RemoveRun(ctx context.Context, name string) error
	// RunContainers lists the containers of runs that a worker made, by its LabelWorker.
	RunContainers(ctx context.Context, worker string) ([]Container, error)
}

// Spec is what a run's container is made of. No text of it is read by a shell, or as an option.
type Spec struct {
	Name      string // of the container
	Job       string // its name, for texts
	Image     string
	Command   []string // words for the image's entrypoint; empty: the image's own
	Variables map[string]string
	Secrets   map[string]secrets.Value // they reach the environment too, and no text
	Mounts    []Mount
	Network   string // name of a network that is there; "none"; empty: the engine's default
	CPU       float64
	Memory    int64 // bytes
	Labels    map[string]string
}

// Mount is a volume by its name, or a file or folder of the host by its absolute path.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// Container is a run's container as the engine shows it.
type Container struct {
	Name        string
	Labels      map[string]string // dev.berth.*
	State       State
	CreatedAt   time.Time
	StartedAt   time.Time // zero: it never ran
	FinishedAt  time.Time // zero while it runs
	ExitCode    int       // once it has ended
	OutOfMemory bool      // something in it was killed for its memory
}

// Ran returns how long it ran, or has been running.
func (c Container) Ran(now time.Time) time.Duration {
	switch {
	case c.StartedAt.IsZero():
		return 0
	case c.State == Exited:
		now = c.FinishedAt
	}
	return max(0, now.Sub(c.StartedAt))
}

// State is where a run's container stands.
type State string

// The states of a run's container.
const (
	Created State = "created" // it never ran
	Running State = "running" // or was paused by hand
	Exited  State = "exited"
)

// LogAsk says what of a run's output is wanted.
type LogAsk struct {
	After  Position // what was handed on before is left out
	Secret []string // names of entries of the container's environment whose values are taken out
}

// The labels of a run's container. With them goes that of the commit, which those of stacks carry as well.
const (
	LabelRun     = "dev.berth.run"
	LabelJob     = "dev.berth.job"
	LabelCommand = "dev.berth.command" // id and attempt, with a slash between
	LabelWorker  = "dev.berth.worker"  // which worker made it: two may share an engine
)
