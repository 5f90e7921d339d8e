package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// OverviewReader reads what the overview shows of stacks.
type OverviewReader interface {
	StackFinder
	StackLister
	DeploymentLister
	HubWatcher
	// Room reports whether there is room on the server's disk to begin something new.
	Room() bool
}

const (
	overviewDeployments = 8  // lines
	overviewBars        = 40 // deployments in the picture
	overviewWorkers     = 12
)

type overviewPage struct {
	Steps       []step // by which an empty installation is led; none once there is a stack
	Full        bool   // the server's disk is
	Hub         hubNotice
	Summary     string
	Tone        string
	Needs       []need
	Total       int
	Segments    []segment
	Bars        barChart
	Deployments deploymentTable
	Workers     []workerLine
	MoreWorkers int
	Online      int
}

// step is one of the way from nothing to a first stack.
type step struct {
	Word, Text   string
	Done, Now    bool
	Action, Href string
	May          bool // the one who looks may take it
}

// segment is the share of the stacks that have one status, on a line of 1000.
type segment struct {
	Word, Tone, Icon, Href string
	Count, X, W            int
}

var overviewView = newView[overviewPage]("overview.html")

// Overview shows what needs somebody first, then how everything is. An empty installation is led
// by the hand instead.
func Overview(reader OverviewReader, workers WorkerLister, repositories RepositoryLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		o := overview{ctx: r.Context(), reader: reader, now: now()}
		page, err := o.page(workers, repositories)
		if err != nil {
			return err
		}
		busy := false
		if page.Total == 0 {
			p := endpoint.Principal(r.Context())
			page.Steps = o.steps(p.Can(access.Operate), p.Can(access.Administer))
			busy = true // every step that is taken shows at once
		}
		for _, s := range page.Segments {
			busy = busy || s.Tone == "busy"
		}
		return overviewView.write(w, r, http.StatusOK, newFrame(r, inOverview, "Overview").following(busy), page)
	})
}

// overview gathers one overview.
type overview struct {
	ctx          context.Context
	reader       OverviewReader
	now          time.Time
	counts       map[stacks.Status]int
	workers      []fleet.Worker
	repositories int
}

func (o *overview) page(workers WorkerLister, repositories RepositoryLister) (page overviewPage, err error) {
	if o.counts, err = o.reader.StackCounts(o.ctx); err != nil {
		return page, err
	}
	for _, n := range o.counts {
		page.Total += n
	}
	page.Segments = segmentsOf(o.counts, page.Total)
	needs, err := o.stackNeeds()
	if err != nil {
		return page, err
	}
	no := false
	fleet, err := workers.Workers(o.ctx, fleet.Filter{Revoked: &no}, core.Page{Limit: core.MaxPage})
	if err != nil {
		return page, err
	}
	o.workers = fleet.Items
	needs = append(needs, workerNeeds(o.workers, o.now)...)
	known, err := repositories.Repositories(o.ctx, core.Page{Limit: core.MaxPage})
	if err != nil {
		return page, err
	}
	o.repositories = len(known.Items)
	page.Needs = append(needs, repositoryNeeds(known.Items, o.now)...)
	page.Summary, page.Tone = summarise(page.Needs, page.Total, o.counts)
	if page.Full = !o.reader.Room(); page.Full {
		page.Summary, page.Tone = "The server's disk is full.", "bad"
	}
	if page.Hub, err = hubNoticeOf(o.ctx, o.reader, o.now); err != nil {
		return page, err
	}
	if page.Hub.Away {
		page.Summary, page.Tone = "The hub is away.", "bad"
	}
	o.putWorkers(&page)
	return page, o.putDeployments(&page)
}

func (o *overview) putWorkers(page *overviewPage) {
	for i, w := range o.workers {
		if w.Online {
			page.Online++
		}
		if i < overviewWorkers {
			page.Workers = append(page.Workers, workerOf(w, o.now))
		}
	}
	page.MoreWorkers = max(0, len(o.workers)-overviewWorkers)
}

func (o *overview) putDeployments(page *overviewPage) error {
	list, err := o.reader.Deployments(o.ctx, "", core.Page{Limit: overviewBars})
	if err != nil {
		return err
	}
	page.Bars = barsOf(list.Items, o.now)
	page.Deployments.Stacks = true
	page.Deployments.Lines, err = linesOf(o.ctx, o.reader, list.Items[:min(len(list.Items), overviewDeployments)], o.now)
	return err
}

// summarise says in a sentence how everything is.
func summarise(needs []need, total int, counts map[stacks.Status]int) (text, tone string) {
	busy := counts[stacks.StatusSyncing] + counts[stacks.StatusPending]
	switch {
	case len(needs) > 0 && !slices.ContainsFunc(needs, func(n need) bool { return n.Tone != "idle" }):
		return "Nothing is wrong; what somebody paused waits.", "idle"
	case len(needs) == 1:
		return "One thing needs you.", "bad"
	case len(needs) > 1:
		return fmt.Sprintf("%d things need you.", len(needs)), "bad"
	case total == 0:
		return "Nothing is deployed yet.", "idle"
	case busy == 1:
		return "All is well; one stack is being deployed.", "busy"
	case busy > 1:
		return fmt.Sprintf("All is well; %d stacks are being deployed.", busy), "busy"
	case counts[stacks.StatusActive] == total && total == 1:
		return "All is well: the one stack runs as it should.", "ok"
	case counts[stacks.StatusActive] == total:
		return fmt.Sprintf("All is well: %d stacks run as they should.", total), "ok"
	}
	return "Nothing needs you.", "ok"
}

func segmentsOf(counts map[stacks.Status]int, total int) []segment {
	var segments []segment
	x := 0
	for _, status := range statusOrder {
		if counts[status] == 0 {
			continue
		}
		b := badgeOf(statusBadges, status)
		width := 1000 * counts[status] / total
		segments = append(segments, segment{Word: b.Word, Tone: b.Tone, Icon: b.Icon, Href: "/stacks?status=" + string(status), Count: counts[status], X: x, W: width})
		x += width
	}
	return segments
}

// steps leads from nothing to a first stack: the first that is not done is the one to take now.
func (o *overview) steps(operate, administer bool) []step {
	steps := []step{
		{Word: "Add a worker", Text: "A worker runs on each host with Docker and does the deploying. It dials out to this server, so the host needs no open port.",
			Done: len(o.workers) > 0, Action: "Add a worker", Href: "/workers/new", May: administer},
		{Word: "Add a repository", Text: "The Git repository that holds your Compose files. It is read every few seconds.",
			Done: o.repositories > 0, Action: "Add a repository", Href: "/repositories/new", May: operate},
		{Word: "Add a stack", Text: "A folder of the repository with a Compose file. It is deployed at once, and again with every commit that changes it.",
			Action: "Add a stack", Href: "/stacks/new", May: operate},
	}
	for i := range steps {
		if !steps[i].Done {
			steps[i].Now = true
			break
		}
	}
	return steps
}
