package render

import (
	"berth/core"
	"berth/core/policy"
)

// judge notes what the project, as it is now resolved, asks of a host, and refuses what no host gives.
func (r *rendering) judge(project any) error {
	resolved, _ := project.(map[string]any)
	for _, refusal := range policy.Judge(resolved, policy.Policy{}) {
		place := locate(r.files, refusal.Path)
		if refusal.Needs == "" {
			return in(place, unsupported("%s: %s.", refusal.Path, refusal.Problem))
		}
		r.asks = append(r.asks, core.ComposeAsk{Place: place, Path: refusal.Path, Problem: refusal.Problem, Needs: string(refusal.Needs)})
	}
	return nil
}
