package applied

import (
	"maps"
	"slices"
	"time"

	"berth/core"
)

// Record is what is known of one stack on this host.
type Record struct {
	Stack      core.StackID      `json:"stack"`
	Project    string            `json:"project"`
	Revision   int               `json:"revision"` // last one that was applied; 0: none yet
	Previous   int               `json:"previous"` // the one before, when it was another
	Trying     int               `json:"trying"`   // being applied, or given up half-way; 0: none
	Commit     core.Commit       `json:"commit"`   // of Revision
	Deployment core.DeploymentID `json:"deployment"`
	At         time.Time         `json:"at"` // when Revision was applied
	// Content lists the digests that containers of a revision may mount.
	Content map[int][]string `json:"content"`
	// Portrait is how the containers were when a deployment was last verified; nil: none was.
	Portrait Portrait `json:"portrait"`
	// Touched says that a later deployment has begun to change them: whose id the portrait knows is
	// as it was, or was changed by hand; of the others nothing is known.
	Touched bool `json:"touched,omitempty"`
	// Stopped lists the containers of the portrait that somebody stopped or killed since. One that
	// ended by itself is not among them.
	Stopped []string `json:"stopped,omitempty"`
	// Halted lists those that somebody stopped through the hub, or is about to: they are to stay so.
	Halted []string `json:"halted,omitempty"`
}

// Portrait is a keyed digest of each trait of each container, by container id and the trait's name. It
// tells whether something has changed, and nothing else.
type Portrait map[string]map[string]string

// Attempt is a deployment that is about to be applied.
type Attempt struct {
	Stack      core.StackID
	Project    string
	Revision   int
	Commit     core.Commit
	Deployment core.DeploymentID
	Content    []core.Content
}

// tried returns the record with an attempt on its way.
func (r Record) tried(a Attempt) Record {
	r.Stack, r.Project, r.Trying = a.Stack, a.Project, a.Revision
	r.Content = maps.Clone(r.Content)
	if r.Content == nil {
		r.Content = map[int][]string{}
	}
	digests := make([]string, 0, len(a.Content))
	for _, c := range a.Content {
		digests = append(digests, c.Digest)
	}
	r.Content[a.Revision] = digests
	return r
}

// applied returns the record after the attempt was applied.
func (r Record) applied(a Attempt, at time.Time) Record {
	if r.Revision != a.Revision {
		r.Previous = r.Revision
	}
	r.Revision, r.Commit, r.Deployment, r.Trying, r.At = a.Revision, a.Commit, a.Deployment, 0, at
	return r
}

// ended returns the record after a deployment has ended. A portrait is of what was verified;
// nil leaves the one that there is.
func (r Record) ended(portrait Portrait, running []int) Record {
	if portrait != nil {
		r.Portrait, r.Touched, r.Stopped, r.Halted = portrait, false, nil, nil
	}
	return r.trimmed(running)
}

// stopped returns the record after somebody has ended a container. Whom a deployment may have
// ended that is under way, or was not verified, nobody knows.
func (r Record) stopped(container string) Record {
	if _, known := r.Portrait[container]; known && !r.Touched && !slices.Contains(r.Stopped, container) {
		r.Stopped = append(slices.Clone(r.Stopped), container)
	}
	return r
}

// runs returns the record after containers were started, or have gone.
func (r Record) runs(containers []string) Record {
	named := func(id string) bool { return slices.Contains(containers, id) }
	r.Stopped = slices.DeleteFunc(slices.Clone(r.Stopped), named)
	r.Halted = slices.DeleteFunc(slices.Clone(r.Halted), named)
	return r
}

// halted returns the record before somebody stops containers through the hub.
func (r Record) halted(containers []string) Record {
	for _, id := range containers {
		if _, known := r.Portrait[id]; known && !slices.Contains(r.Halted, id) {
			r.Halted = append(slices.Clone(r.Halted), id)
		}
	}
	return r
}

// trimmed returns the record without the content of revisions that nothing needs: not
// the last or the previous one, none that is being tried, and none of running, the revisions that
// containers still carry.
func (r Record) trimmed(running []int) Record {
	needed := append([]int{r.Revision, r.Previous, r.Trying}, running...)
	r.Content = maps.Clone(r.Content)
	maps.DeleteFunc(r.Content, func(revision int, _ []string) bool { return !slices.Contains(needed, revision) })
	return r
}
