package ui

import (
	"context"
	"net/http"
	"slices"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// shownWorkerStacks is how many of its stacks a worker's page lists.
const shownWorkerStacks = 50

type workerShowPage struct {
	Worker      workerLine
	ID          string
	Engine      string // identifies its container engine; empty: not known
	Runs        bool   // it takes runs of jobs
	Registered  moment
	Connected   moment  // start of its last link
	Left        moment  // end of its last link
	Trouble     told    // why nothing is heard of it, and what to do; empty: all is well
	Trends      []trend // of its host; none: nothing was read yet
	Holds       policyHolds
	Deployments deploymentTable
	Table       runTable // of runs; empty: none, or it takes none
	Stacks      []stackLine
	More        string // address of all its stacks; empty: all are shown here
	LeftOut     []string
	Unread      []string // deployments and runs that are stored and cannot be read
}

var workerShowView = newView[workerShowPage]("worker_show.html")

// shownWorkerWork is how many deployments, and how many runs, that are open a worker's page lists, and how many that ended.
const shownWorkerWork = 5

// WorkerStore reads what runs on a worker, what it did, and how its host is.
type WorkerStore interface {
	StackNamer
	ReadingReader
	WorkerHistory
}

// WorkerHistory lists what a worker was given, open first, then newest first, at most limit of each.
type WorkerHistory interface {
	NameTeller
	WorkerDeployments(ctx context.Context, id core.WorkerID, limit int) (core.List[stacks.Deployment], error)
	WorkerRuns(ctx context.Context, id core.WorkerID, limit int) (core.List[jobs.Run], error)
}

// WorkerRules finds a worker, and what holds on it. NotFound "worker.not_found".
type WorkerRules interface {
	WorkerFinder
	Effective(ctx context.Context, id core.WorkerID) (fleet.Effective, error)
}

// Worker shows one worker: what it is, whether it is there, how its host is, what it did and may do, and its stacks.
func Worker(finder WorkerRules, store WorkerStore, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		rules, err := finder.Effective(r.Context(), core.WorkerID(r.PathValue("id")))
		if err != nil {
			return err
		}
		worker := rules.Worker
		page := workerShowOf(worker, now())
		page.Holds = holdsOn(rules, policyLayer{From: "This worker’s own", Href: workerPolicyHref(worker.ID), Rules: ruleLines(rules.Own.Rules)})
		if err := page.list(r.Context(), worker, store, now); err != nil {
			return err
		}
		busy, err := page.work(r.Context(), worker.ID, store, now())
		if err != nil {
			return err
		}
		readings, err := store.Readings(r.Context(), worker.ID, now())
		if err != nil {
			return err
		}
		page.Trends = trendsOf(readings, now())
		f := newFrame(r, inWorkers, worker.Label(), crumb{"Workers", "/workers"})
		return workerShowView.write(w, r, http.StatusOK, f.following(busy), page)
	})
}

func workerShowOf(worker fleet.Worker, now time.Time) workerShowPage {
	return workerShowPage{Worker: workerOf(worker, now), ID: string(worker.ID), Engine: worker.Engine, Runs: worker.Runs, Trouble: workerTrouble(worker),
		Registered: at(worker.CreatedAt, now), Connected: at(worker.ConnectedAt, now), Left: at(worker.LeftAt, now)}
}

// list adds the worker's stacks, by name.
func (p *workerShowPage) list(ctx context.Context, worker fleet.Worker, lister StackNamer, now core.Clock) error {
	list, err := lister.Stacks(ctx, stacks.Filter{Worker: worker.ID}, core.Page{Limit: shownWorkerStacks})
	if err != nil {
		return err
	}
	names, err := namesIn(ctx, lister, list.Items)
	if err != nil {
		return err
	}
	p.Stacks, err = stackLines(ctx, list.Items, names, now)
	p.LeftOut = list.LeftOut
	if list.Next != "" {
		p.More = p.Worker.StacksHref
	}
	return err
}

// work adds what the worker was given to do, and reports whether some of it is under way.
func (p *workerShowPage) work(ctx context.Context, id core.WorkerID, store WorkerHistory, now time.Time) (busy bool, err error) {
	deployed, err := store.WorkerDeployments(ctx, id, shownWorkerWork)
	if err != nil {
		return false, err
	}
	ran, err := store.WorkerRuns(ctx, id, shownWorkerWork)
	if err != nil {
		return false, err
	}
	p.Deployments.Stacks, p.Table.Jobs = true, true
	if p.Deployments.Lines, err = linesOf(ctx, store, deployed.Items, now); err != nil {
		return false, err
	}
	p.Table.Lines, err = runLines(ctx, store, true, ran.Items, now)
	p.Unread = append(deployed.LeftOut, ran.LeftOut...)
	return anyOpen(ran.Items) || slices.ContainsFunc(deployed.Items, func(d stacks.Deployment) bool { return !d.State.Ended() }), err
}

// workerTrouble says why nothing is heard of a worker, and what to do about it.
func workerTrouble(worker fleet.Worker) told {
	if worker.Revoked {
		return told{Text: "It was cut off for good: its token and key are refused. What it deployed runs on, unwatched. To use the host again, add it as a new worker."}
	}
	switch worker.Presence() {
	case fleet.IsNever:
		return told{Text: "It registered and has not connected yet. If it stays so:", Items: []string{
			"Read the last lines of the worker's log on its host; a refusal says its reason.", "The host must reach this server's worker port; the host itself needs no open port."}}
	case fleet.IsOffline:
		return told{Text: "It has no link to a hub. Its containers run on, unseen and unchanged, and deployments for it wait. On its host:", Items: []string{
			"Does the host run, and berth-worker on it?", "The last lines of the worker's log say why the link ended.",
			"A host that is gone for good: move its stacks to another worker, then revoke this one."}}
	case fleet.IsUnknown:
		return told{Text: "The hub that held its link is not heard of, so nobody knows whether it is there. Start a hub again; the worker comes back by itself."}
	}
	return told{}
}
