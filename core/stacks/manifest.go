package stacks

import "time"

// Manifest is what a stack's wireops.yaml says, with the defaults filled in.
type Manifest struct {
	Name          string        `json:"name,omitempty"`
	Group         string        `json:"group,omitempty"`
	Timeout       time.Duration `json:"timeout"`         // of a whole deployment; default 30 minutes
	Files         []string      `json:"files,omitempty"` // compose.files; empty: Compose's default names
	Profiles      []string      `json:"profiles,omitempty"`
	RemoveOrphans bool          `json:"remove_orphans"` // default true
	ForcePull     bool          `json:"force_pull"`
	WaitRunning   bool          `json:"wait_running"` // jobs.wait_running
	WorkerTags    []string      `json:"worker_tags,omitempty"`
	SyncInterval  time.Duration `json:"sync_interval"`       // zero: SCAN_INTERVAL
	SelfHeal      bool          `json:"self_heal,omitempty"` // sync.self_heal: drift is repaired
	HealthTimeout time.Duration `json:"health_timeout"`      // default 5 minutes
	StableFor     time.Duration `json:"stable_for"`          // default 0
	OnFailure     string        `json:"on_failure"`          // OnFailureRollback (default) or OnFailureKeep

	RedeployOnRotation bool `json:"redeploy_on_rotation,omitempty"` // secrets.redeploy_on_rotation: services that use a value are deployed again when it is newer
}

// Defaults of a manifest.
const (
	DefaultTimeout       = 30 * time.Minute
	DefaultHealthTimeout = 5 * time.Minute
)

// DefaultManifest is what holds when a stack has no wireops.yaml.
func DefaultManifest() Manifest {
	return Manifest{Timeout: DefaultTimeout, RemoveOrphans: true, HealthTimeout: DefaultHealthTimeout, OnFailure: OnFailureRollback}
}
