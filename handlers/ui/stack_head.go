package ui

import (
	"fmt"

	"berth/core/stacks"
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
	Fresh    bool // it was not deployed yet: it is looked at first
	Tabs     []tab
}

// The pages about one stack.
const (
	tabOverview  = "Overview"
	tabRevisions = "Revisions"
	tabVariables = "Variables"
	tabSettings  = "Settings"
)

// headOf makes the top of a page about a stack; newest are its newest deployments, if known.
func headOf(s stacks.Stack, newest []stacks.Deployment, current string) stackHead {
	h := stackHead{Name: s.Name, Href: stackHref(s.ID), Badge: stackBadge(s), Manual: !s.AutoSync, Deleting: s.Deleting, Fresh: s.Status == stacks.StatusNew && !s.Deleting}
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
	h.Tabs = []tab{{Word: tabOverview, Href: h.Href}, {Word: tabRevisions, Href: h.Href + "/revisions"}, {Word: tabVariables, Href: h.Href + "/variables"}, {Word: tabSettings, Href: h.Href + "/settings", Operate: true}}
	for i := range h.Tabs {
		h.Tabs[i].Current = h.Tabs[i].Word == current
	}
	return h
}

// stackTrail is the way to a page about a stack.
func stackTrail(s stacks.Stack) []crumb {
	return []crumb{{"Stacks", "/stacks"}, {s.Name, stackHref(s.ID)}}
}

// whyStack says in a sentence how a stack is.
func whyStack(s stacks.Stack) string {
	switch {
	case s.Deleting:
		return "Its containers are being taken down; then it is removed."
	case s.Error != "":
		return inBrief(s.Error)
	}
	text := map[stacks.Status]string{
		stacks.StatusNew:      "It was not deployed yet.",
		stacks.StatusPending:  "A deployment waits for its turn.",
		stacks.StatusSyncing:  "A deployment is being put in place.",
		stacks.StatusActive:   fmt.Sprintf("Revision %d runs as it should.", s.Revision),
		stacks.StatusDegraded: "Something of it does not run as it should.",
		stacks.StatusError:    "The last deployment failed.",
		stacks.StatusPaused:   "Nothing is deployed by itself until somebody resumes it.",
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
			return phaseDoing[p.Name]
		}
	}
	return whyStack(stacks.Stack{Status: map[bool]stacks.Status{true: stacks.StatusPending, false: stacks.StatusSyncing}[d.State == stacks.DeploymentQueued]})
}
