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
)

// maxRefusals is how many refusals a fault names.
const maxRefusals = 5

// policy judges what was rendered by what the worker's host allows, where that is known: the committer is told of the
// line, and nothing is sent. Where it is not known the worker, which judges in any case, has the last word alone.
func (w *work) policy(ctx context.Context) (string, error) {
	asks := w.project.Asks
	if w.unrendered {
		return "nothing was rendered yet", nil
	}
	if len(asks) == 0 {
		return "it asks for nothing beyond what every project may have", nil
	}
	likely, err := w.likely(ctx)
	if err != nil {
		return "", err
	}
	if refused := w.h.refused(likely.ID, asks); len(refused) > 0 {
		return "", refusal(likely.Hostname, refused)
	}
	if _, known := w.h.policyOf(likely.ID); !known {
		return "it asks for " + needsOf(asks) + "; the worker will say whether its host allows that", nil
	}
	return fmt.Sprintf("it asks for %s, which %s allows", needsOf(asks), likely.Hostname), nil
}

func (w *work) policyOfKept(context.Context) (string, error) {
	return "the worker judges what was rendered before", nil
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

// refused returns those asks that a worker's host is known not to allow.
func (h *Hub) refused(id core.WorkerID, asks []core.ComposeAsk) []core.ComposeAsk {
	p, known := h.policyOf(id)
	if !known {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(asks), func(a core.ComposeAsk) bool { return p.Allows(policy.Allowance(a.Needs)) })
}

// refusal says what a host does not allow, where it stands, and who can change that.
func refusal(hostname string, refused []core.ComposeAsk) error {
	said := make([]string, 0, maxRefusals+1)
	for i, a := range refused {
		if i == maxRefusals {
			said = append(said, fmt.Sprintf("and %d more", len(refused)-i))
			break
		}
		text := a.Path + ": " + a.Problem
		if a.Place != "" {
			text = a.Place + ": " + text
		}
		said = append(said, text)
	}
	return fault.New(fault.Invalid, "policy.refused", "%s. The host of worker %s does not allow that, so nothing was sent to it. Take it out, or let the owner of the host add %s to its WORKER_ALLOW.",
		strings.Join(said, "; "), hostname, needsOf(refused))
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
