package jobs

import (
	"fmt"
	"strings"

	"berth/core/fault"
	"berth/core/policy"
)

// Confined says what layers of rules do not let pass of a definition, as Refusals says what the policy of every host forbids.
func Confined(d Definition, layers []policy.Layer) []fault.Field {
	var bad []fault.Field
	for _, r := range policy.Confine(d.project(), layers) {
		at := strings.TrimPrefix(strings.TrimPrefix(r.Path, "services.job."), "volumes.")
		if at == "network_mode" {
			at = "network"
		}
		bad = append(bad, fault.Field{Path: at, Problem: fmt.Sprintf("%s, which %s refuses (%s)", r.Problem, r.From.Words(), r.Rule)})
	}
	return bad
}

// project is the definition as a Compose project: rules know no other form.
func (d Definition) project() map[string]any {
	var mounts []any
	for _, v := range d.Volumes {
		kind := "volume"
		if strings.HasPrefix(v.Source, "/") {
			kind = "bind"
		}
		mounts = append(mounts, map[string]any{"type": kind, "source": v.Source, "target": v.Target})
	}
	job := map[string]any{"image": d.Image, "volumes": mounts}
	if d.Network != "" {
		job["network_mode"] = d.Network
	}
	return map[string]any{"services": map[string]any{"job": job}}
}
