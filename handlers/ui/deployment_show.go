package ui

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentReader reads one deployment and its log.
type DeploymentReader interface {
	StackFinder
	// Deployment returns one deployment. NotFound "deployment.not_found".
	Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
	// DeploymentLog returns at most limit pieces of a log that come after the numbered one.
	DeploymentLog(ctx context.Context, id core.DeploymentID, after uint64, limit int) ([]stacks.LogLine, error)
	// DeploymentEvents returns the transitions of a deployment, oldest first.
	DeploymentEvents(ctx context.Context, id core.DeploymentID) ([]stacks.DeploymentEvent, error)
}

type deploymentPage struct {
	Stack, StackHref string
	Badge            badge
	Trouble          told   // why it failed
	Note             string // what else there is to know
	Cancelled        bool
	Waits            string // the worker that it waits for; empty: none
	Restore          restoreNotice
	Broken           brokenService
	Open             bool
	Begun            bool   // it is or was at work, or may be yet: there are phases and a log
	Again            string // what asking once more is called; empty: nothing went wrong
	Cancelling       bool
	CancelHref       string
	CancelledBy      string // who asked to stop it; empty: nobody did
	BeforeHref       string // the deployment that it tries again; empty: it is no retry
	Commit           string
	Revision         int
	RevisionHref     string
	Aim              string
	Worker           string
	Trigger          string
	Actor            string
	Options          string
	Queued           moment
	Took             string
	Unheard          bool // no hub tells how it goes: what is shown is how it was when one was last heard of
	Phases           []phaseLine
	Advice           []string // of lint; none of it stops a deployment
	History          []historyLine
	Log              logView
}

var deploymentView = newView[deploymentPage]("deployment_show.html")

// Deployment shows one deployment: its phases and its log, which the script follows.
func Deployment(reader DeploymentReader, workers WorkerFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		look, err := lookIn(r)
		if err != nil {
			return err
		}
		d, err := reader.Deployment(r.Context(), core.DeploymentID(r.PathValue("id")))
		if err != nil {
			return err
		}
		s, err := reader.Stack(r.Context(), d.Stack)
		if err != nil {
			return err
		}
		page := showDeployment(d, s, now())
		if err := page.putWorkers(r.Context(), newNames(nil, workers), d, s); err != nil {
			return err
		}
		if hubIn(r.Context()).Away {
			page.putUnheard(d)
		}
		// The state was read first: the log of a deployment that had ended is whole.
		pieces, err := reader.DeploymentLog(r.Context(), d.ID, look.after, logPageSize)
		if err != nil {
			return err
		}
		page.Log = logOf(r.Context(), page.logged(d), pieces, deploymentPiece, look)
		if page.Advice, err = adviceOn(r.Context(), reader, d); err != nil {
			return err
		}
		events, err := reader.DeploymentEvents(r.Context(), d.ID)
		if err != nil {
			return err
		}
		page.History = historyOf(events, s.Path, now())
		f := newFrame(r, inStacks, "Deployment of "+s.Name, stackTrail(s)...)
		if !page.Log.Whole {
			f = f.following(true)
		}
		if page.Open {
			f.Reload = 5
		}
		return deploymentView.write(w, r, http.StatusOK, f, page)
	})
}

func (p deploymentPage) logged(d stacks.Deployment) logged {
	return logged{href: deploymentHref(d.ID), open: p.Open, unheard: p.Unheard, began: d.StartedAt, queued: d.QueuedAt}
}

// afterIn reads ?after=, the number of the last piece of a log that was seen; absent is 0.
func afterIn(r *http.Request) (uint64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	after, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "after", Problem: "must be a whole number"}})
	}
	return after, nil
}

func showDeployment(d stacks.Deployment, s stacks.Stack, now time.Time) deploymentPage {
	p := deploymentPage{Stack: s.Name, StackHref: stackHref(s.ID), Badge: badgeOf(deploymentBadges, d.State), Note: noteOn(d), Restore: restoreOf(d), Broken: brokenOf(d, s),
		Open: !d.State.Ended(), Begun: !d.State.Ended() || !d.StartedAt.IsZero(), Cancelling: d.Cancelling, CancelHref: deploymentHref(d.ID) + "/cancel", Commit: d.Commit.Short(), Revision: d.Revision,
		Cancelled: d.State == stacks.DeploymentCancelled, CancelledBy: d.CancelledBy, Trigger: causeWord(d), Options: optionWords(d.Options), Queued: at(d.QueuedAt, now),
		Took: between(d.StartedAt, d.FinishedAt, now)}
	if d.State != stacks.DeploymentSuperseded && d.State != stacks.DeploymentCancelled { // of which the note tells
		p.Trouble = tellingOf(d.Error)
		if len(p.Broken.Lines) > 0 {
			p.Trouble = p.Trouble.withoutQuote()
		}
	}
	if d.RetryOf != "" {
		p.BeforeHref = deploymentHref(d.RetryOf)
	}
	if d.Revision > 0 {
		p.RevisionHref = revisionHref(s.ID, d.Revision)
	}
	switch d.State {
	case stacks.DeploymentFailed, stacks.DeploymentLost:
		p.Again = "Sync again"
	case stacks.DeploymentRolledBack:
		p.Again = "Deploy anyway"
	}
	if d.Actor != "system" {
		p.Actor = d.Actor
	}
	end := d.FinishedAt
	if end.IsZero() {
		end = now
	}
	p.Phases = phaseLines(d, end)
	if p.Trouble.Text != "" {
		tellOnce(p.Phases, d.Error)
	}
	return p
}

// noteOn says what the state alone does not.
func noteOn(d stacks.Deployment) string {
	switch d.State {
	case stacks.DeploymentSuperseded:
		if d.Error != "" {
			return "It never began: " + d.Error + "."
		}
		return "A newer deployment took its place before it began."
	case stacks.DeploymentCancelled:
		return cancelNote(d)
	case stacks.DeploymentFailed:
		if d.Untouched() {
			return "It failed before anything was sent to a worker: what runs was left untouched."
		}
	case stacks.DeploymentLost:
		return "It is not known how this ended: the worker went away while it was at it. What runs was looked at again since."
	}
	return ""
}

// cancelNote says what a cancelled deployment left behind.
func cancelNote(d stacks.Deployment) string {
	switch {
	case d.StartedAt.IsZero():
		return "It was cancelled before it began. Nothing was changed."
	case d.Restore.Revision > 0:
		return fmt.Sprintf("It had failed, and was cancelled while revision %d was being put back. What runs may be a part of either: sync the stack, or roll it back.", d.Restore.Revision)
	case stacks.Began(d.Phases):
		return fmt.Sprintf("It was cancelled while revision %d was being applied, and nothing was put back: what runs may be a part of it, and was not verified. Sync the stack, or roll it back.", d.Revision)
	}
	return "It was cancelled before anything was changed. What ran before runs on."
}

func optionWords(o stacks.DeployOptions) string {
	var parts []string
	for _, part := range []struct {
		on   bool
		word string
	}{{o.RecreateContainers, "containers"}, {o.RecreateNetworks, "networks"}, {o.RecreateVolumes, "volumes"}} {
		if part.on {
			parts = append(parts, part.word)
		}
	}
	return strings.Join(parts, ", ")
}
