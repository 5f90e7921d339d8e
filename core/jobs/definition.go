package jobs

import (
	"time"

	"berth/core"
)

// File is the name of the file that makes a folder of a repository a job.
const File = "job.yaml"

// Definition is what a job.yaml says, with the defaults filled in. ReadDefinition makes it.
type Definition struct {
	Name        string   `json:"name"` // of the file; the job's own name is chosen when it is added
	Description string   `json:"description,omitempty"`
	Cron        string   `json:"cron,omitempty"` // as written; empty: it runs on demand only
	Timezone    string   `json:"timezone"`       // IANA name; default UTC
	Tags        []string `json:"tags,omitempty"` // that a worker must have, all of them
	Group       string   `json:"group,omitempty"`
	Mode        Mode     `json:"mode"` // default ModeOnce
	Image       string   `json:"image"`
	Command     []string `json:"command,omitempty"` // words; empty: the image's own
	Volumes     []Volume `json:"volumes,omitempty"`
	Network     string   `json:"network,omitempty"` // name of a network that is there; "none"; empty: the engine's default
	Configs     []Config `json:"configs,omitempty"`
	Overlap     Overlap  `json:"overlap"` // default OverlapSkip
	Retries     Retries  `json:"retries,omitzero"`
	// StartDeadline is how late a run may begin: a time that was missed by more is not made up for, and a
	// run that waited longer for a worker or for its turn is skipped. Default DefaultStartDeadline.
	StartDeadline time.Duration `json:"start_deadline"`
	Resources     Resources     `json:"resources"`
}

// DefaultStartDeadline is how late a run may begin when its job does not say.
const DefaultStartDeadline = time.Hour

// Mode says on how many workers a job runs each time.
type Mode string

// The modes.
const (
	ModeOnce    Mode = "once"     // on one eligible worker
	ModeOnceAll Mode = "once_all" // on every eligible worker that is online
)

// Overlap says what becomes of a run that is due while another of its job is open.
type Overlap string

// The ways to overlap.
const (
	OverlapSkip    Overlap = "skip"    // it is skipped
	OverlapQueue   Overlap = "queue"   // it waits for its turn
	OverlapReplace Overlap = "replace" // those that are open are cancelled first
)

// Retries says how often a run that failed is tried again.
type Retries struct {
	Count   int           `json:"count,omitempty"`   // 0 to MaxRetries
	Backoff time.Duration `json:"backoff,omitempty"` // pause before the first; doubled each time, at most an hour; default 10 s
}

// MaxRetries bounds Retries.Count.
const MaxRetries = 10

// Resources bound what a run may use. All three are required.
type Resources struct {
	CPU     float64       `json:"cpu"`     // processors
	Memory  int64         `json:"memory"`  // bytes
	Timeout time.Duration `json:"timeout"` // from the start of the container
}

// Volume is a mount of a run's container: a named volume, or a folder of the host.
type Volume struct {
	Source   string `json:"source"` // name of a volume, or an absolute path
	Target   string `json:"target"` // absolute path in the container
	ReadOnly bool   `json:"read_only,omitempty"`
}

// Config is a file of the repository that is mounted read-only.
type Config struct {
	File   string `json:"file"`   // as written: relative to the job's folder; it may not leave the repository
	Target string `json:"target"` // absolute path in the container
}

// ConfigFile is a Config with the file that it names, as it is in the commit.
type ConfigFile struct {
	Target  string       `json:"target"`
	Content core.Content `json:"content"` // of exactly one file
}
