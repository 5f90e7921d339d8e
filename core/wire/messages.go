package wire

import (
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/policy"
	"berth/core/stacks"
)

// Hello is the worker's first message on a link.
type Hello struct {
	Version  string         `json:"version"` // of the worker's program
	Hostname string         `json:"hostname"`
	Tags     []string       `json:"tags"`
	OS       string         `json:"os"`
	Arch     string         `json:"arch"`
	Engine   string         `json:"engine,omitempty"`    // identifies the container engine; two workers with one value share it; empty: unknown
	Runs     bool           `json:"runs,omitempty"`      // it takes commands of kind "run"; to another they are not sent
	Usage    bool           `json:"usage,omitempty"`     // it tells what containers use; another is not asked
	LogTimes bool           `json:"log_times,omitempty"` // it tells when lines of logs were written; another is not asked
	Judges   bool           `json:"judges,omitempty"`    // it refuses what its host's policy does not allow of a project
	Allow    []string       `json:"allow,omitempty"`     // with Judges: what that policy allows beyond the default; see core/policy
	Limits   *policy.Rules  `json:"limits,omitempty"`    // with Judges: what the policy file of its host narrows; nil: there is none
	Journal  []JournalEntry `json:"journal"`             // every command that is not yet acknowledged
}

// JournalEntry is one command that a worker still holds.
type JournalEntry struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
	State   JournalState   `json:"state"`
}

// JournalState is how far a worker got with a command.
type JournalState string

// The states of a journal entry.
const (
	JournalReceived JournalState = "received" // accepted, perhaps started
	JournalResult   JournalState = "result"   // ended, its result not yet acknowledged
)

// Welcome is the hub's answer to Hello. The link is in service from here on.
type Welcome struct {
	Epoch            uint64        `json:"epoch"` // raised by every connection; older epochs are dead
	HeartbeatSeconds int           `json:"heartbeat_seconds"`
	Version          string        `json:"version"`
	Changes          bool          `json:"changes,omitempty"` // the hub takes Snapshots that have only what changed
	Settle           []Instruction `json:"settle"`            // one for each entry of Hello.Journal
}

// Instruction tells the worker what becomes of one journal entry.
type Instruction struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
	Do      Settlement     `json:"do"`
	Heard   *uint64        `json:"heard,omitempty"`  // number of the last Event that the hub has: later ones are sent again; nil: it does not tell
	LogTo   string         `json:"log_to,omitempty"` // of a run, with Heard: LogTo of the last of those Events that had one
}

// Settlement is what the worker does with a journal entry after a reconnect.
type Settlement string

// The settlements.
const (
	SettleAcknowledged Settlement = "acknowledged" // the result is stored: prune
	SettleRun          Settlement = "run"          // go on, or settle by observation, and send the result
	SettleCancel       Settlement = "cancel"       // stop it and send the result
	SettleForget       Settlement = "forget"       // unknown or superseded: stop it if it runs, and prune
)

// Heartbeat is sent by the worker each interval, and answered with the same number.
type Heartbeat struct {
	Number      uint64 `json:"number"`
	RoundTripUS int64  `json:"round_trip_us"` // microseconds that the previous heartbeat took to be answered; 0 unknown
}

// HeartbeatAck answers a Heartbeat.
type HeartbeatAck struct {
	Number uint64 `json:"number"`
}

// Snapshot carries the worker's own metrics in the Prometheus text format.
type Snapshot struct {
	Text    string   `json:"text"`
	Changes bool     `json:"changes,omitempty"` // Text has only the families that are not as the Snapshot before said; only after Welcome.Changes
	Ended   []string `json:"ended,omitempty"`   // names of families that are no more; only with Changes
}

// Observed tells what the worker's engine runs for Berth: all stacks, or one after a change.
type Observed struct {
	Complete bool            `json:"complete"`        // true: stacks that are not listed do not run here
	Part     int             `json:"part,omitempty"`  // which part of a complete report this is, from 1; 0: none
	Parts    int             `json:"parts,omitempty"` // how many there are; stacks that none of them lists do not run here
	Stacks   []StackObserved `json:"stacks"`
}

// StackObserved is what runs of one stack.
type StackObserved struct {
	Stack      core.StackID            `json:"stack"`
	Revision   int                     `json:"revision"` // last one that was applied here; 0 unknown
	Containers []stacks.ContainerState `json:"containers"`
}

// CommandKind is what a command asks for.
type CommandKind = stacks.CommandKind

// The kinds of commands.
const (
	CommandDeploy   = stacks.CommandDeploy
	CommandTeardown = stacks.CommandTeardown
	CommandRun      = stacks.CommandRun
)

// Command asks the worker to change something on its host. (ID, Attempt) is its
// idempotency key: a repeated delivery is answered, not repeated.
type Command struct {
	ID       core.CommandID `json:"id"`
	Attempt  int            `json:"attempt"`
	Epoch    uint64         `json:"epoch"`
	Seconds  int            `json:"seconds"` // what is left of its deadline when the frame was built
	Kind     CommandKind    `json:"kind"`
	Deploy   *Deploy        `json:"deploy,omitempty"`
	Teardown *Teardown      `json:"teardown,omitempty"`
	Run      *Run           `json:"run,omitempty"`
}

// Deploy puts a revision in place and waits until it is healthy.
type Deploy struct {
	Stack      core.StackID      `json:"stack"`
	Deployment core.DeploymentID `json:"deployment"`
	Project    string            `json:"project"` // Compose project name
	Revision   int               `json:"revision"`
	Commit     core.Commit       `json:"commit"`
	Compose    []byte            `json:"compose"` // core.ComposeProject.YAML; base64 in JSON
	Content    []core.Content    `json:"content"` // fetched from the hub as needed, by digest
	// Secrets holds the values of the secret variables that Compose refers to. It exists
	// in memory and in this frame; it is never journaled, logged or stored.
	Secrets       map[string]string `json:"secrets"`
	RemoveOrphans bool              `json:"remove_orphans"`
	ForcePull     bool              `json:"force_pull"`
	Recreate      bool              `json:"recreate"`
	// RecreateNetworks and RecreateVolumes take the project down first, the latter with its volumes.
	RecreateNetworks bool    `json:"recreate_networks,omitempty"`
	RecreateVolumes  bool    `json:"recreate_volumes,omitempty"`
	HealthSeconds    float64 `json:"health_seconds"` // limit of the verify phase
	StableSeconds    float64 `json:"stable_seconds"` // how long healthy must last
	// Policy is what the server narrows further; the worker judges the project by it and by what its host allows.
	Policy []policy.Layer `json:"policy,omitempty"`
}

// Teardown removes a stack's containers and networks from the host.
type Teardown struct {
	Stack   core.StackID `json:"stack"`
	Project string       `json:"project"`
	Volumes bool         `json:"volumes"`
}

// Run starts a container of a job, detached, and waits for its end.
type Run struct {
	Run       core.RunID  `json:"run"`
	Job       core.JobID  `json:"job"`
	Name      string      `json:"name"` // of the job, for the container's labels
	Commit    core.Commit `json:"commit"`
	Container string      `json:"container"` // its name, by which it is found again
	// Definition is what the job.yaml of Commit says; the worker judges it again.
	Definition jobs.Definition   `json:"definition"`
	Configs    []jobs.ConfigFile `json:"configs,omitempty"` // fetched from the hub as needed, by digest
	Variables  map[string]string `json:"variables"`         // that are no secrets
	// Secrets holds the values of the secret variables. It exists in memory, in this frame and in the
	// container's environment; it is never journaled, logged or stored.
	Secrets map[string]string `json:"secrets"`
	// Policy is what the server narrows further, as for Deploy.
	Policy []policy.Layer `json:"policy,omitempty"`
}

// Accepted says that the command is on the worker's disk.
type Accepted struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
}

// Event is progress of a running command: a phase that changed or a piece of its log.
// Number rises by one per command and attempt; a gap means that lines were dropped.
type Event struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
	Number  uint64         `json:"number"`
	Phase   *PhaseEvent    `json:"phase,omitempty"`
	Log     string         `json:"log,omitempty"`     // whole lines, at most MaxLogChunk bytes
	LogTo   string         `json:"log_to,omitempty"`  // of a run: how far the log of its container is told with Log, in the worker's own words; empty: no line is the container's
	Started bool           `json:"started,omitempty"` // of a run: its container was started; may be said again
	RanMS   int64          `json:"ran_ms,omitempty"`  // with Started: how long ago that was
}

// PhaseEvent says that a phase of a deployment started or ended.
type PhaseEvent struct {
	Name       stacks.PhaseName  `json:"name"`
	State      stacks.PhaseState `json:"state"`
	DurationMS int64             `json:"duration_ms"`
	Message    string            `json:"message,omitempty"`
}

// Result ends a command.
type Result struct {
	ID       core.CommandID `json:"id"`
	Attempt  int            `json:"attempt"`
	Status   ResultStatus   `json:"status"`
	Code     string         `json:"code,omitempty"`    // fault code when failed
	Error    string         `json:"error,omitempty"`   // public text when failed
	Service  string         `json:"service,omitempty"` // compose service that made it fail
	Lines    string         `json:"lines,omitempty"`   // what that said last, redacted, at most MaxLines bytes
	Phases   []PhaseEvent   `json:"phases"`            // the worker's phases as they ended, whatever events were lost
	Events   uint64         `json:"events,omitempty"`  // number of the last Event of this command and attempt; 0: there was none, or the worker does not tell
	Observed *StackObserved `json:"observed,omitempty"`
	ExitCode *int           `json:"exit_code,omitempty"` // of a run's container, when it ended
	RanMS    int64          `json:"ran_ms,omitempty"`    // how long a run's container ran, by the worker's clock
}

// ResultStatus is how a command ended.
type ResultStatus string

// The ends of a command.
const (
	ResultSucceeded ResultStatus = "succeeded"
	ResultFailed    ResultStatus = "failed"
	ResultCancelled ResultStatus = "cancelled"
	ResultUnknown   ResultStatus = "unknown" // interrupted, and observation did not settle it
)

// ResultAck says that the result is committed: the worker prunes its journal.
type ResultAck struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
}

// Cancel asks the worker to stop a command; it still answers with a Result.
type Cancel struct {
	ID      core.CommandID `json:"id"`
	Attempt int            `json:"attempt"`
}

// BlobWant asks the hub for the content with this digest, for a command of this worker.
type BlobWant struct {
	ID     core.CommandID `json:"id"`
	Digest string         `json:"digest"`
}

// BlobChunk is a part of a blob, in order of Offset.
type BlobChunk struct {
	Digest string `json:"digest"`
	Offset int64  `json:"offset"`
	Data   []byte `json:"data"` // at most MaxBlobChunk bytes; base64 in JSON
	Last   bool   `json:"last"`
	Error  string `json:"error,omitempty"` // set: there will be no (more) data
}

// RequestKind is what a live request asks.
type RequestKind string

// The kinds of live requests.
const (
	RequestLogs    RequestKind = "logs"
	RequestUsage   RequestKind = "usage" // what the containers of the stack use: []stacks.ServiceUsage as JSON
	RequestStart   RequestKind = "start"
	RequestStop    RequestKind = "stop"
	RequestRestart RequestKind = "restart"
)

// Request asks the worker something now; it lives no longer than the link.
type Request struct {
	ID      uint64       `json:"id"` // chosen by the hub, unique on the link
	Kind    RequestKind  `json:"kind"`
	Stack   core.StackID `json:"stack"`
	Project string       `json:"project"`
	Service string       `json:"service,omitempty"` // empty for usage
	Tail    int          `json:"tail,omitempty"`    // lines, for logs
	Follow  bool         `json:"follow,omitempty"`  // for logs
	Times   bool         `json:"times,omitempty"`   // for logs: each line begins with its stacks.LineTime
	// Secret holds, for logs, the service's environment entries with secrets in them, as the rendered
	// Compose file has them, ${NAME} for each: the worker takes what its containers have there out of the log.
	Secret  map[string]string `json:"secret,omitempty"`
	Seconds int               `json:"seconds"` // the hub's patience; the worker gives up then
}

// Reply answers a Request: any number of chunks, then one with Last.
type Reply struct {
	ID    uint64 `json:"id"`
	Data  string `json:"data,omitempty"` // at most MaxLogChunk bytes
	Last  bool   `json:"last"`
	Kind  string `json:"kind,omitempty"`  // fault kind's name when failed
	Code  string `json:"code,omitempty"`  // fault code when failed
	Error string `json:"error,omitempty"` // public text when failed
}

// RequestCancel ends a live request; the worker need not answer it.
type RequestCancel struct {
	ID uint64 `json:"id"`
}

// Bye announces that the sender closes the link.
type Bye struct {
	Reason       string `json:"reason"`
	RetrySeconds int    `json:"retry_seconds"` // when the worker should come back; 0: at once, with its usual jitter
}

// Enrol is the body of the registration request on the worker port, before a link is made.
type Enrol struct {
	Protocol int      `json:"protocol"`
	Hostname string   `json:"hostname"`
	Tags     []string `json:"tags"`
	Version  string   `json:"version"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
}

// Enrolled answers Enrol.
type Enrolled struct {
	WorkerID         core.WorkerID `json:"worker_id"`
	HeartbeatSeconds int           `json:"heartbeat_seconds"` // the server's HEARTBEAT_INTERVAL
	Time             time.Time     `json:"time"`              // the server's clock, to show a difference
}
