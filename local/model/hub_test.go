package model

import (
	"context"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/core/wire"
)

// hub is what the hub keeps in memory: all of it is gone with a crash.
type hub struct {
	up      bool
	work    []pipeline
	polling *poll
}

// hubDies is a crash of the hub's process.
func (w *world) hubDies() {
	w.hub = hub{}
	for i := range w.links {
		w.links[i].atHub, w.links[i].toHub = false, nil
		if w.chance(2) {
			w.links[i].toWorker = nil
		}
	}
	w.tell("the hub dies")
}

func (w *world) hubStarts() {
	w.hub = hub{up: true}
	w.must(w.store.AllWorkersLeft(context.Background()))
	w.tell("the hub starts")
}

// hubHears handles the next message of a link.
func (w *world) hubHears(l *link) {
	m := take(&l.toHub)
	w.tell("hub: gets %s %s of host %d, epoch %d", m.kind, m.key, l.host, l.epoch)
	if m.kind != hello && l.epoch < w.newest(l.host) {
		w.fail(4, "the hub handles a %s of epoch %d, the worker's epoch is %d", m.kind, l.epoch, w.newest(l.host))
	}
	switch m.kind {
	case hello:
		w.greet(l, m)
	case accepted:
		w.checkAccepted(l.host, m.key)
		err := w.durable(func() error {
			return w.store.MarkAccepted(context.Background(), w.ids[l.host], m.key.id, m.key.attempt, l.epoch)
		})
		w.mustOr(err, fault.NotFound)
	case results:
		if w.defect == ackBeforeCommit {
			l.tell(message{kind: ack, key: m.key})
		}
		w.hearResult(l, m)
		l.wake = true
		l.tell(message{kind: ack, key: m.key})
	case observed:
		w.must(w.durable(func() error {
			_, err := w.store.SaveObserved(context.Background(), w.ids[l.host], []stacks.Observation{{Stack: w.stack, Containers: m.containers}}, true, w.tick())
			return err
		}))
	}
}

// greet raises the epoch, settles the journal, and ends older links of the worker.
func (w *world) greet(l *link, m message) {
	worker := w.ids[l.host]
	var epoch uint64
	w.must(w.durable(func() (err error) {
		epoch, err = w.store.WorkerConnected(context.Background(), worker, fleet.Facts{Hostname: "host"})
		return err
	}))
	open, err := w.store.OpenCommands(context.Background(), worker)
	w.must(err)
	w.checkJournal(open, m.journal)
	answer := message{kind: welcome, epoch: epoch}
	for _, e := range m.journal {
		do := wire.SettleForget
		is := func(c stacks.Command) bool { return c.ID == e.ID && c.Attempt == e.Attempt }
		switch {
		case slices.ContainsFunc(open, is):
			do = wire.SettleRun
			if e.State == wire.JournalResult {
				l.ended = append(l.ended, key{e.ID, e.Attempt})
			}
		case e.State == wire.JournalResult:
			do = wire.SettleAcknowledged
		}
		answer.settle = append(answer.settle, wire.Instruction{ID: e.ID, Attempt: e.Attempt, Do: do})
	}
	l.tell(answer)
	for i := range w.links {
		if other := &w.links[i]; other != l && other.host == l.host && other.epoch > 0 && w.defect != epochIgnored {
			other.atHub, other.toHub = false, nil
		}
	}
	l.epoch, l.wake = epoch, true
}

// noticed is the hub finding out that a worker has gone.
func (w *world) noticed(l *link) {
	w.tell("hub: the link of host %d, epoch %d, is over", l.host, l.epoch)
	l.atHub = false
	w.must(w.durable(func() error { return w.store.WorkerLeft(context.Background(), w.ids[l.host], l.epoch) }))
}

// hearResult checks what a result may tell, and what may follow from it.
func (w *world) hearResult(l *link, m message) {
	c, err := w.store.Command(context.Background(), w.ids[l.host], m.key.id)
	w.mustOr(err, fault.NotFound)
	if open(c, err) {
		w.checkEnded(l.host, m.key)
	}
	before := w.data.conn.writes
	w.result(l, m)
	if !open(c, err) && w.data.conn.writes != before {
		w.fail(2, "the result of %s counts again", m.key)
	}
	if w.random.IntN(4) == 0 { // also at the end
		w.tell("host %d: the result comes again", l.host)
		l.toHub = append(l.toHub, m)
	}
}

// result closes a command. What was closed before is only acknowledged again.
func (w *world) result(l *link, m message) {
	ctx := context.Background()
	c, err := w.store.Command(ctx, w.ids[l.host], m.key.id)
	if w.mustOr(err, fault.NotFound); err != nil || c.Attempt != m.key.attempt {
		return
	}
	over := c.State != stacks.CommandQueued && c.State != stacks.CommandSent && c.State != stacks.CommandAccepted
	if over && w.defect != repeatedResultCounts {
		return
	}
	if c.Kind == stacks.CommandTeardown {
		problem := ""
		if m.result.status != wire.ResultSucceeded {
			problem, w.spoilt = "it did not work", true
		}
		w.mustOr(w.durable(func() error { return w.store.EndTeardown(ctx, c, problem, w.tick()) }), fault.NotFound)
		return
	}
	d, err := w.store.Deployment(ctx, c.Deployment)
	if w.must(err); d.State.Ended() {
		return
	}
	o := stacks.Outcome{Deployment: d.ID, Command: c.ID, Phases: d.Phases, Containers: m.result.containers}
	if w.defect == repeatedResultCounts {
		o.Command = ""
	}
	switch m.result.status {
	case wire.ResultSucceeded:
		o.State = stacks.DeploymentSucceeded
		if m.result.revision != c.Body.Revision && w.defect != activeWithoutVerify {
			o.State = stacks.DeploymentFailed
		} else if c.Body.Restore && w.defect != restoreIsSuccess {
			o.State = stacks.DeploymentRolledBack
		}
	case wire.ResultCancelled:
		o.State = stacks.DeploymentCancelled
	case wire.ResultUnknown:
		o.State = stacks.DeploymentLost
	default:
		o.State = stacks.DeploymentFailed
	}
	if m.result.began && !stacks.Began(o.Phases) {
		o.Phases = append(slices.Clone(o.Phases), stacks.Phase{Name: stacks.PhaseApply, State: stacks.PhaseSucceeded})
	}
	w.endDeployment(o)
}

// endDeployment closes a deployment, or begins its restore.
func (w *world) endDeployment(o stacks.Outcome) (ended bool) {
	o.At = w.tick()
	if o.State != stacks.DeploymentSucceeded && o.State != stacks.DeploymentRolledBack {
		o.ErrorCode, o.Error = "engine.unhealthy", "it did not work"
	}
	w.must(w.durable(func() error {
		ending, err := w.store.EndDeployment(context.Background(), o, nil)
		ended = ending.Ended
		return err
	}))
	w.tell("hub: %s ends %s: %v", o.Deployment, o.State, ended)
	return ended
}

// deliver sends the commands that were not sent on this link yet.
func (w *world) deliver(l *link) {
	ctx := context.Background()
	l.wake = false
	open, err := w.store.OpenCommands(ctx, w.ids[l.host])
	w.must(err)
	for _, c := range open {
		k := key{c.ID, c.Attempt}
		if c.Epoch == l.epoch || slices.Contains(l.ended, k) {
			continue
		}
		m := message{kind: deliver, key: k, command: command{kind: c.Kind, deployment: c.Deployment, revision: c.Body.Revision, recreate: c.Body.Options.RecreateContainers}}
		if c.Kind == stacks.CommandDeploy {
			rev, err := w.store.Revision(ctx, c.Stack, c.Body.Revision)
			w.must(err)
			m.command.commit = numberOf(rev.Commit)
		}
		err := w.durable(func() error {
			_, err := w.store.MarkSent(ctx, w.ids[l.host], c.ID, l.epoch)
			return err
		})
		if w.mustOr(err, fault.NotFound); err == nil {
			w.tell("hub: sends %s %s to host %d, epoch %d", c.Kind, k, l.host, l.epoch)
			l.tell(m)
		}
	}
}

// must ends the schedule when the store refuses what it may not refuse.
func (w *world) must(err error) {
	if err != nil {
		w.fail(0, "the store says %v", err)
	}
}

// mustOr is must for calls that may be refused in one way.
func (w *world) mustOr(err error, kind fault.Kind) {
	if err != nil && !fault.Is(err, kind) {
		w.must(err)
	}
}

// worker tells which host a worker's identifier stands for.
func (w *world) hostOf(id core.WorkerID) int { return slices.Index(w.ids[:], id) }
