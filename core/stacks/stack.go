package stacks

import (
	"regexp"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
)

// Stack is a Compose project that is kept in place on one worker.
type Stack struct {
	ID         core.StackID
	Name       string
	Repository core.RepositoryID
	Path       string        // folder in the repository; "" is the root
	Worker     core.WorkerID // assigned worker; empty until placed
	WorkerTags []string      // any worker that has all of these may be chosen
	AutoSync   bool
	Status     Status
	Drifted    bool
	OutOfSync  bool

	// Seen is the last commit that was looked at for this stack, and SeenTree the hash
	// of its folder there: the same hash later means that nothing changed.
	Seen     core.Commit
	SeenTree string
	// DeployedTree is SeenTree of what was last deployed with success.
	DeployedTree string
	Retries      int       // deployments that failed since the last success, wish or commit
	RetryAt      time.Time // when a failed deployment is tried again; zero: it is not
	Retry        Retry     // what is tried again
	Paused       bool      // automatic sync, repair and retries are held back
	Quarantine   Quarantine
	Drift        []Difference // what differs on the host from what was verified
	Heals        int          // repairs since the stack was last as it should be for a while
	HealAt       time.Time    // when a drifted stack is repaired; zero: it is not

	Revision   int              // current, verified revision; 0: none yet
	Commit     core.Commit      // of Revision
	Error      string           // why status is error or degraded, for people
	Deleting   bool             // a teardown is under way; the row goes when it has succeeded
	Containers []ContainerState // as last observed
	ObservedAt time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Status is what a stack shows. It is never better than reality.
type Status string

// The statuses of a stack.
const (
	StatusNew      Status = "new"
	StatusPending  Status = "pending" // a deployment is queued
	StatusSyncing  Status = "syncing" // a deployment runs
	StatusActive   Status = "active"  // observed equals desired, verified after the last change
	StatusDegraded Status = "degraded"
	StatusError    Status = "error"
	StatusPaused   Status = "paused"
)

// Statuses are all of them, those first that need somebody.
var Statuses = []Status{StatusError, StatusDegraded, StatusSyncing, StatusPending, StatusActive, StatusNew, StatusPaused}

var stackName = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$`)

// CheckName complains when name cannot name a stack. It is also the Compose project's
// name, so its alphabet is Compose's.
func CheckName(name string) []fault.Field {
	if stackName.MatchString(name) {
		return nil
	}
	return []fault.Field{{Path: "name", Problem: "1 to 63 lower-case letters, digits, - and _; it begins and ends with a letter or digit"}}
}

// maxPath is the longest path of a folder, in bytes: what a repository can be asked for.
const maxPath = 4096

// CleanPath returns the folder in its stored form: slash-separated, without a
// leading "./" or trailing slash, "" for the root.
func CleanPath(path string) (string, []fault.Field) {
	p := strings.Trim(path, "/")
	if p == "." {
		p = ""
	}
	p = strings.TrimPrefix(p, "./")
	for _, part := range strings.Split(p, "/") {
		if len(p) > maxPath || part == "." || part == ".." || strings.ContainsAny(part, "\x00\n\r\\") || (part == "" && p != "") {
			return "", []fault.Field{{Path: "path", Problem: "a folder inside the repository, such as apps/web; without . and .., backslashes or empty parts, at most 4,096 bytes"}}
		}
	}
	return p, nil
}

// Behind reports whether the branch's head, as polling last saw it, is not what was deployed.
func (s Stack) Behind() bool { return s.SeenTree != "" && s.SeenTree != s.DeployedTree }

// ProjectName is the one Compose project name of a stack, everywhere.
func (s Stack) ProjectName() string { return s.Name }

// Decision records why a trigger deployed a stack or did not.
type Decision struct {
	ID         string
	Stack      core.StackID
	At         time.Time
	Trigger    Trigger
	Commit     core.Commit
	Deployed   bool
	Reason     string            // for people: what was seen and what followed
	Deployment core.DeploymentID // when Deployed
}
