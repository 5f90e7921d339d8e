package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/policy"
	"berth/core/stacks"
)

// maxRefusals is how many violations a fault names; the deployment's log has all of them.
const maxRefusals = 10

// policy judges what was rendered by what the worker's host allows, where that is known, and by the rules of host and
// server: the committer is told of every line at once, and nothing is sent. What is not known here the worker, which
// judges in any case, decides alone.
func (w *work) policy(ctx context.Context) (string, error) {
	if w.unrendered {
		return "nothing was rendered yet", nil
	}
	likely, err := w.likely(ctx)
	if err != nil {
		return "", err
	}
	if err := w.judged(ctx, likely, w.project); err != nil {
		return "", err
	}
	asks := w.project.Asks
	if len(asks) == 0 {
		return "it asks for nothing beyond what every project may have", nil
	}
	if _, known := w.h.policyOf(likely.ID); !known {
		return "it asks for " + needsOf(asks) + "; the worker will say whether its host allows that", nil
	}
	return fmt.Sprintf("it asks for %s, which %s allows", needsOf(asks), likely.Hostname), nil
}

// policyOfKept judges what was rendered before by the rules as they are now. What its host allows the worker knows.
func (w *work) policyOfKept(ctx context.Context) (string, error) {
	likely, err := w.likely(ctx)
	if err != nil {
		return "", err
	}
	compose, err := w.h.opts.Files.Compose(w.stack.ID, w.kept.Number)
	if err != nil {
		return "", err
	}
	err = w.judged(ctx, likely, core.ComposeProject{YAML: compose, Services: w.kept.Services})
	return "judged as it was rendered before", err
}

// judged writes every violation into the log, and fails when there is one.
func (w *work) judged(ctx context.Context, likely fleet.Worker, project core.ComposeProject) error {
	violations, err := w.h.violations(ctx, likely.ID, project)
	if err != nil || len(violations) == 0 {
		return err
	}
	for _, v := range violations {
		w.h.recorder.line(w.d.ID, "policy: "+v.String()+"\n")
	}
	return refusal(likely.Hostname, violations)
}

// likely returns the worker that place would choose now; the zero Worker while there is none.
func (w *work) likely(ctx context.Context) (fleet.Worker, error) {
	workers, err := w.h.opts.Fleet.UsableWorkers(ctx)
	if err != nil {
		return fleet.Worker{}, err
	}
	tags := append(slices.Clone(w.manifest.WorkerTags), w.stack.WorkerTags...)
	chosen, _ := fleet.Place(workers, fleet.Want{Worker: w.stack.Worker, Tags: tags})
	return chosen, nil
}

// policyOf returns what a worker's host allows; unknown when the worker is not linked here, or does not tell.
func (h *Hub) policyOf(id core.WorkerID) (p policy.Policy, known bool) {
	s := h.session(id)
	if id == "" || s == nil || !s.judges {
		return policy.Policy{}, false
	}
	return s.policy, true
}

// limitsOf returns the rules of a worker's host, as far as they are known here.
func (h *Hub) limitsOf(id core.WorkerID) []policy.Layer {
	if s := h.session(id); id != "" && s != nil {
		return slices.Clone(s.limits)
	}
	return nil
}

// violations are everything of a project that a worker is known to refuse, by place in the project.
func (h *Hub) violations(ctx context.Context, id core.WorkerID, project core.ComposeProject) ([]stacks.Violation, error) {
	rules, err := h.opts.Store.PolicyLayers(ctx, id)
	if err != nil {
		return nil, err
	}
	refused, err := h.confine(project, append(h.limitsOf(id), rules...))
	if err != nil {
		return nil, err
	}
	if p, known := h.policyOf(id); known {
		for _, a := range project.Asks {
			if !p.Allows(policy.Allowance(a.Needs)) {
				refused = append(refused, policy.Refusal{Path: a.Path, Problem: a.Problem, Needs: policy.Allowance(a.Needs)})
			}
		}
	}
	slices.SortStableFunc(refused, func(a, b policy.Refusal) int { return strings.Compare(a.Path, b.Path) })
	all := make([]stacks.Violation, len(refused))
	for i, r := range refused {
		var where core.Place
		if project.Locate != nil {
			where = project.Locate(r.Path)
		}
		all[i] = stacks.NewViolation(r, project.Services, where)
	}
	return all, nil
}

// confine judges what was rendered by rules; it reads nothing when there are none.
func (h *Hub) confine(project core.ComposeProject, rules []policy.Layer) ([]policy.Refusal, error) {
	if !slices.ContainsFunc(rules, func(l policy.Layer) bool { return !l.Rules.Empty() }) {
		return nil, nil
	}
	document, err := h.opts.Rendered.ReadDocument(project.YAML)
	if err != nil {
		return nil, fmt.Errorf("read what was rendered: %w", err)
	}
	return policy.Confine(document.Value, rules), nil
}

// refusal says what is not allowed, where it stands, and who can change that.
func refusal(hostname string, refused []stacks.Violation) error {
	said := make([]string, 0, maxRefusals+1)
	var needs []string
	ruled := false
	for i, v := range refused {
		if i < maxRefusals {
			said = append(said, v.String())
		}
		if ruled = ruled || v.Rule != ""; v.Needs != "" {
			needs = append(needs, string(v.Needs))
		}
	}
	if more := len(refused) - maxRefusals; more > 0 {
		said = append(said, fmt.Sprintf("and %d more, which the log has", more))
	}
	next := "Take it out"
	slices.Sort(needs)
	if needs = slices.Compact(needs); len(needs) > 0 {
		next += fmt.Sprintf(", or let the owner of the host of worker %s add %s to its WORKER_ALLOW", hostname, strings.Join(needs, ", "))
	}
	if ruled {
		next += ", or let an administrator change the policy"
	}
	return fault.New(fault.Invalid, "policy.refused", "%s. Nothing was sent to a worker. %s.", strings.Join(said, "; "), next)
}

// needsOf names the allowances that asks need, each once.
func needsOf(asks []core.ComposeAsk) string {
	var needs []string
	for _, a := range asks {
		needs = append(needs, a.Needs)
	}
	slices.Sort(needs)
	return strings.Join(slices.Compact(needs), ", ")
}
