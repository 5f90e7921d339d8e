package fleet

import (
	"slices"
	"time"

	"berth/core"
)

// Worker is one registered worker and what it last said about its host.
type Worker struct {
	ID       core.WorkerID
	TokenID  core.WorkerTokenID // the token that its key is bound to
	Hostname string
	Tags     []string // sorted, without repeats
	Version  string   // of the worker's program
	OS       string   // as Go names it: "linux"
	Arch     string   // as Go names it: "amd64"
	Engine   string   // identifies its container engine, which other workers may share; empty: not known
	Runs     bool     // it takes runs of jobs; one of an older release does not
	Epoch    uint64   // raised by every connection and by revocation; older ones are dead
	Revoked  bool
	// Online is what the store knows: a link was made and has not ended, and the hub that holds it is
	// there. A hub that starts marks every worker as gone first.
	Online bool
	// Unheard says that nobody knows whether it is there: the hub that held its link is not heard of, or no hub is.
	Unheard      bool
	UnheardSince time.Time // when the hub that could tell was last heard of; zero while Unheard is false
	ConnectedAt  time.Time // start of the last link; zero: never connected
	LeftAt       time.Time // end of the last link; zero: none has ended
	CreatedAt    time.Time
	Stacks       int        // how many stacks are assigned to it
	Host         HostPolicy // what it last said of its host's policy
	Namesake     bool       // another worker has the same hostname
	Advice       string     // what to do about its release, which is too old or too new; empty: nothing. Only the desk fills it
}

// Label is what people know the worker by: its hostname, and, where another has the same, the end of its identifier.
func (w Worker) Label() string {
	if !w.Namesake || len(w.ID) < labelled {
		return w.Hostname
	}
	return w.Hostname + " (" + string(w.ID[len(w.ID)-labelled:]) + ")"
}

// labelled is how many characters of an identifier tell workers of one host apart.
const labelled = 6

// HasAll reports whether the worker has every one of tags.
func (w Worker) HasAll(tags []string) bool {
	for _, tag := range tags {
		if !slices.Contains(w.Tags, tag) {
			return false
		}
	}
	return true
}

// Facts are what a worker says about itself, when it registers and on each link.
type Facts struct {
	Hostname string
	Tags     []string
	Version  string
	OS       string
	Arch     string
	Engine   string     // identifies its container engine; empty: not known, as at registration
	Runs     bool       // it takes runs of jobs; false at registration
	Host     HostPolicy // what its host allows and narrows; zero at registration
}

// facts returns what is stored of the worker's own words.
func (w Worker) facts() Facts {
	return Facts{Hostname: w.Hostname, Tags: w.Tags, Version: w.Version, OS: w.OS, Arch: w.Arch}
}

// equal compares what a worker says when it registers.
func (f Facts) equal(other Facts) bool {
	return f.Hostname == other.Hostname && slices.Equal(f.Tags, other.Tags) &&
		f.Version == other.Version && f.OS == other.OS && f.Arch == other.Arch
}

// Token is what is kept of a worker token. Its text is shown once and never stored.
type Token struct {
	ID        core.WorkerTokenID
	Name      string // for people; may be empty
	CreatedAt time.Time
	ExpiresAt time.Time     // end of the time for the first registration; means nothing once bound
	Worker    core.WorkerID // the worker that it is bound to; empty: not used yet
	Revoked   bool
}

// Filter says which workers a list holds. A nil or empty field does not filter.
type Filter struct {
	Online  *bool
	Revoked *bool
	Tag     string
	Search  string // part of the host name, in any case; empty: any
}
