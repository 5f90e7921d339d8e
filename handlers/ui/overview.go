package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// OverviewReader reads what the overview shows of stacks and jobs.
type OverviewReader interface {
	OverviewJobs
	StackFinder
	NameTeller
	StackLister
	DeploymentLister
	DeploymentTallier
	// LastDeployments returns the newest deployment of each of these stacks, of those that have one.
	LastDeployments(ctx context.Context, ids []core.StackID) (map[core.StackID]stacks.Last, error)
	FleetReader
	FleetLoader
	FolderTeller
	// Room reports whether there is room on the server's disk to begin something new.
	Room() bool
}

// overviewDeployments is how many of the newest deployments are listed.
const overviewDeployments = 8

type overviewPage struct {
	Steps       []step // by which a new installation is led to its first healthy stack; none once there was one
	Hidden      bool   // there are steps, but the reader does not want to see them
	Full        bool   // the server's disk is
	Summary     string
	Tone        string
	Needs       []need
	Total       int
	Stacks      string    // Segments in words
	Segments    []segment // stacks by status
	Activity    activity
	Deployments deploymentTable
	Jobs        jobsPicture
	Fleet       fleetPicture
	Load        loadPicture
}

var overviewView = newView[overviewPage]("overview.html")

// Overview shows what needs somebody first, then how everything is. An empty installation is led
// by the hand instead.
func Overview(reader OverviewReader, workers WorkerLister, repositories RepositoryLister, server OverviewServer, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		o := overview{ctx: r.Context(), reader: reader, now: now()}
		page, err := o.page(workers, repositories, server)
		if err != nil {
			return err
		}
		if err := o.putSteps(&page, endpoint.StepsHidden(r)); err != nil {
			return err
		}
		busy := len(page.Steps) > 0 // every step that is taken shows at once
		for _, s := range page.Segments {
			busy = busy || s.Tone == "busy"
		}
		for _, j := range page.Jobs.Lines {
			busy = busy || j.Last.Badge.Tone == "busy"
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
	standings    map[jobs.Standing]int
	presence     fleet.Presence
	repositories int
}

func (o *overview) page(workers WorkerLister, repositories RepositoryLister, server OverviewServer) (page overviewPage, err error) {
	if o.counts, err = o.reader.StackCounts(o.ctx); err != nil {
		return page, err
	}
	for _, n := range o.counts {
		page.Total += n
	}
	page.Segments = segmentsOf(o.counts)
	page.Stacks = stacksInWords(page.Segments, page.Total)
	needs, err := o.stackNeeds()
	if err != nil {
		return page, err
	}
	if o.standings, err = o.reader.JobCounts(o.ctx); err != nil {
		return page, err
	}
	ofJobs, err := o.jobNeeds()
	if err != nil {
		return page, err
	}
	needs = append(needs, ofJobs...)
	if o.presence, err = o.reader.Presence(o.ctx); err != nil {
		return page, err
	}
	missed, err := o.reader.AwayWorkers(o.ctx, true, maxNeeds+1)
	if err != nil {
		return page, err
	}
	needs = append(needs, o.awayNeeds(missed)...)
	known, err := repositories.Repositories(o.ctx, core.Page{Limit: core.MaxPage})
	if err != nil {
		return page, err
	}
	o.repositories = len(known.Items)
	page.Needs = append(needs, repositoryNeeds(known.Items, o.now)...)
	gone, err := o.reader.FolderProposals(o.ctx, "", maxNeeds)
	if err != nil {
		return page, err
	}
	ofServer, err := server.needs(o)
	if err != nil {
		return page, err
	}
	page.Needs = append(append(page.Needs, goneNeeds(gone, o.now)...), ofServer...)
	if err := o.putFleet(&page, workers); err != nil {
		return page, err
	}
	if err := o.putLoad(&page); err != nil {
		return page, err
	}
	page.Summary, page.Tone = summarise(page.Needs, page.Total, o.counts)
	if page.Total == 0 && len(o.standings) > 0 && len(page.Needs) == 0 {
		page.Summary, page.Tone = "Nothing needs you.", "ok"
	}
	if page.Full = !o.reader.Room(); page.Full {
		page.Summary, page.Tone = "The server's disk is full.", "bad"
	}
	if hubIn(o.ctx).Away {
		page.Summary, page.Tone = "The hub is away.", "bad"
	}
	if err := o.putActivity(&page); err != nil {
		return page, err
	}
	if err := o.putJobs(&page); err != nil {
		return page, err
	}
	return page, o.putDeployments(&page)
}

func (o *overview) putDeployments(page *overviewPage) error {
	list, err := o.reader.Deployments(o.ctx, stacks.DeploymentFilter{}, core.Page{Limit: overviewDeployments})
	if err != nil {
		return err
	}
	page.Deployments.Stacks = true
	page.Deployments.Lines, err = linesOf(o.ctx, o.reader, list.Items, o.now)
	return err
}

// summarise says in a sentence how everything is.
func summarise(needs []need, total int, counts map[stacks.Status]int) (text, tone string) {
	busy := counts[stacks.StatusSyncing] + counts[stacks.StatusPending]
	n, more := countOf(needs)
	switch {
	case len(needs) > 0 && !slices.ContainsFunc(needs, func(n need) bool { return n.Tone != "idle" }):
		return "Nothing is wrong; what somebody paused waits.", "idle"
	case more:
		return fmt.Sprintf("More than %d things need you.", n), "bad"
	case n == 1:
		return "One thing needs you.", "bad"
	case n > 1:
		return fmt.Sprintf("%d things need you.", n), "bad"
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

func segmentsOf(counts map[stacks.Status]int) []segment {
	var segments []segment
	for _, status := range stacks.Statuses {
		b := badgeOf(statusBadges, status)
		segments = append(segments, segment{Word: b.Word, Tone: b.Tone, Icon: b.Icon, Href: "/stacks?status=" + string(status), Count: counts[status]})
	}
	return sharesOf(segments)
}

func stacksInWords(segments []segment, total int) string {
	return fmt.Sprintf("Stacks by status: %d in all, %s.", total, segmentsInWords(segments))
}
