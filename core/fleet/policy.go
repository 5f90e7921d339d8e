package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/policy"
	"berth/core/stacks"
)

// Policy is rules that the server has for all workers, or for one on top of those.
type Policy struct {
	Worker    core.WorkerID // empty: for all workers
	Rules     policy.Rules
	ChangedBy string    // for people; empty while nobody did
	UpdatedAt time.Time // zero: there are no rules
}

// Layer returns the rules with their origin.
func (p Policy) Layer() policy.Layer {
	if p.Worker == "" {
		return policy.Layer{From: policy.FromGlobal, Rules: p.Rules}
	}
	return policy.Layer{From: policy.FromWorker, Rules: p.Rules}
}

// HostPolicy is what a worker last said of its host.
type HostPolicy struct {
	Judges bool          `json:"judges,omitempty"` // it refuses what its host does not allow; one of an old release does not
	Allow  []string      `json:"allow,omitempty"`  // WORKER_ALLOW
	Limits *policy.Rules `json:"limits,omitempty"` // WORKER_POLICY_FILE; nil: there is none
}

// Layers returns the rules of a host, if it has any.
func (h HostPolicy) Layers() []policy.Layer {
	if h.Limits == nil {
		return nil
	}
	return []policy.Layer{{From: policy.FromHost, Rules: *h.Limits}}
}

// Effective is what holds on a worker: whatever is put there must pass every layer, and what the host allows.
type Effective struct {
	Worker Worker
	Host   HostPolicy
	Own    Policy // of this worker
	Global Policy
}

// Layers returns every layer of rules that holds on the worker, that of the host first.
func (e Effective) Layers() []policy.Layer {
	layers := e.Host.Layers()
	for _, p := range []Policy{e.Own, e.Global} {
		if !p.Rules.Empty() {
			layers = append(layers, p.Layer())
		}
	}
	return layers
}

// PolicyPlan is what a change of rules would refuse of what is in place now.
type PolicyPlan struct {
	Stacks []RefusedStack // at most 200, as of jobs
	Jobs   []RefusedJob
	// MoreStacks and MoreJobs are how many would be refused beyond those.
	MoreStacks, MoreJobs int
	Unread               []string // what could not be judged, and why
}

// RefusedStack is a stack whose current revision would be refused.
type RefusedStack struct {
	ID         core.StackID
	Name       string
	Violations []stacks.Violation
}

// RefusedJob is a job whose definition would be refused.
type RefusedJob struct {
	ID       core.JobID
	Name     string
	Problems []fault.Field
}

// JobProblems says what rules do not let pass of a job; see jobs.Confined.
func JobProblems(j jobs.Job, rules []policy.Layer) []fault.Field {
	return jobs.Confined(j.Definition, rules)
}

// Policy returns the rules of a worker, or with no worker those for all.
func (d *Desk) Policy(ctx context.Context, worker core.WorkerID) (Policy, error) {
	return d.store.Policy(ctx, worker)
}

// Effective returns what holds on a worker, and from where. NotFound "worker.not_found".
func (d *Desk) Effective(ctx context.Context, id core.WorkerID) (e Effective, err error) {
	if e.Worker, err = d.store.Worker(ctx, id); err != nil {
		return e, err
	}
	e.Host = e.Worker.Host
	if e.Own, err = d.store.Policy(ctx, id); err != nil {
		return e, err
	}
	e.Global, err = d.store.Policy(ctx, "")
	return e, err
}

// CheckRules refuses rules that are none: Invalid "policy.invalid" names every bad entry.
func CheckRules(r policy.Rules) error { return fault.BadFields("policy.invalid", r.Check()) }

// SetPolicy replaces the rules of a worker, or with no worker those for all. What runs stays as it is: rules are
// asked when something is deployed or run. Invalid "policy.invalid", NotFound "worker.not_found".
func (d *Desk) SetPolicy(ctx context.Context, by access.Principal, worker core.WorkerID, r policy.Rules) (Policy, error) {
	if err := CheckRules(r); err != nil {
		return Policy{}, err
	}
	return d.store.EditPolicy(ctx, worker, func(before Policy) (Policy, access.AuditEvent) {
		changed := r.Changed(before.Rules)
		if len(changed) == 0 && !before.UpdatedAt.IsZero() {
			return before, access.AuditEvent{}
		}
		after := Policy{Worker: worker, Rules: r, ChangedBy: by.Name, UpdatedAt: d.now()}
		return after, by.Audit("policy.change", orAll(worker), changeWords(before.Rules, r, changed))
	})
}

// ClearPolicy takes the rules of one worker away, so that those for all hold alone. NotFound "worker.not_found".
func (d *Desk) ClearPolicy(ctx context.Context, by access.Principal, worker core.WorkerID) error {
	_, err := d.store.EditPolicy(ctx, worker, func(before Policy) (Policy, access.AuditEvent) {
		if before.UpdatedAt.IsZero() {
			return before, access.AuditEvent{}
		}
		return Policy{Worker: worker}, by.Audit("policy.delete", orAll(worker), changeWords(before.Rules, policy.Rules{}, before.Rules.Set()))
	})
	return err
}

func orAll(worker core.WorkerID) string {
	if worker == "" {
		return "policy"
	}
	return string(worker)
}

// changeWords says how rules changed, setting by setting, without what their lists hold.
func changeWords(before, after policy.Rules, changed []string) string {
	if len(changed) == 0 {
		return "nothing is narrowed"
	}
	words := make([]string, len(changed))
	for i, name := range changed {
		words[i] = fmt.Sprintf("%s: %s to %s", name, before.Told(name), after.Told(name))
	}
	return strings.Join(words, "; ")
}
