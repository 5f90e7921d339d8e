package worker

import (
	"context"
	"io"
	"time"

	"berth/core"
	"berth/core/policy"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/hub/worker/runs"
)

// Engine is the container engine of this host with Compose on top. Every method
// respects its context. Errors are faults: Unavailable "engine.unreachable" and "engine.failed", Invalid
// "engine.image" (image missing or refused), Invalid "engine.refused" (the host's policy), Invalid "engine.apply", Conflict
// "engine.project_taken" (others than the stack have containers in the project), Conflict
// "engine.unhealthy". Those about one compose service have a FailedService in their cause chain.
type Engine interface {
	runs.Engine
	// Apply brings the project up: pulls images that are missing, creates, recreates only what
	// changed, starts, removes orphans when asked. It returns once the containers were
	// started. report is called, from one goroutine, with lines for the deployment's log.
	Apply(ctx context.Context, p Project, report func(line string)) error
	// Pull fetches the project's images: those missing, or all when force is true.
	Pull(ctx context.Context, p Project, force bool, report func(line string)) error
	// Verify blocks until every compose service of p is healthy (or running, where no health
	// check is declared; or exited 0, where it is not restarted) and stayed so for
	// stable, or until one has failed or timeout has passed.
	Verify(ctx context.Context, p Project, timeout, stable time.Duration, report func(line string)) error
	// Down stops and removes the stack's containers and networks in the project, and its volumes when
	// asked. What else carries the project's name, because a person made it, stays.
	Down(ctx context.Context, projectName string, stack core.StackID, volumes bool, report func(line string)) error
	// Containers lists the containers of one project, or of every project in which Berth made one when
	// projectName is empty. Those that a person put there are listed too, without a label LabelStack.
	Containers(ctx context.Context, projectName string) ([]ProjectContainer, error)
	// Start, Stop and Restart act on every container that Berth made of one compose service; NotFound
	// "engine.service_missing" when there is none.
	Start(ctx context.Context, projectName, service string) error
	Stop(ctx context.Context, projectName, service string) error
	Restart(ctx context.Context, projectName, service string) error
	// Logs writes the last lines of a compose service to w, then, when they are to be followed, new ones until ctx ends.
	Logs(ctx context.Context, projectName, service string, ask LogAsk, w io.Writer) error
	// Usage tells what each container uses that runs and that Berth made for a stack.
	Usage(ctx context.Context) ([]ContainerUsage, error)
	// Watch calls changed, from one goroutine, whenever something may have happened to a container that
	// Berth made: it started, stopped, went away, was renamed, updated, or joined or left a network. It
	// blocks until ctx ends or the engine's events cannot be followed any more, and returns why.
	Watch(ctx context.Context, changed func(Happening)) error
	// Info asks the engine who it is; cheap enough for every snapshot.
	Info(ctx context.Context) (EngineInfo, error)
}

// ContainerUsage is what a container uses of this host.
type ContainerUsage struct {
	Project, Service string
	ContainerID      string
	CPU              time.Duration // processor time since it started
	Memory           int64         // bytes, without what the kernel only caches of files
}

// LogAsk says what of a compose service's output is wanted.
type LogAsk struct {
	Tail   int // lines
	Follow bool
	Times  bool // each line begins with its stacks.LineTime
	// Secret holds the environment entries that have secrets in them, as the rendered Compose file has
	// them: ${NAME} stands for one. What a container's own environment has in their place is not shown.
	Secret map[string]string
}

// FailedService is in the cause chain of every fault that is about one compose service: its
// name, apart from the words about what happened.
type FailedService struct {
	Service string // compose service
	// Lines are without secrets: what its container said last; where no container of it ever ran, what the
	// engine or the registry said. Empty when nothing was said.
	Lines string
}

func (f FailedService) Error() string { return "the compose service " + f.Service + " failed" }

// Project is a rendered project made ready for this host.
type Project struct {
	Name          string                   // Compose project name
	YAML          []byte                   // core.ComposeProject.YAML
	Secrets       map[string]secrets.Value // the only variables that interpolation sees
	ContentDir    string                   // replaces core.ContentRoot; ends in a slash
	StateDir      string                   // replaces core.StateRoot; ends in a slash
	Labels        map[string]string        // dev.berth.* labels; not part of what decides "recreate"
	DigestKey     []byte                   // keys the digests of secret content that stand in labels
	Placed        bool                     // the stack was put in place here under this name before
	Policy        []policy.Layer           // what the server narrows; what the host does, the engine knows
	RemoveOrphans bool
	Recreate      bool // recreate every container even when nothing changed
	// HealthTimeout is how long a container may take to become healthy while others wait for it; zero: any.
	HealthTimeout time.Duration
	// Replace names compose services whose containers are recreated even when nothing changed,
	// because a hand has changed them. Names that are not in the project mean nothing.
	Replace []string
}

// ProjectContainer is a container with the project it belongs to and its dev.berth.* labels.
type ProjectContainer struct {
	Project string
	Labels  map[string]string
	// Traits are what a hand could change of a container, by a name for people: "image",
	// "command", "memory limit", "networks". The values are for comparison only and must not be shown:
	// they may hold secrets. They stay the same while the container is started, stopped and restarted,
	// and when the engine is, and from one release to the next: a value that is written otherwise gets
	// another name. One that is not set has a value as well; of one that is not listed nothing is known.
	Traits map[string]string
	stacks.ContainerState
}

// Happening is what the engine told of a container: that somebody ended it (and not it
// itself), or that it started. Whatever else may have happened is the zero.
type Happening struct {
	Stack     core.StackID
	Container string // id
	Stopped   bool   // stopped or killed, by whomever; it does not run now
	Started   bool
}

// EngineInfo says which engine runs here.
type EngineInfo struct {
	ID         string // the same for every worker that uses this engine, and for no other
	Version    string
	APIVersion string
	OS, Arch   string
	Containers int // all on the host
	Running    int
}
