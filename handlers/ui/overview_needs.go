package ui

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
)

// maxNeeds is how many of a kind are listed.
const maxNeeds = 10

// need is something that waits for a person, with the one action that helps.
type need struct {
	Tone, Icon string
	Kind       string // stack, job, worker, repository or backups
	Name, Href string
	Why        string
	Since      moment
	Action     string
	ActionHref string
	Post       bool // the action is done at once; otherwise its address is where it is done
	Operate    bool // the action is for operators
	More       int  // how many it stands for that are not listed, or uncounted; 0: it is one itself
}

// stackNeeds lists stacks that are not as they should be: the broken before the limping.
func (o *overview) stackNeeds() ([]need, error) {
	var needs []need
	for _, status := range []stacks.Status{stacks.StatusError, stacks.StatusDegraded} {
		if o.counts[status] == 0 {
			continue
		}
		list, err := o.reader.Stacks(o.ctx, stacks.Filter{Status: status}, core.Page{Limit: maxNeeds})
		if err != nil {
			return nil, err
		}
		var ids []core.StackID
		for _, s := range list.Items {
			ids = append(ids, s.ID)
		}
		last, err := o.reader.LastDeployments(o.ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, s := range list.Items {
			needs = append(needs, o.stackNeed(s, last[s.ID]))
		}
		needs = append(needs, o.moreStacks(status, len(list.Items))...)
	}
	held, err := o.reader.Stacks(o.ctx, stacks.Filter{Held: true}, core.Page{Limit: maxNeeds + 1})
	listed, more := cut(held.Items, need{Tone: "idle", Icon: "pause", Kind: "Stacks", Why: "More are paused, or hold a commit back.", Href: "/stacks?group=status"})
	for _, s := range listed {
		if s.Status != stacks.StatusError && s.Status != stacks.StatusDegraded {
			needs = append(needs, o.heldNeed(s))
		}
	}
	return append(needs, more...), err
}

// heldNeed is about a stack that runs as it should, and holds a commit or all deployments back.
func (o *overview) heldNeed(s stacks.Stack) need {
	n := need{Tone: "idle", Icon: "pause", Kind: "Stack", Name: s.Name, Href: stackHref(s.ID), Since: at(s.UpdatedAt, o.now), Operate: true, Post: true,
		Why: "It is paused: nothing is deployed by itself.", Action: "Resume", ActionHref: stackHref(s.ID) + "/resume"}
	if q := quarantineOf(s.Quarantine); q.Commit != "" {
		n.Tone, n.Icon, n.Why = "warn", "back", "Commit "+q.Commit+" is in quarantine and not deployed by itself. "+q.Reason
		n.Action, n.ActionHref, n.Post, n.Operate = "Look at it", n.Href, false, false
		if q.Href != "" {
			n.Action, n.ActionHref = "See what happened", q.Href
		}
	}
	return n
}

func (o *overview) stackNeed(s stacks.Stack, last stacks.Last) need {
	b := stackBadge(s)
	n := need{Tone: b.Tone, Icon: b.Icon, Kind: "Stack", Name: s.Name, Href: stackHref(s.ID), Why: whyStack(s), Since: at(later(s.UpdatedAt, s.ObservedAt), o.now),
		Action: "Look at it", ActionHref: stackHref(s.ID)}
	if s.Drifted {
		n.Action = "See what differs"
		return n // its page names what differs, and repairs it
	}
	if service, found := ailing(s); found {
		n.Action, n.ActionHref = "Read the log of "+service, serviceHref(s, service)+"/logs"
		return n
	}
	switch {
	case last.ErrorCode == secretsUnresolved:
		n.Icon, n.Action, n.ActionHref = "key", "See its variables", n.Href+"/variables"
	case last.ID != "":
		n.Action, n.ActionHref = "See what happened", deploymentHref(last.ID)
	}
	return n
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ailing finds the compose service that makes a stack degraded.
func ailing(s stacks.Stack) (string, bool) {
	if s.Status != stacks.StatusDegraded {
		return "", false
	}
	for _, c := range stacks.Own(s.Containers) {
		if !stacks.JudgeContainers([]stacks.ContainerState{c}).OK {
			return c.Service, true
		}
	}
	return "", false
}

// workerNeeds lists workers that are away and have stacks.
func workerNeeds(workers []fleet.Worker, now time.Time) []need {
	var needs []need
	for _, w := range workers {
		if w.Online || w.Stacks == 0 {
			continue
		}
		why := fmt.Sprintf("It is offline. Its %d stacks cannot be deployed or watched; what ran there was left running.", w.Stacks)
		if w.Stacks == 1 {
			why = "It is offline. Its stack cannot be deployed or watched; what ran there was left running."
		}
		needs = append(needs, need{Tone: "bad", Icon: "cross", Kind: "Worker", Name: w.Label(), Href: workerHref(w.ID), Why: why, Since: at(w.LeftAt, now),
			Action: "See its stacks", ActionHref: "/stacks?worker=" + string(w.ID)})
	}
	return needs
}

// repositoryNeeds lists repositories that cannot be read.
func repositoryNeeds(all []repositories.Repository, now time.Time) []need {
	var needs []need
	for _, r := range all {
		if r.Error == "" || len(needs) == maxNeeds {
			continue
		}
		n := need{Tone: "bad", Icon: "cross", Kind: "Repository", Name: r.Name, Href: repositoryHref(r.ID), Why: sentence(r.Error), Since: at(r.UpdatedAt, now),
			Action: "Try again", ActionHref: repositoryHref(r.ID) + "/sync", Post: true, Operate: true}
		if mendable(r.ErrorCode) {
			n.Action, n.ActionHref, n.Post = "Change address or key", repositoryHref(r.ID)+"/settings", false
		}
		needs = append(needs, n)
	}
	return needs
}
