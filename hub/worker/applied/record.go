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
}

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

// trimmed returns the record without the content of revisions that nothing needs: not
// the last or the previous one, none that is being tried, and none of running, the revisions that
// containers still carry.
func (r Record) trimmed(running []int) Record {
	needed := append([]int{r.Revision, r.Previous, r.Trying}, running...)
	r.Content = maps.Clone(r.Content)
	maps.DeleteFunc(r.Content, func(revision int, _ []string) bool { return !slices.Contains(needed, revision) })
	return r
}
