package ui

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackReader reads all that a stack's page shows.
type StackReader interface {
	StackFinder
	DeploymentLister
	// Decisions lists why a stack was deployed or not, newest first.
	Decisions(ctx context.Context, stack core.StackID, ask core.Page) (core.List[stacks.Decision], error)
	// Revision returns one revision. NotFound "revision.not_found".
	Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error)
}

const (
	shownDeployments = 10
	shownDecisions   = 8
)

// stackHead is the top of every page about one stack.
type stackHead struct {
	Name     string
	Href     string
	Badge    badge
	Why      string // status and reason, as a sentence
	WhyHref  string // where the reason is found; empty: nowhere else
	WhyWord  string // what that link says
	Manual   bool
	Deleting bool
	Tabs     []tab
}

type stackShowPage struct {
	Head        stackHead
	Facts       stackFacts
	Services    []serviceLine
	Observed    moment // since when the services are as they are shown
	Deployments deploymentTable
	All         string // address of all deployments; empty: all are shown here
	Decisions   []decisionLine
}

type stackFacts struct {
	Repository, RepositoryHref string
	Folder                     string
	Worker, WorkerHref         string
	Away                       bool // the worker is offline: what is shown is how it was last seen
	Tags                       []string
	Revision                   int
	Commit                     string
	Seen                       string // the newest commit that was looked at
	Automatic                  bool
}

type decisionLine struct {
	When     moment
	Deployed bool
	Cause    string
	Reason   string
	Href     string // the deployment; empty: none
}

var stackShowView = newView[stackShowPage]("stack_show.html")

// Stack shows one stack: how it is and why, what runs, what was done.
func Stack(reader StackReader, repositories RepositoryFinder, workers WorkerFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := reader.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		page, err := showStack(r.Context(), reader, s, now())
		if err != nil {
			return err
		}
		page.Facts, err = factsOf(r.Context(), s, newNames(repositories, workers))
		if err != nil {
			return err
		}
		f := newFrame(r, inStacks, s.Name, crumb{"Stacks", "/stacks"})
		return stackShowView.write(w, r, http.StatusOK, f.following(underWay(s)), page)
	})
}

func stackIn(r *http.Request) core.StackID { return core.StackID(r.PathValue("id")) }

// underWay reports whether something happens to the stack just now.
func underWay(s stacks.Stack) bool {
	return s.Deleting || s.Status == stacks.StatusPending || s.Status == stacks.StatusSyncing
}

func showStack(ctx context.Context, reader StackReader, s stacks.Stack, now time.Time) (stackShowPage, error) {
	page := stackShowPage{Observed: at(s.ObservedAt, now)}
	deployments, err := reader.Deployments(ctx, s.ID, core.Page{Limit: shownDeployments})
	if err != nil {
		return page, err
	}
	if deployments.Next != "" {
		page.All = deploymentsHref(s.ID)
	}
	for _, d := range deployments.Items {
		page.Deployments.Lines = append(page.Deployments.Lines, lineOf(d, now))
	}
	page.Head = headOf(s, deployments.Items, tabOverview)
	decisions, err := reader.Decisions(ctx, s.ID, core.Page{Limit: shownDecisions})
	if err != nil {
		return page, err
	}
	for _, d := range decisions.Items {
		page.Decisions = append(page.Decisions, showDecision(d, s.Path, now))
	}
	page.Services, err = servicesOf(ctx, reader, s, now)
	return page, err
}

func showDecision(d stacks.Decision, folder string, now time.Time) decisionLine {
	line := decisionLine{When: at(d.At, now), Deployed: d.Deployed, Cause: triggerWord(d.Trigger), Reason: d.Reason}
	if folder == "" || !strings.HasPrefix(d.Reason, folder) { // which is spelled as it is
		line.Reason = sentence(d.Reason)
	}
	if d.Deployment != "" {
		line.Href = deploymentHref(d.Deployment)
	}
	return line
}

func factsOf(ctx context.Context, s stacks.Stack, names *names) (stackFacts, error) {
	repository, err := names.repository(ctx, s.Repository)
	if err != nil {
		return stackFacts{}, err
	}
	worker, err := names.worker(ctx, s.Worker)
	return stackFacts{Repository: repository, RepositoryHref: repositoryHref(s.Repository), Folder: folderName(s.Path),
		Worker: worker.Name, Away: worker.Away, WorkerHref: "/stacks?worker=" + string(s.Worker), Tags: s.WorkerTags, Revision: s.Revision, Commit: s.Commit.Short(), Seen: s.Seen.Short(),
		Automatic: s.AutoSync}, err
}

// The pages about one stack.
const (
	tabOverview  = "Overview"
	tabVariables = "Variables"
	tabSettings  = "Settings"
)

// headOf makes the top of a page about a stack; newest are its newest deployments, if known.
func headOf(s stacks.Stack, newest []stacks.Deployment, current string) stackHead {
	h := stackHead{Name: s.Name, Href: stackHref(s.ID), Badge: stackBadge(s), Manual: !s.AutoSync, Deleting: s.Deleting}
	h.Why = whyStack(s)
	if len(newest) > 0 && s.Status != stacks.StatusActive {
		last := newest[0]
		switch {
		case !last.State.Ended():
			h.WhyHref, h.WhyWord = deploymentHref(last.ID), "Watch the deployment"
			h.Why = whyOpen(last)
		case last.State == stacks.DeploymentFailed || last.State == stacks.DeploymentLost || last.State == stacks.DeploymentRolledBack:
			h.WhyHref, h.WhyWord = deploymentHref(last.ID), "See what happened"
		}
	}
	for _, t := range []struct{ word, path string }{{tabOverview, ""}, {tabVariables, "/variables"}, {tabSettings, "/settings"}} {
		h.Tabs = append(h.Tabs, tab{Word: t.word, Href: h.Href + t.path, Current: t.word == current})
	}
	return h
}

// whyStack says in a sentence how a stack is.
func whyStack(s stacks.Stack) string {
	switch {
	case s.Deleting:
		return "Its containers are being taken down; then it is removed."
	case s.Error != "":
		return sentence(s.Error)
	}
	text := map[stacks.Status]string{
		stacks.StatusNew:      "It was not deployed yet.",
		stacks.StatusPending:  "A deployment waits for its turn.",
		stacks.StatusSyncing:  "A deployment is being put in place.",
		stacks.StatusActive:   fmt.Sprintf("Revision %d runs as it should.", s.Revision),
		stacks.StatusDegraded: "Something of it does not run as it should.",
		stacks.StatusError:    "The last deployment failed.",
		stacks.StatusPaused:   "Nothing is deployed until somebody resumes it.",
	}[s.Status]
	if s.OutOfSync && !s.AutoSync && s.Status != stacks.StatusNew {
		text += " A newer commit waits: automatic sync is off."
	}
	return text
}

// whyOpen says what an open deployment is at, or waits for.
func whyOpen(d stacks.Deployment) string {
	for i := len(d.Phases) - 1; i >= 0; i-- {
		p := d.Phases[i]
		if p.State == stacks.PhaseRunning && p.Message != "" {
			return sentence(p.Message)
		}
		if p.State == stacks.PhaseRunning {
			return phaseWords[p.Name] + "."
		}
	}
	return whyStack(stacks.Stack{Status: map[bool]stacks.Status{true: stacks.StatusPending, false: stacks.StatusSyncing}[d.State == stacks.DeploymentQueued]})
}
