package hubcall

import "time"

// Op is one call, and the end of its path.
type Op string

// The calls. Those about a worker go to the hub that holds its link, the others to the hub that
// holds the lease Duties, and Nudge and Metrics to every hub.
const (
	Nudge         Op = "nudge"            // look at the store now: Nudged
	Wake          Op = "wake"             // there may be commands for a worker: AboutWorker
	Arrived       Op = "arrived"          // a worker came, for which a deployment may wait: Arrival
	RunEnded      Op = "run-ended"        // runs have ended, for which others may wait
	Revoked       Op = "revoked"          // a worker was cut off: AboutWorker
	Act           Op = "act"              // start, stop or restart a compose service: AboutService
	Logs          Op = "logs"             // of a compose service, streamed: LogsOf
	Usage         Op = "usage"            // what the compose services of a stack use: AboutStack → []stacks.ServiceUsage
	Plan          Op = "plan"             // what a deployment would do: AboutStack → stacks.Plan
	Lint          Op = "lint"             // what is wrong with Compose files: lint.Ask → []lint.Finding
	PolicyPlan    Op = "policy-plan"      // what rules would refuse: PolicyOf → fleet.PolicyPlan
	Environment   Op = "environment"      // what a stack's folder makes of its variables: AboutStack → stacks.Environment
	Commits       Op = "commits"          // of a repository: CommitsOf → []core.CommitSummary
	Files         Op = "files"            // of a repository: FilesOf → repositories.Shown
	Discover      Op = "discover"         // in a repository: AboutRepository → repositories.Discovery
	Probe         Op = "probe"            // whether a repository can be read: Trial
	ScanHost      Op = "ssh-scan"         // which keys an SSH host shows: AboutSSHHost → []repositories.HostKey
	TestBackend   Op = "integration-test" // whether a secret backend answers: AboutIntegration
	Pick          Op = "integration-pick" // what can be chosen of it: PickOf → []integrations.Choice
	Secrets       Op = "sops-names"       // what a stack's secrets file provides: SecretsOf → repositories.Provided
	EncryptFile   Op = "sops-encrypt"     // a secrets file for a repository's key: ToEncrypt → its bytes
	Metrics       Op = "metrics"          // of a hub and its workers, streamed: metrics.Format
	WorkerMetrics Op = "worker-metrics"   // of one worker, streamed: MetricsOf
)

// Prefix begins the path of every call.
const Prefix = "/internal/"

// Limits of a call.
const (
	MaxBody   = 64 << 10 // bytes of what is asked, but for EncryptFile
	MaxValues = 3 << 20  // bytes of what EncryptFile asks
	MaxAnswer = 32 << 20 // bytes of an answer that is not streamed
)

// limits say how long a call may take, at both ends.
var limits = map[Op]time.Duration{
	Nudge: 2 * time.Second, Wake: 2 * time.Second, Arrived: 2 * time.Second, RunEnded: 2 * time.Second, Revoked: 5 * time.Second,
	Act: 70 * time.Second, Logs: 70 * time.Second, Usage: 12 * time.Second,
	Plan: 60 * time.Second, PolicyPlan: 60 * time.Second, Lint: 30 * time.Second, Environment: 35 * time.Second,
	Commits: 30 * time.Second, Files: 30 * time.Second, Discover: 60 * time.Second, Probe: 15 * time.Second, ScanHost: 10 * time.Second,
	TestBackend: 30 * time.Second, Pick: 30 * time.Second, Secrets: 30 * time.Second, EncryptFile: 30 * time.Second,
	Metrics: 20 * time.Second, WorkerMetrics: 10 * time.Second,
}

// FollowLimit is how long Logs may go on when it follows.
const FollowLimit = time.Hour + time.Minute

// Body returns how many bytes of what is asked a call may have.
func (op Op) Body() int64 {
	if op == EncryptFile || op == Lint {
		return MaxValues
	}
	return MaxBody
}

// Limit returns how long a call may take; zero: there is no such call.
func (op Op) Limit() time.Duration { return limits[op] }
