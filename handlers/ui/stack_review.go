package ui

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// StackReviewDeps are the ports of the three handlers between adding a stack and its first deployment.
type StackReviewDeps struct {
	Finder    StackFinder
	Workers   WorkerFinder
	Planner   Planner
	Hub       EnvironmentReader
	Variables VariableDesk
	Desk      StackStarter
}

// StackStarter is what a first deployment asks for; see stacks.Desk.
type StackStarter interface {
	StackSyncer
	StackUpdater
}

// stackReviewPage is the end of the guided path: what the files need, what would be deployed, and the deployment.
type stackReviewPage struct {
	Head     stackHead
	Steps    []pathStep
	Needs    []lackLine // variables that nobody provides
	Needless string     // why it is not known what the files need
	Plan     planPage
	Stopped  bool // a deployment is known to fail
	Sync     tick
	Trouble  string // why the deployment was not begun
}

// lackLine asks for a variable that the Compose file reads and nobody provides.
type lackLine struct {
	Name   string
	Value  input
	Secret tick
	Other  string // address of the other places that a value can come from
}

var stackReviewView = newView[stackReviewPage]("stack_review.html")

// ReviewStack shows a stack that was not deployed yet: what it still needs and the plan of its first deployment.
func ReviewStack(d StackReviewDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := d.Finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		if s.Revision > 0 {
			return seeOther(w, r, stackHref(s.ID)+"/plan")
		}
		return d.write(w, r, s, http.StatusOK, stackReviewPage{Sync: tick{On: wantsSync(r)}}, nil)
	})
}

// KeepNeeds stores the variables that were typed on the review, and shows it again for those that were refused.
func KeepNeeds(d StackReviewDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := d.Finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		refused, status := map[string]lackLine{}, http.StatusOK
		for _, name := range form["name"] {
			value, secret := lines(form.Get("value "+name)), form.Has("secret "+name)
			if value == "" {
				continue
			}
			_, err := d.Variables.Create(r.Context(), variables.Draft{Owner: variables.OfStack(s.ID), Name: name, Value: value, Secret: secret}, endpoint.Principal(r.Context()))
			if err == nil {
				continue
			}
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			line := lackLine{Value: input{Problem: c.about("value")}, Secret: tick{On: secret}}
			if rest := c.general(); line.Value.Problem == "" {
				line.Value.Problem = sentence(rest)
			}
			if !secret {
				line.Value.Value = exact(value)
			}
			refused[name], status = line, c.Status
		}
		if len(refused) == 0 {
			return seeOther(w, r, reviewHref(s.ID, form.Get("auto_sync") != "off"))
		}
		return d.write(w, r, s, status, stackReviewPage{Sync: tick{On: wantsSync(r)}}, refused)
	})
}

// StartStack asks for the first deployment, turns automatic sync on where that was ticked, and goes to watch.
func StartStack(d StackReviewDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		id, by := stackIn(r), endpoint.Principal(r.Context())
		first, err := d.Desk.Sync(r.Context(), id, by)
		if err != nil {
			return d.refuse(w, r, err)
		}
		if on := form.Has("auto_sync"); on {
			if _, err := d.Desk.Update(r.Context(), id, stacks.Change{AutoSync: &on}, by); err != nil {
				return err
			}
		}
		return seeOther(w, r, deploymentHref(first.ID))
	})
}

// refuse shows the review again, as it was sent, with why the deployment was not begun.
func (d StackReviewDeps) refuse(w http.ResponseWriter, r *http.Request, why error) error {
	c, ours := complain(r, why)
	s, err := d.Finder.Stack(r.Context(), stackIn(r))
	if !ours || err != nil {
		return why
	}
	return d.write(w, r, s, c.Status, stackReviewPage{Sync: tick{On: r.PostForm.Has("auto_sync")}, Trouble: c.general()}, nil)
}

// write fills the page, of which it is known whether automatic sync is ticked and what the trouble is.
func (d StackReviewDeps) write(w http.ResponseWriter, r *http.Request, s stacks.Stack, status int, page stackReviewPage, refused map[string]lackLine) error {
	page.Head = headOf(s, nil, "")
	page.Sync.Name, page.Sync.Label, page.Sync.Hint = "auto_sync", "Deploy new commits by itself from then on", "Otherwise somebody has to ask for each deployment."
	if err := page.need(r.Context(), d.Hub, s.ID, refused); err != nil {
		return err
	}
	plan, _, err := planOf(r, s, d.Workers, d.Planner)
	if err != nil {
		return err
	}
	page.Plan = plan
	page.Stopped = plan.Trouble.Text != "" && !plan.Later || len(plan.Providers) > 0 || len(plan.Violations) > 0
	page.Steps = pathSteps(s, len(page.Needs) > 0)
	f := newFrame(r, inStacks, "Review "+s.Name, stackTrail(s)...)
	f.Problem = status != http.StatusOK
	return stackReviewView.write(w, r, status, f, page)
}

// wantsSync is what was ticked when the stack was added; it travels with the path, for a stack that is looked at
// first is added without automatic sync.
func wantsSync(r *http.Request) bool {
	return r.URL.Query().Get("auto_sync") != "off" && r.PostForm.Get("auto_sync") != "off"
}

// need asks what the files of the stack read and nobody provides.
func (p *stackReviewPage) need(ctx context.Context, hub EnvironmentReader, id core.StackID, refused map[string]lackLine) error {
	env, err := hub.Environment(ctx, id)
	switch {
	case fault.Is(err, fault.Unavailable):
		p.Needless = sentence(fault.PublicOf(err))
		return nil
	case err != nil:
		return err
	}
	p.Needless = sentence(env.Problem)
	for i, name := range env.Missing {
		line, again := refused[name]
		if !again {
			line.Secret.On = likelySecret(name)
		}
		place := fmt.Sprintf("need-%d", i+1)
		line.Name, line.Other = name, addHref(stackHref(id)+"/variables", name)
		line.Value.Name, line.Value.ID, line.Value.Label, line.Value.Kind, line.Value.Complete, line.Value.Mono = "value "+name, place, name, "text", "off", true
		line.Value.Focus = line.Value.Problem != ""
		line.Secret.Name, line.Secret.ID, line.Secret.Label = "secret "+name, place+"-secret", "Secret"
		p.Needs = append(p.Needs, line)
	}
	return nil
}

// likelySecret guesses from a variable's name whether its value is one to be sealed; people may decide otherwise.
func likelySecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "DSN", "DATABASE_URL", "PRIVATE", "AUTH"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// reviewHref is where a stack is looked at before its first deployment.
func reviewHref(id core.StackID, sync bool) string {
	if sync {
		return stackHref(id) + "/review"
	}
	return stackHref(id) + "/review?auto_sync=off"
}
