package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/policy"
	"berth/handlers/endpoint"
)

// PolicyDesk reads and changes rules; see fleet.Desk. Without a worker they are for all.
type PolicyDesk interface {
	Policy(ctx context.Context, worker core.WorkerID) (fleet.Policy, error)
	Effective(ctx context.Context, id core.WorkerID) (fleet.Effective, error)
	SetPolicy(ctx context.Context, by access.Principal, worker core.WorkerID, r policy.Rules) (fleet.Policy, error)
	ClearPolicy(ctx context.Context, by access.Principal, worker core.WorkerID) error
}

// PolicyPlanner says what rules would refuse. It changes nothing.
type PolicyPlanner interface {
	PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error)
}

// policyPage is the rules for all workers, or those of one with what else holds there.
type policyPage struct {
	Href    string
	Worker  string // name; empty: the rules are for all
	Own     bool   // there are rules
	By      string // who changed them last
	Trouble string
	Lists   []policyList
	Ports   input
	Blocks  []tick
	Holds   policyHolds // what else holds on the worker
	Plan    policyPlanPart
}

// policyHolds is what holds on a worker.
type policyHolds struct {
	Allows []string // of the host, beyond the default
	Judges bool     // the worker has told of its host
	Layers []policyLayer
}

// policyList is a list of the form, and whether it limits.
type policyList struct {
	Only    tick
	Entries input
}

// policyLayer is rules from elsewhere, to be read.
type policyLayer struct {
	From  string
	Href  string // where they are changed; empty: on the host
	Rules []string
}

// policyPlanPart is what the rules that were typed would refuse.
type policyPlanPart struct {
	Asked   bool
	Trouble string // why nobody knows
	Stacks  []policyRefused
	Jobs    []policyRefused
	// that would be refused beyond those
	MoreStacks, MoreJobs int
	Unread               []string
}

type policyRefused struct {
	Name, Href string
	Why        []string
}

var policyView = newView[policyPage]("policy_show.html")

// listFields are the lists of the form, in its order, and blockFields the blocks.
var (
	listFields = []input{
		{Name: "allow.images", Label: "Images", Hint: "One pattern a line: nginx, nginx:1.* or ghcr.io/acme/**. * is anything but a slash, ** anything; a pattern without a tag lets every tag pass.", Sample: "ghcr.io/acme/**"},
		{Name: "allow.volumes", Label: "Volumes", Hint: "Names in the engine, with * for anything. @project is what a project makes itself under its own name.", Sample: "@project"},
		{Name: "allow.networks", Label: "Networks", Hint: "As for volumes.", Sample: "@project"},
		{Name: "allow.bind_mounts", Label: "Folders of the host", Hint: "Absolute paths; what lies in them may be mounted too.", Sample: "/srv/data"},
		{Name: "allow.capabilities", Label: "Capabilities", Hint: "That may be added to those that every container has.", Sample: "NET_ADMIN"},
		{Name: "allow.devices", Label: "Devices", Hint: "Paths, with * for anything but a slash; gpu stands for every GPU.", Sample: "/dev/ttyUSB*"},
		{Name: "allow.security_options", Label: "Security options", Hint: "Word by word.", Sample: "apparmor:web"},
		{Name: "allow.addresses", Label: "Addresses for ports", Hint: "IP addresses of the host on which ports may be published; 0.0.0.0 stands for all of them.", Sample: "127.0.0.1"},
	}
	blockFields = []tick{
		{Name: "block.latest_tags", Label: "Images without a tag, or with the tag latest"}, {Name: "block.host_volumes", Label: "Every folder and file of the host"},
		{Name: "block.privileged", Label: "Privileged containers and hooks"}, {Name: "block.host_network", Label: "The host’s network"},
		{Name: "block.host_pid", Label: "The host’s processes"}, {Name: "block.host_ipc", Label: "The host’s shared memory"},
		{Name: "block.host_users", Label: "The host’s user namespace"}, {Name: "block.docker_socket", Label: "The socket of the container engine, and every folder that leads to it"},
	}
)

// Policy shows the rules for all workers, or those of the worker that the path names.
func Policy(desk PolicyDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, p, err := policyPageOf(r, desk)
		if err != nil {
			return err
		}
		page.fill(p.Rules)
		return writePolicy(w, r, http.StatusOK, page)
	})
}

// ChangePolicy saves what was typed, or shows first what it would refuse.
func ChangePolicy(desk PolicyDesk, planner PolicyPlanner) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page, p, err := policyPageOf(r, desk)
		if err != nil {
			return err
		}
		rules := rulesTyped(form)
		page.fill(rules)
		review := form.Get("do") == "review"
		if err = fleet.CheckRules(rules); err == nil && !review {
			if _, err = desk.SetPolicy(r.Context(), endpoint.Principal(r.Context()), p.Worker, rules); err == nil {
				return seeOther(w, r, saying(page.Href, "policy-saved"))
			}
		}
		if err != nil {
			return page.refuse(w, r, err)
		}
		page.Plan, err = planPart(r.Context(), planner, p.Worker, rules)
		if err != nil {
			return err
		}
		return writePolicy(w, r, http.StatusOK, page)
	})
}

// ClearPolicy takes the rules of a worker away.
func ClearPolicy(desk PolicyDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.WorkerID(r.PathValue("id"))
		if _, err := desk.Effective(r.Context(), id); err != nil {
			return err
		}
		if err := desk.ClearPolicy(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return err
		}
		return seeOther(w, r, saying(workerPolicyHref(id), "policy-gone"))
	})
}

func workerPolicyHref(id core.WorkerID) string { return "/workers/" + string(id) + "/policy" }

// policyPageOf makes the page without what stands in its form, and returns the rules that it is about.
func policyPageOf(r *http.Request, desk PolicyDesk) (policyPage, fleet.Policy, error) {
	id := core.WorkerID(r.PathValue("id"))
	if id == "" {
		p, err := desk.Policy(r.Context(), "")
		return policyPage{Href: string(inPolicy), By: p.ChangedBy}, p, err
	}
	e, err := desk.Effective(r.Context(), id)
	page := policyPage{Href: workerPolicyHref(id), Worker: e.Worker.Label(), Own: !e.Own.UpdatedAt.IsZero(), By: e.Own.ChangedBy, Holds: holdsOn(e, policyLayer{})}
	return page, e.Own, err
}

// holdsOn is what holds on a worker: what its host says, then its own rules when they are given, then those for all.
func holdsOn(e fleet.Effective, own policyLayer) policyHolds {
	h := policyHolds{Allows: e.Host.Allow, Judges: e.Host.Judges}
	if e.Host.Limits != nil {
		h.Layers = append(h.Layers, policyLayer{From: "The policy file of the host", Rules: ruleLines(*e.Host.Limits)})
	}
	if own.From != "" {
		h.Layers = append(h.Layers, own)
	}
	h.Layers = append(h.Layers, policyLayer{From: "For all workers", Href: string(inPolicy), Rules: ruleLines(e.Global.Rules)})
	return h
}

// ruleLines says each rule in a line.
func ruleLines(r policy.Rules) []string {
	var all []string
	for _, f := range listFields {
		if entries, limited := r.Limit(f.Name); limited {
			all = append(all, fmt.Sprintf("%s, only: %s", f.Label, orNone(entries)))
		}
	}
	for _, b := range blockFields {
		if r.Blocks(b.Name) {
			all = append(all, "Blocked: "+b.Label)
		}
	}
	if ports, limited := r.Limit("block.ports"); limited {
		all = append(all, "Blocked ports: "+orNone(ports))
	}
	return all
}

func orNone(entries []string) string {
	if len(entries) == 0 {
		return "none"
	}
	return strings.Join(entries, ", ")
}

// fill puts rules into the form.
func (p *policyPage) fill(r policy.Rules) {
	for _, f := range listFields {
		entries, limited := r.Limit(f.Name)
		f.Kind, f.Mono, f.Optional, f.Value = "area", true, true, exact(strings.Join(entries, "\n"))
		p.Lists = append(p.Lists, policyList{tick{Name: f.Name + ".only", Label: "Only these", On: limited}, f})
	}
	for _, b := range blockFields {
		b.On = r.Blocks(b.Name)
		p.Blocks = append(p.Blocks, b)
	}
	ports, _ := r.Limit("block.ports")
	p.Ports = input{Name: "block.ports", Label: "Ports that are not published", Kind: "area", Mono: true, Optional: true, Value: exact(strings.Join(ports, "\n")), Hint: "One a line: 22, 1-1023 or 53/udp.", Sample: "22"}
}

// rulesTyped reads the form. A list without its tick limits nothing, unless something stands in it.
func rulesTyped(form url.Values) policy.Rules {
	var r policy.Rules
	for _, f := range listFields {
		entries := entriesTyped(form.Get(f.Name))
		if form.Has(f.Name+".only") || len(entries) > 0 {
			r.SetLimit(f.Name, entries)
		}
	}
	for _, b := range blockFields {
		if form.Has(b.Name) {
			r.SetBlock(b.Name)
		}
	}
	r.SetLimit("block.ports", entriesTyped(form.Get("block.ports")))
	return r
}

func entriesTyped(text string) []string {
	var all []string
	for line := range strings.SplitSeq(lines(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// refuse shows the form again with what is wrong with it.
func (p *policyPage) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	c, ours := complain(r, err)
	if !ours {
		return err
	}
	fields := []*input{&p.Ports}
	for i := range p.Lists {
		fields = append(fields, &p.Lists[i].Entries)
	}
	p.Trouble = c.on(fields...)
	return writePolicy(w, r, c.Status, *p)
}

// planPart asks what rules would refuse. That there is no hub to ask is said, and hinders nobody from saving.
func planPart(ctx context.Context, planner PolicyPlanner, worker core.WorkerID, rules policy.Rules) (policyPlanPart, error) {
	plan, err := planner.PolicyPlan(ctx, worker, rules)
	if slices.Contains(passing, fault.CodeOf(err)) {
		return policyPlanPart{Asked: true, Trouble: fault.PublicOf(err)}, nil
	}
	if err != nil {
		return policyPlanPart{}, err
	}
	part := policyPlanPart{Asked: true, MoreStacks: plan.MoreStacks, MoreJobs: plan.MoreJobs, Unread: plan.Unread}
	for _, s := range plan.Stacks {
		line := policyRefused{Name: s.Name, Href: stackHref(s.ID)}
		for _, v := range s.Violations {
			line.Why = append(line.Why, sentence(strings.TrimSpace(v.Service+" "+v.Field)+": "+v.Problem))
		}
		part.Stacks = append(part.Stacks, line)
	}
	for _, j := range plan.Jobs {
		line := policyRefused{Name: j.Name, Href: "/jobs/" + string(j.ID)}
		for _, f := range j.Problems {
			line.Why = append(line.Why, sentence(f.Path+": "+f.Problem))
		}
		part.Jobs = append(part.Jobs, line)
	}
	return part, nil
}

func writePolicy(w http.ResponseWriter, r *http.Request, status int, page policyPage) error {
	f := newFrame(r, inPolicy, "Policy")
	if page.Worker != "" {
		f = newFrame(r, inWorkers, "Policy of "+page.Worker, crumb{"Workers", "/workers"})
	}
	f.Problem = status != http.StatusOK
	return policyView.write(w, r, status, f, page)
}
