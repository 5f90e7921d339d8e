package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
)

// commands takes, runs and ends what the hub asks for. The journal says what is known of
// a command, tasks which of them are under way in this process.
//
// Its methods that change what is known (take, cancel, settle, acked) are called by one
// goroutine at a time: the reader of the link in service.
type commands struct {
	// Set once.
	journal *journal.Journal
	box     *outbox.Box
	turns   *turns[core.StackID]
	runs    *turns[core.RunID]
	steps   *steps
	tally   *tally
	log     *slog.Logger
	ended   func(journal.Key) // told when a result is ready to be sent
	late    chan struct{}     // holds a token when a container may be made yet that nobody wants

	life     context.Context // ends when running commands must stop
	stop     context.CancelCauseFunc
	children sync.WaitGroup

	inherited map[journal.Key]bool // ended in an earlier process; owned by that goroutine

	mu       sync.Mutex // guards what follows
	stopping bool
	tasks    map[journal.Key]*task
	recent   *recent
	clearing map[journal.Key]bool   // runs whose containers are being removed
	retold   map[journal.Key]uint64 // runs whose log was read from the container: the last event of that, 0: there was none
}

// task is a command under way: waiting for its turn, or running.
type task struct {
	key    journal.Key
	about  string          // the stack or the run, for the log
	ctx    context.Context // ends with the deadline, or with a cause of faults.go
	cancel context.CancelCauseFunc
	began  time.Time
	resume chan position // of a run: takes where its log goes on after a restart; holds one
}

// answer is what the hub gets for a Command.
type answer struct {
	accepted bool         // it is on the disk
	begin    func()       // to be called once Accepted is on its way, so that no Result overtakes it; nil: nothing is to be done
	refusal  *wire.Result // it will not be done, and nothing was written
}

func newCommands(life context.Context, d *disk, box *outbox.Box, s *steps, t *tally, log *slog.Logger) *commands {
	c := &commands{
		journal: d.journal, box: box, turns: newTurns[core.StackID](maxParallel, maxQueued), runs: newTurns[core.RunID](maxRuns, maxRunsQueued), steps: s, tally: t, log: log,
		tasks: map[journal.Key]*task{}, recent: newRecent(), inherited: map[journal.Key]bool{}, clearing: map[journal.Key]bool{}, retold: map[journal.Key]uint64{},
		late: make(chan struct{}, 1),
	}
	for _, e := range d.journal.Entries() {
		c.inherited[e.Key] = e.Result != nil
	}
	c.life, c.stop = context.WithCancelCause(life)
	s.life = c.life
	return c
}

// take takes a command on: what is known is answered, what is new is journaled, and has its
// place in the queue. When it returns accepted the command is on the disk.
func (c *commands) take(cmd wire.Command) answer {
	key := journal.Key{ID: cmd.ID, Attempt: cmd.Attempt}
	if c.isStopping() {
		return answer{} // the hub sends it again on the next link
	}
	if newest := c.newestAttempt(cmd.ID); newest > cmd.Attempt {
		c.log.Warn("an older attempt of a command came late and is ignored", "command", cmd.ID, "attempt", cmd.Attempt, "newest", newest)
		return answer{}
	}
	entry, journaled := c.journal.Get(key)
	digest := digestOf(cmd)
	if journaled && entry.Digest != "" && entry.Digest != digest {
		c.log.Warn("a command was delivered again with another body", "command", cmd.ID, "attempt", cmd.Attempt)
	}
	if c.known(key) || entry.Result != nil {
		return answer{accepted: true}
	}
	c.supersede(key)
	ticket := c.turnFor(cmd)
	if ticket == nil {
		return c.refuse(key, errBusy)
	}
	if !journaled {
		entry = entryFor(cmd, digest, c.steps.now())
		if err := c.journal.Received(entry); err != nil {
			ticket.done()
			return c.refuse(key, diskFault(err))
		}
	}
	return answer{accepted: true, begin: func() { c.start(key, newWork(cmd, entry), ticket) }}
}

// turnFor takes the place in the queue that a command gets; nil when there is none.
func (c *commands) turnFor(cmd wire.Command) turn {
	switch {
	case cmd.Run != nil:
		return c.runs.take(cmd.Run.Run)
	case cmd.Deploy != nil:
		return c.turns.take(cmd.Deploy.Stack)
	case cmd.Teardown != nil:
		return c.turns.take(cmd.Teardown.Stack)
	}
	return c.turns.take("") // steps.run says what is wrong with it
}

func (c *commands) refuse(key journal.Key, err error) answer {
	c.log.Error("a command was refused", "command", key.ID, "attempt", key.Attempt, "error", err)
	return answer{refusal: &wire.Result{ID: key.ID, Attempt: key.Attempt, Status: wire.ResultFailed,
		Code: fault.CodeOf(err), Error: publicText(err), Phases: []wire.PhaseEvent{}}}
}

// known reports whether a command is under way, or ended a short while ago.
func (c *commands) known(key journal.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ended := c.recent.results[key]
	return ended || c.tasks[key] != nil
}

func (c *commands) newestAttempt(id core.CommandID) int {
	newest := 0
	for _, e := range c.journal.Entries() {
		if e.ID == id {
			newest = max(newest, e.Attempt)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(newest, c.recent.newest(id))
}

// supersede stops older attempts of a command, and forgets those that did not end.
func (c *commands) supersede(key journal.Key) {
	for _, e := range c.journal.Entries() {
		if e.ID == key.ID && e.Attempt < key.Attempt && e.Result == nil {
			c.forget(e.Key, errSuperseded)
		}
	}
}

// start begins the task, unless the worker is stopping: then the command waits in the
// journal.
func (c *commands) start(key journal.Key, w *work, ticket turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		ticket.done()
		return
	}
	ctx, cancel := context.WithCancelCause(c.life)
	release := context.CancelFunc(func() {})
	t := &task{key: key, about: w.about(), cancel: cancel, began: time.Now()}
	if w.run == nil {
		ctx, release = context.WithTimeout(ctx, time.Duration(w.cmd.Seconds)*time.Second)
	} else {
		w.run.start, release = context.WithTimeout(ctx, w.run.StartBy.Sub(c.steps.now()))
		w.run.tally, t.resume = c.tally, w.run.resume
		w.at(runWaiting)
	}
	t.ctx = ctx
	c.tasks[key] = t
	c.children.Go(func() {
		defer release()
		defer cancel(nil)
		c.run(t, w, ticket)
	})
}

// result returns how a command ended, while that is remembered.
func (c *commands) result(key journal.Key) (wire.Result, bool) {
	e, found := c.journal.Get(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if found && e.Result != nil {
		r := *e.Result
		if last, retold := c.retold[key]; retold {
			r.Events = last // the hub has what else was said, or never will
		}
		return r, true
	}
	r, found := c.recent.results[key]
	return r, found
}

func (c *commands) isStopping() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopping
}

func entryFor(cmd wire.Command, digest string, now time.Time) journal.Entry {
	e := journal.Entry{Key: journal.Key{ID: cmd.ID, Attempt: cmd.Attempt}, Kind: cmd.Kind, Digest: digest}
	switch {
	case cmd.Deploy != nil:
		e.Stack, e.Project, e.Revision = cmd.Deploy.Stack, cmd.Deploy.Project, cmd.Deploy.Revision
	case cmd.Teardown != nil:
		e.Stack, e.Project = cmd.Teardown.Stack, cmd.Teardown.Project
	case cmd.Run != nil:
		e.Run = runEntry(*cmd.Run, cmd.Seconds, now)
	}
	return e
}

// digestOf identifies what a command asks for. The secrets stay out: a digest of a short
// secret would give it away.
func digestOf(cmd wire.Command) string {
	cmd.Epoch, cmd.Seconds = 0, 0
	if cmd.Deploy != nil {
		body := *cmd.Deploy
		body.Secrets = nil
		cmd.Deploy = &body
	}
	if cmd.Run != nil {
		body := *cmd.Run
		body.Secrets = nil
		cmd.Run = &body
	}
	text, err := json.Marshal(cmd)
	if err != nil {
		return "" // a command that came in as JSON goes out as JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
