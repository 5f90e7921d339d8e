package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/stacks"
	"berth/core/wire"
)

// The invariants. 0 stands for anything that the store refuses without reason.
var invariants = []string{
	0: "the store takes what the protocol brings",
	1: "nothing that was accepted is lost",
	2: "an effect happens at most once per command and attempt",
	3: "acknowledged means stored",
	4: "an old epoch never writes",
	5: "never active while what was observed differs from what is desired",
	6: "every trigger is covered",
}

// broken is the panic of a schedule that breaks an invariant.
type broken struct {
	invariant int
	text      string
	story     []string
}

func (w *world) fail(invariant int, format string, args ...any) {
	panic(broken{invariant: invariant, text: fmt.Sprintf(format, args...)})
}

// checkAccepted is I3: a command that the worker said it has is in its journal, or was.
func (w *world) checkAccepted(host int, k key) {
	h := &w.hosts[host]
	if h.entry(k) == nil && !slices.Contains(h.recent, k) {
		c, err := w.store.Command(context.Background(), w.ids[host], k.id)
		if open(c, err) {
			w.fail(3, "%s was accepted and is not in the journal", k)
		}
	}
}

// checkEnded is I3: a result that the worker told and that the hub has not stored is in its journal.
func (w *world) checkEnded(host int, k key) {
	if e := w.hosts[host].entry(k); e == nil || e.result == nil {
		w.fail(3, "%s has ended by the worker's word, and the journal does not say so", k)
	}
}

// checkJournal is I3 when a worker comes back: what it accepted is in its journal.
func (w *world) checkJournal(commands []stacks.Command, journal []wire.JournalEntry) {
	for _, c := range commands {
		there := slices.ContainsFunc(journal, func(e wire.JournalEntry) bool { return e.ID == c.ID && e.Attempt == c.Attempt })
		if c.State == stacks.CommandAccepted && !there {
			w.fail(3, "%s was accepted, and the worker comes back without it", key{c.ID, c.Attempt})
		}
	}
}

// checkAcknowledged is I3 in the other direction: a result that was acknowledged is in the store.
func (w *world) checkAcknowledged(host int, k key) {
	if c, err := w.store.Command(context.Background(), w.ids[host], k.id); open(c, err) {
		w.fail(3, "the result of %s was acknowledged and is not stored", k)
	}
}

func open(c stacks.Command, err error) bool {
	return err == nil && (c.State == stacks.CommandQueued || c.State == stacks.CommandSent || c.State == stacks.CommandAccepted)
}

var services = []core.ComposeService{{Name: "web", Stays: true}}

// checkShown is I5. What hands did and nobody has seen yet cannot be shown; what commands did can.
func (w *world) checkShown() {
	if w.data.conn.writes == w.checked {
		return
	}
	w.checked = w.data.conn.writes
	st := w.shown()
	if st.Status != stacks.StatusActive && (st.Status != stacks.StatusPaused || st.Revision == 0) {
		return
	}
	h := &w.hosts[w.hostOf(st.Worker)]
	switch {
	case len(st.Containers) > 1 || slices.ContainsFunc(st.Containers, func(c stacks.ContainerState) bool { return len(c.Changed) > 0 }):
		w.fail(5, "%s, but a hand made or changed what runs: %+v", st.Status, st.Containers)
	case !stacks.JudgeServices(services, st.Containers).OK:
		w.fail(5, "%s, but %s", st.Status, stacks.JudgeServices(services, st.Containers).Reason)
	case h.made.revision != st.Revision:
		w.fail(5, "%s at revision %d, but revision %d was put in place", st.Status, st.Revision, h.made.revision)
	case !h.made.verified:
		w.fail(5, "%s at revision %d, but it was not verified after the last change", st.Status, st.Revision)
	}
}

// shown reads what the stack's row shows, without the rest of it.
func (w *world) shown() (st stacks.Stack) {
	var containers string
	row := w.data.pool.QueryRow(`SELECT status, revision, worker_id, containers FROM stacks WHERE id = ?`, w.stack)
	w.must(row.Scan(&st.Status, &st.Revision, &st.Worker, &containers))
	w.must(json.Unmarshal([]byte(containers), &st.Containers))
	return st
}

// checkEnd is what must hold when everything that was under way has come to rest.
func (w *world) checkEnd() {
	var deploys, commands int
	row := w.data.pool.QueryRow(`SELECT (SELECT count(*) FROM deployments WHERE state IN ('queued', 'running')), (SELECT count(*) FROM commands WHERE ended_at = 0)`)
	if w.must(row.Scan(&deploys, &commands)); deploys > 0 || commands > 0 {
		w.fail(1, "%d deployments and %d commands are open for ever", deploys, commands)
	}
	for i := range w.hosts {
		if n := len(w.hosts[i].journal); n > 0 {
			w.fail(1, "the journal of host %d keeps %d entries for ever", i, n)
		}
	}
	all := w.history()
	for _, p := range w.wishes {
		w.checkWish(p, all)
	}
	st, err := w.store.Stack(context.Background(), w.stack)
	w.must(err)
	w.checkCovered(st)
	w.checkPlace(st)
}

// history reads the stack's deployments, oldest first, as far as it matters.
func (w *world) history() (all []stacks.Deployment) {
	rows, err := w.data.pool.Query(`SELECT id, state, trigger, commit_hash, revision, worker_id, error FROM deployments WHERE stack_id = ? ORDER BY id`, w.stack)
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var d stacks.Deployment
		w.must(rows.Scan(&d.ID, &d.State, &d.Trigger, &d.Commit, &d.Revision, &d.Worker, &d.Error))
		all = append(all, d)
	}
	w.must(rows.Err())
	return all
}

// checkPaths is part of I1: what became of each deployment was written down step by step, and the
// steps lead to where it is.
func (w *world) checkPaths() {
	rows, err := w.data.pool.Query(`SELECT d.id, d.state, d.restore, e.number, e.at, e.from_state, e.to_state, e.cause, e.actor
		FROM deployments d LEFT JOIN deployment_events e ON e.deployment_id = d.id WHERE d.stack_id = ? ORDER BY d.id, e.number`, w.stack)
	w.must(err)
	defer rows.Close()
	var d stacks.Deployment
	var events []stacks.DeploymentEvent
	check := func() {
		if err := coretest.LegalPath(d, events); d.ID != "" && err != nil {
			w.fail(1, "%v", err)
		}
	}
	for rows.Next() {
		var next stacks.Deployment
		var restore string
		var e stacks.DeploymentEvent
		var at int64
		w.must(rows.Scan(&next.ID, &next.State, &restore, &e.Number, &at, &e.From, &e.To, &e.Cause, &e.Actor))
		if next.ID != d.ID {
			check()
			d, events = next, events[:0]
			w.must(json.Unmarshal([]byte(restore), &d.Restore))
		}
		e.At = time.UnixMicro(at)
		events = append(events, e)
	}
	w.must(rows.Err())
	check()
}

// checkWish is I1: a wish ends in a deployment of what it asked for, or newer, or says why not.
func (w *world) checkWish(p wish, all []stacks.Deployment) {
	at := slices.IndexFunc(all, func(d stacks.Deployment) bool { return d.ID == p.deployment })
	d := all[at]
	name := d.ID
	switch d.State {
	case stacks.DeploymentSucceeded:
		if p.aim == (stacks.Aim{}) && numberOf(d.Commit) < p.head || p.aim.Revision > 0 && d.Revision != p.aim.Revision || p.aim.Worker != "" && d.Worker != p.aim.Worker {
			w.fail(1, "%s, asked for when the head was c%d with aim %+v, deployed %s, revision %d, on %s", name, p.head, p.aim, d.Commit, d.Revision, d.Worker)
		}
	case stacks.DeploymentCancelled:
		if !slices.Contains(w.ended, d.ID) {
			w.fail(1, "%s is cancelled, and nobody asked for that", name)
		}
	case stacks.DeploymentSuperseded:
		if at == len(all)-1 && d.Commit == "" {
			w.fail(1, "%s is superseded by nothing", name)
		}
	default:
		if d.Error == "" {
			w.fail(1, "%s is %s and does not say why", name, d.State)
		}
	}
}

// checkCovered is I6: the head is deployed, or the stack says that it is not, and why.
func (w *world) checkCovered(st stacks.Stack) {
	tree := w.tree(w.head())
	held := st.Paused || !st.AutoSync || st.Quarantine.Tree == tree || st.Error != "" || !st.RetryAt.IsZero() || len(w.ended) > 0
	switch {
	case st.Status == stacks.StatusPending || st.Status == stacks.StatusSyncing:
		w.fail(6, "the stack is %s for ever", st.Status)
	case (st.Status == stacks.StatusError || st.Status == stacks.StatusDegraded) && st.Error == "":
		w.fail(6, "the stack is %s and does not say why", st.Status)
	case st.DeployedTree == tree:
	case !held:
		w.fail(6, "the head, c%d of %s, is not deployed, but %q; the stack is %s, seen %s, out of sync %v, quarantine %q", w.head(), tree,
			st.DeployedTree, st.Status, st.SeenTree, st.OutOfSync, st.Quarantine.Tree)
	case !st.OutOfSync && st.Revision > 0:
		w.fail(6, "the head, c%d of %s, is not deployed, but %q, and the stack says that it is in sync", w.head(), tree, st.DeployedTree)
	}
}

// checkPlace looks for what a transfer forgot: nothing of the stack runs where it does not belong.
func (w *world) checkPlace(st stacks.Stack) {
	for i := range w.hosts {
		if h := &w.hosts[i]; w.ids[i] != st.Worker && h.made.revision > 0 && h.box.revision > 0 && !w.spoilt {
			w.fail(1, "the stack was moved to host %d and its container still runs on host %d", w.hostOf(st.Worker), i)
		}
	}
	h := &w.hosts[w.hostOf(st.Worker)]
	if st.Status == stacks.StatusActive && (h.box.revision != st.Revision || h.box.stopped || h.box.changed) {
		w.fail(5, "active at revision %d, but the host has %+v", st.Revision, h.box)
	}
}
