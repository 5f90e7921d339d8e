package ui

import (
	"context"
	"net/http"
	"slices"
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
	RotationReader
	RevisionFinder
	FolderJobs
	ProposalReader
	// Decisions lists why a stack was deployed or not, newest first.
	Decisions(ctx context.Context, stack core.StackID, ask core.Page) (core.List[stacks.Decision], error)
}

const (
	shownDeployments = 10
	shownDecisions   = 8
)

type stackShowPage struct {
	Head        stackHead
	Notices     stackNotices
	Facts       stackFacts
	Services    []serviceLine
	Measured    bool // what some of them use is known
	Graph       serviceGraph
	Jobs        stackJobs
	Retry       moment // when what failed is tried again by itself; empty: it is not
	Stands      bool   // it is tried again when something that may mend it has changed
	Untouched   bool   // what runs was not touched by what failed last
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
	Unheard                    bool // nobody knows whether the worker is there: the same holds
	Tags                       []string
	Revision                   int    // that ran well last
	Commit                     string // of it
	Unverified                 int    // revision of which a part may run since: its deployment failed or was cancelled; 0: none
	Unclear                    bool   // what runs was not verified since
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
func Stack(reader StackReader, repositories RepositoryFinder, workers WorkerFinder, teller UsageTeller, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := reader.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		page, err := showStack(r.Context(), reader, s, now())
		if err != nil {
			return err
		}
		unverified, unclear := page.Facts.Unverified, page.Facts.Unclear
		page.Facts, err = factsOf(r.Context(), s, newNames(repositories, workers))
		page.Facts.Unverified, page.Facts.Unclear = unverified, unclear
		if err != nil {
			return err
		}
		if len(s.Containers) > 0 && !page.Facts.Away && !page.Facts.Unheard {
			page.put(usageOf(r.Context(), teller, s, now()))
		}
		f := newFrame(r, inStacks, s.Name, crumb{"Stacks", "/stacks"})
		return stackShowView.write(w, r, http.StatusOK, f.following(underWay(s)), page)
	})
}

// put adds what compose services use.
func (p *stackShowPage) put(usage map[string][]usageLine) {
	for i, l := range p.Services {
		p.Services[i].Usage = usage[l.Name]
		p.Measured = p.Measured || len(usage[l.Name]) > 0
	}
}

func stackIn(r *http.Request) core.StackID { return core.StackID(r.PathValue("id")) }

// underWay reports whether something happens to the stack just now.
func underWay(s stacks.Stack) bool {
	return s.Deleting || s.Status == stacks.StatusPending || s.Status == stacks.StatusSyncing
}

func showStack(ctx context.Context, reader StackReader, s stacks.Stack, now time.Time) (stackShowPage, error) {
	page := stackShowPage{Observed: at(s.ObservedAt, now), Retry: at(s.RetryAt, now), Stands: s.Stands()}
	deployments, err := reader.Deployments(ctx, stacks.DeploymentFilter{Stack: s.ID}, core.Page{Limit: shownDeployments})
	if err != nil {
		return page, err
	}
	if deployments.Next != "" {
		page.All = deploymentsHref(s.ID)
	}
	for i, stripe := range stripes(deployments.Items) {
		line := lineOf(deployments.Items[i], now, hubIn(ctx))
		line.Stripe = stripe
		page.Deployments.Lines, page.Deployments.Drawn = append(page.Deployments.Lines, line), page.Deployments.Drawn || stripe.Text != ""
	}
	page.Head = headOf(s, deployments.Items, tabOverview)
	page.Facts.Unverified, page.Facts.Unclear = unverifiedIn(s, deployments.Items)
	page.Untouched = s.Status == stacks.StatusError && s.Revision > 0 && len(deployments.Items) > 0 && deployments.Items[0].Untouched()
	decisions, err := reader.Decisions(ctx, s.ID, core.Page{Limit: shownDecisions})
	if err != nil {
		return page, err
	}
	for _, d := range decisions.Items {
		line := showDecision(d, s.Path, now)
		if i := slices.IndexFunc(deployments.Items, func(of stacks.Deployment) bool { return of.ID == d.Deployment }); d.Deployed && i >= 0 {
			line.Cause = causeWord(deployments.Items[i])
		}
		page.Decisions = append(page.Decisions, line)
	}
	current, err := currentRevision(ctx, reader, s)
	if err != nil {
		return page, err
	}
	if page.Jobs, err = stackJobsOf(ctx, reader, s, current.Manifest, now); err != nil {
		return page, err
	}
	rotation, err := reader.Rotation(ctx, s.ID)
	page.Services, page.Notices = servicesOf(current, s, now), noticesOf(s, current.Manifest, now)
	page.Graph = graphOf(current.Services, page.Services)
	if err != nil {
		return page, err
	}
	gone, proposed, err := reader.FolderProposal(ctx, string(s.ID))
	if proposed {
		page.Notices.Folder = proposalOf(gone, now)
	}
	page.Notices.Rotation, page.Notices.Gate = rotationOf(stackHref(s.ID), rotation, now), gateOf(deployments.Items)
	return page, err
}

// unverifiedIn says whether what runs of a stack was not verified since it was last changed, and which
// revision may run in part; newest are its newest deployments.
func unverifiedIn(s stacks.Stack, newest []stacks.Deployment) (revision int, unclear bool) {
	if s.Status != stacks.StatusError {
		return 0, false
	}
	for _, d := range newest {
		switch {
		case d.State == stacks.DeploymentSucceeded, d.State == stacks.DeploymentRolledBack:
			return 0, false
		case d.State.Ended() && d.Aim.Worker == "" && stacks.Began(d.Phases): // one that was to move the stack changed nothing here
			return d.Revision, true
		}
	}
	return 0, false
}

func showDecision(d stacks.Decision, folder string, now time.Time) decisionLine {
	line := decisionLine{When: at(d.At, now), Deployed: d.Deployed, Cause: triggerWord(d.Trigger), Reason: spelled(d.Reason, folder)}
	if d.Deployment != "" {
		line.Href = deploymentHref(d.Deployment)
	}
	return line
}

// spelled is a reason as a sentence, unless it begins with the stack's folder, which is spelled as it is.
func spelled(reason, folder string) string {
	if folder != "" && strings.HasPrefix(reason, folder) {
		return reason
	}
	return sentence(reason)
}

func factsOf(ctx context.Context, s stacks.Stack, names *names) (stackFacts, error) {
	repository, err := names.repository(ctx, s.Repository)
	if err != nil {
		return stackFacts{}, err
	}
	worker, err := names.worker(ctx, s.Worker)
	return stackFacts{Repository: repository, RepositoryHref: repositoryHref(s.Repository), Folder: folderName(s.Path),
		Worker: worker.Name, Away: worker.Away, Unheard: worker.Unheard, WorkerHref: "/stacks?worker=" + string(s.Worker), Tags: s.WorkerTags, Revision: s.Revision, Commit: s.Commit.Short(), Seen: s.Seen.Short(),
		Automatic: s.AutoSync}, err
}
