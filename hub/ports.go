package hub

import (
	"context"
	"io"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/intake"
	"berth/core/jobs"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/core/wire"
)

// Store is what the hub keeps and reads. Each method is one transaction.
type Store interface {
	DeploymentStore
	CommandStore
	JobStore
	PollStore
	RotationStore
	UpkeepStore
	PolicyStore
}

// PolicyStore knows the rules of the server, and what they are about.
type PolicyStore interface {
	// PolicyLayers returns the rules that hold for a worker, its own first; without a worker those for all.
	PolicyLayers(ctx context.Context, worker core.WorkerID) ([]policy.Layer, error)
	// Stacks lists stacks by name.
	Stacks(ctx context.Context, f stacks.Filter, p core.Page) (core.List[stacks.Stack], error)
	// Jobs lists jobs by name.
	Jobs(ctx context.Context, f jobs.Filter, p core.Page) (core.List[jobs.Job], error)
}

// DeploymentStore is the state machine of deployments.
type DeploymentStore interface {
	// OpenDeployments returns every deployment that is queued or running, oldest first. Those that
	// cannot be read are left out and named in the error, "store.unreadable".
	OpenDeployments(ctx context.Context) ([]stacks.Deployment, error)
	// StartDeployment moves a queued deployment to running; Conflict when it is not queued any more.
	StartDeployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
	// Deployment returns one deployment.
	Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
	// SaveProgress stores commit, phases, what was heard and log lines of running deployments in one commit.
	SaveProgress(ctx context.Context, progress []stacks.Progress, lines []stacks.LogLine) error
	// HeardOf returns how far the events of a deployment are stored.
	HeardOf(ctx context.Context, id core.DeploymentID) (stacks.Heard, error)
	// LastLogNumber returns the number of the last stored piece of a log.
	LastLogNumber(ctx context.Context, id core.DeploymentID) (uint64, error)
	// RevisionNumber finds the revision with this digest, or the next free number.
	RevisionNumber(ctx context.Context, stack core.StackID, digest string) (number int, known bool, err error)
	// Revision returns one revision of a stack.
	Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error)
	// Dispatch stores revision, command and progress together.
	Dispatch(ctx context.Context, rev stacks.Revision, cmd stacks.Command, p stacks.Progress, lines []stacks.LogLine) (int, error)
	// EndDeployment closes a deployment, or begins to put the last good revision back. The ending is
	// empty when it was closed before, or when it is to end only unsent and was sent.
	EndDeployment(ctx context.Context, o stacks.Outcome, lines []stacks.LogLine) (stacks.Ending, error)
	// Wanted returns when the commit of a deployment that has succeeded was first wanted; zero when an
	// earlier deployment has put it in place.
	Wanted(ctx context.Context, d stacks.Deployment) (time.Time, error)
	// QueueRetries queues what failed and is due to be tried again.
	QueueRetries(ctx context.Context) (queued int, err error)
	// QueueHeals queues the repairs of drifted stacks that are due.
	QueueHeals(ctx context.Context) (queued int, err error)
	// Stack returns one stack.
	Stack(ctx context.Context, id core.StackID) (stacks.Stack, error)
}

// CommandStore keeps what is asked of workers.
type CommandStore interface {
	// OpenCommands returns a worker's commands that have not ended, oldest first. Those that
	// cannot be read are left out and named in the error, "store.unreadable".
	OpenCommands(ctx context.Context, worker core.WorkerID) ([]stacks.Command, error)
	// OldestCommands returns a worker's oldest open commands, at most limit: runs of jobs, or all others.
	// Those that cannot be read are left out as by OpenCommands.
	OldestCommands(ctx context.Context, worker core.WorkerID, runs bool, limit int) ([]stacks.Command, error)
	// WorkersWithQueuedCommands returns the workers for which a command waits to be sent.
	WorkersWithQueuedCommands(ctx context.Context) ([]core.WorkerID, error)
	// Command returns a worker's own command; another's is NotFound.
	Command(ctx context.Context, worker core.WorkerID, id core.CommandID) (stacks.Command, error)
	// MarkDelivering notes which secret values the frame of a command gives.
	MarkDelivering(ctx context.Context, id core.CommandID, prints map[string]string) error
	// MarkSent records a delivery before it happens.
	MarkSent(ctx context.Context, worker core.WorkerID, id core.CommandID, epoch uint64) (stacks.Command, error)
	// MarkAccepted records that the worker has the command on disk.
	MarkAccepted(ctx context.Context, worker core.WorkerID, id core.CommandID, attempt int, epoch uint64) error
	// EndTeardown closes a teardown; without problem the stack goes with it.
	EndTeardown(ctx context.Context, cmd stacks.Command, problem string, at time.Time) error
	// SaveObserved stores what a worker saw of its stacks.
	SaveObserved(ctx context.Context, worker core.WorkerID, seen []stacks.Observation, complete bool, at time.Time) ([]core.StackID, error)
}

// PollStore is what polling reads and records.
type PollStore interface {
	// Repositories returns every repository.
	Repositories(ctx context.Context) ([]repositories.Repository, error)
	// Repository returns one repository; NotFound "repository.not_found".
	Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error)
	// SetFetched records the head that was fetched and what happened since the one before; it writes only what changed.
	SetFetched(ctx context.Context, id core.RepositoryID, head core.GitHead, lineage core.Lineage, at time.Time) error
	// SetFetchError records why fetching failed; it writes only what changed.
	SetFetchError(ctx context.Context, id core.RepositoryID, code, text string, at time.Time) error
	// ClearAsked takes back the wish to look at a repository, unless a newer one came.
	ClearAsked(ctx context.Context, id core.RepositoryID, askedAt time.Time) error
	// Announcement returns the newest delivery until a time that asked for a look and got none yet; ok is false when
	// there is none.
	Announcement(ctx context.Context, id core.RepositoryID, until time.Time) (d repositories.Delivery, ok bool, err error)
	// SettleDeliveries notes what came of the look that deliveries until a time had asked for.
	SettleDeliveries(ctx context.Context, id core.RepositoryID, until time.Time, outcome string, at time.Time) error
	// SetUnannounced notes that a look found a commit that no delivery has told of.
	SetUnannounced(ctx context.Context, id core.RepositoryID, commit core.Commit, began time.Time) error
	// StacksOfRepository returns the stacks of a repository.
	StacksOfRepository(ctx context.Context, id core.RepositoryID) ([]stacks.Stack, error)
	// Watched returns what each stack of a repository reads outside its folder.
	Watched(ctx context.Context, id core.RepositoryID) (map[core.StackID][]string, error)
	// RecordSeen stores what polling saw for stacks that are not deployed.
	RecordSeen(ctx context.Context, all []stacks.Seen) error
	// QueueAll queues deployments that polling decided on, in one commit.
	QueueAll(ctx context.Context, asks []stacks.Ask) error
}

// RotationStore knows what containers were given of secret values.
type RotationStore interface {
	// Delivered returns what stacks were given, in order of stacks, after the given one. Those that cannot be
	// read are left out and named in the error, "store.unreadable".
	Delivered(ctx context.Context, after core.StackID, limit int) ([]stacks.Delivered, error)
	// SetRotation stores what is newer at its provider; with redeploy it queues a deployment of what runs.
	SetRotation(ctx context.Context, d stacks.Delivered, r stacks.Rotation, redeploy bool) (queued bool, err error)
}

// UpkeepStore bounds what grows.
type UpkeepStore interface {
	// Prune deletes what is older than retention allows, a bounded number of rows at a time;
	// more says that there is more to delete.
	Prune(ctx context.Context, now time.Time) (more bool, err error)
	// KeptRevisions lists the revisions of all stacks after the given one, those that cannot be
	// read included.
	KeptRevisions(ctx context.Context, after core.StackID, number, limit int) ([]stacks.KeptRevision, error)
	// Room reports whether there is room on the disk to begin something new.
	Room() bool
	// SaveReadings stores how the hosts of workers are, each in the slot of its time.
	SaveReadings(ctx context.Context, all []fleet.Reading) error
	// Figures returns what the metrics show of all stacks.
	Figures(ctx context.Context) (stacks.Figures, error)
	// Size returns how large the database is, in bytes.
	Size(ctx context.Context) (int64, error)
}

// Fleet knows the workers.
type Fleet interface {
	// Connected raises a worker's epoch and marks it online.
	Connected(ctx context.Context, id core.WorkerID, hello wire.Hello) (uint64, error)
	// WorkerLeft marks a worker as gone, if epoch is still its current one.
	WorkerLeft(ctx context.Context, id core.WorkerID, epoch uint64) error
	// AllWorkersLeft marks every worker as gone; the hub says so when it starts.
	AllWorkersLeft(ctx context.Context) error
	// UsableWorkers returns every worker that is not revoked.
	UsableWorkers(ctx context.Context) ([]fleet.Worker, error)
}

// Sources opens a repository's credential.
type Sources interface {
	Source(ctx context.Context, r repositories.Repository) (core.GitSource, error)
}

// Variables gives what a stack's rendering and its containers may see.
type Variables interface {
	// ForRendering returns the stack's variables; secret ones without value.
	ForRendering(ctx context.Context, stack core.StackID) ([]core.ComposeVariable, error)
	// Secrets resolves the named secret variables of the stack. The fault names the
	// provider and every variable that could not be resolved.
	Secrets(ctx context.Context, stack core.StackID, names []string) (map[string]secrets.Value, error)
	// Known returns those of the named secret variables of the stack that can be resolved now.
	Known(ctx context.Context, stack core.StackID, names []string) (map[string]secrets.Value, error)
	// Prints returns the fingerprints of those of the named secret variables of each stack that can be
	// resolved now.
	Prints(ctx context.Context, asked map[core.StackID][]string) (map[core.StackID]map[string]string, error)
	// Fingerprint identifies a value without telling it.
	Fingerprint(name string, value secrets.Value) string
	// ForRun returns all that a run of a job sees, with what was given for it alone in the place of variables with its
	// names. Its secrets are resolved, all or none: the fault is as that of Secrets.
	ForRun(ctx context.Context, job core.JobID, given map[string]string) (variables.Seen, error)
}

// Seals opens what is sealed in rows; *seal.Ring does.
type Seals interface {
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// SecretsFiles reads the encrypted secrets files of stacks; *repositories.SecretsFiles does. The codes of what
// is wrong with a file begin with "sops.", and no fault holds a value.
type SecretsFiles interface {
	// Names returns the names that a file gives values to, without decrypting it.
	Names(content []byte) ([]string, error)
	// Open decrypts a file with its repository's key.
	Open(ctx context.Context, repository core.RepositoryID, content []byte) (map[string]secrets.Value, error)
}

// AgeKeys gives keys to the repositories that have none; *repositories.Desk does.
type AgeKeys interface {
	GiveKeys(ctx context.Context) (given int, err error)
}

// RevisionFiles keeps rendered files and repository content.
type RevisionFiles interface {
	// What is stored counts only under the fences of ctx, as every write of a hub.
	PutBlob(ctx context.Context, digest string, content []byte) error
	OpenBlob(digest string) (io.ReadCloser, error)
	PutCompose(ctx context.Context, stack core.StackID, number int, compose []byte) error
	Compose(stack core.StackID, number int) ([]byte, error)
	RemoveStack(ctx context.Context, stack core.StackID) error
	// Sweep removes the files that no revision needs; each tells those that are kept. What an illegible
	// one may need stays.
	Sweep(ctx context.Context, each func(keep func(stacks.KeptRevision)) error) (removed int, err error)
}

// Mirrors knows the mirrors of repositories that are on disk.
type Mirrors interface {
	Mirrors() ([]core.RepositoryID, error)
}

// Post sends what waits in the outbox; *post.Post does.
type Post interface {
	// Run sends until ctx ends, and returns when nothing is being sent.
	Run(ctx context.Context)
	// Wake makes it look at once. It never blocks.
	Wake()
}

// Follower makes stacks and jobs of a repository's new folders, and looks after those whose folder is gone;
// *intake.Follower does. The error is why that could not be done or stored.
type Follower interface {
	Follow(ctx context.Context, l intake.Look) error
}

// Snapshots caches what workers push of their metrics, for scrapes.
type Snapshots interface {
	// Connected begins a worker's series.
	Connected(id core.WorkerID, hostname string)
	// Heard notes a heartbeat and the round trip that the worker measured; 0 is unknown.
	Heard(id core.WorkerID, roundTrip time.Duration)
	// Put takes in a worker's snapshot; what is invalid in it is dropped and counted.
	Put(id core.WorkerID, s metrics.Snapshot)
	// Left ends the worker's series.
	Left(id core.WorkerID)
	// Hosts returns how the hosts of all linked workers are that have reported.
	Hosts() map[core.WorkerID]metrics.HostSight
}

// Meter counts what the hub does; *metrics.Own does. That a deployment ended is counted by the store.
type Meter interface {
	// Fetched counts a fetch of a repository.
	Fetched(ok bool, took time.Duration)
	// PhaseEnded measures a phase.
	PhaseEnded(phase stacks.PhaseName, took time.Duration)
	// Healthy measures how long a commit took from when it was first wanted until it was in place.
	Healthy(took time.Duration)
	// Resolved counts a secrets file that was decrypted, as if it were a provider; ok says that it was.
	Resolved(provider string, ok bool, took time.Duration)
	// RoundTrip measures the answer to a worker's heartbeat.
	RoundTrip(took time.Duration)
	// Refused counts a worker's message that was about something not its own.
	Refused(what string)
	// Know sets what is known of all stacks, and StoreSize how large the database is: by the hub that leads.
	Know(f stacks.Figures)
	StoreSize(bytes int64)
	// JobFired counts a time of a job that fired, so long after it had come, and RunEnded a run that ended.
	JobFired(late time.Duration)
	RunEnded(state jobs.RunState)
	// KnowJobs sets what is known of all jobs: by the hub that leads.
	KnowJobs(f jobs.Figures)
	// Unknow ends what was said by the three: another hub leads, or none.
	Unknow()
}
