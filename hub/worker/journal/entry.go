package journal

import (
	"slices"
	"time"

	"berth/core"
	"berth/core/wire"
)

// Key is a command's idempotency key.
type Key struct {
	ID      core.CommandID
	Attempt int
}

// Entry is one command that the hub does not yet know the end of.
type Entry struct {
	Key
	Kind     wire.CommandKind
	Stack    core.StackID
	Project  string // Compose project name
	Revision int    // of a deploy; 0 otherwise
	Digest   string // hex SHA-256 of the command without its secrets; tells a repetition from a mix-up
	Starts   int    // how often its execution began; above 0 after a restart: it was interrupted
	Run      *Run   // of a run; nil otherwise
	Launched bool   // the container of the run was about to be started, or is
	Ending   Ending // why the container of the run was about to be stopped, or is; empty: it was not
	Result   *wire.Result
}

// Run is what must be known of a run without its Command: enough to find its container again, and to
// settle it when nobody tells what it was about.
type Run struct {
	ID      core.RunID    `json:"id"`
	Timeout time.Duration `json:"timeout"`
	StartBy time.Time     `json:"start_by"`          // when it is too late to start its container
	Secret  []string      `json:"secret,omitempty"`  // names of the variables that are secrets
	Content []string      `json:"content,omitempty"` // digests of what its container mounts
}

// Ending is why a worker stops the container of a run.
type Ending string

// Why containers are stopped.
const (
	EndCancelled Ending = "cancelled"
	EndTimeout   Ending = "timeout"
)

// State is how the hub is told of the entry.
func (e Entry) State() wire.JournalState {
	if e.Result != nil {
		return wire.JournalResult
	}
	return wire.JournalReceived
}

// ledger is what the records add up to: the entries, in order of receipt.
type ledger struct {
	order   []Key
	entries map[Key]*Entry
}

func newLedger() *ledger { return &ledger{entries: map[Key]*Entry{}} }

// apply adds one record. Records about commands that it does not hold change nothing,
// except a result, which is kept: it says that a command is over before it came.
func (l *ledger) apply(r record) {
	key := Key{r.ID, r.Attempt}
	switch r.Kind {
	case kindReceived:
		l.entry(key).fill(r)
	case kindStarted:
		if e := l.entries[key]; e != nil {
			e.Starts = r.Starts
		}
	case kindLaunched:
		if e := l.entries[key]; e != nil {
			e.Launched = true
		}
	case kindEnding:
		if e := l.entries[key]; e != nil {
			e.Ending = r.Ending
		}
	case kindResult:
		if r.Result != nil {
			l.entry(key).Result = r.Result
		}
	case kindPruned:
		if l.entries[key] != nil {
			delete(l.entries, key)
			l.order = slices.DeleteFunc(l.order, func(k Key) bool { return k == key })
		}
	}
}

func (l *ledger) entry(key Key) *Entry {
	e := l.entries[key]
	if e == nil {
		e = &Entry{Key: key}
		l.entries[key] = e
		l.order = append(l.order, key)
	}
	return e
}

func (e *Entry) fill(r record) {
	e.Kind, e.Stack, e.Project, e.Revision, e.Digest, e.Run = r.Command, r.Stack, r.Project, r.Revision, r.Digest, r.Run
	e.Launched = e.Launched || r.Launched
	if r.Ending != "" {
		e.Ending = r.Ending
	}
	if r.Starts > 0 {
		e.Starts = r.Starts
	}
}

// records returns the fewest records that add up to the ledger.
func (l *ledger) records() []record {
	var out []record
	for _, key := range l.order {
		e := l.entries[key]
		if e.Kind != "" {
			out = append(out, receivedRecord(*e))
		}
		if e.Result != nil {
			out = append(out, record{Kind: kindResult, ID: key.ID, Attempt: key.Attempt, Result: e.Result})
		}
	}
	return out
}

func receivedRecord(e Entry) record {
	return record{
		Kind: kindReceived, ID: e.ID, Attempt: e.Attempt, Command: e.Kind, Stack: e.Stack, Project: e.Project,
		Revision: e.Revision, Digest: e.Digest, Starts: e.Starts, Run: e.Run, Launched: e.Launched, Ending: e.Ending,
	}
}
