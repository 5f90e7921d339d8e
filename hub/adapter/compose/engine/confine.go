package engine

import (
	"strings"

	"berth/core"
	"berth/core/policy"
)

// confineReal lists what rules do not let pass of where the paths of the host really lead, beyond what they refuse of
// the paths as they are written. A folder that a rule names is meant as it is, wherever that leads.
func confineReal(plain map[string]any, rules []policy.Layer) []policy.Refusal {
	led, moved := leading(plain)
	if !moved {
		return nil
	}
	layers := make([]policy.Layer, len(rules))
	for i, l := range rules {
		var folders []string
		for _, folder := range l.Rules.Allow.BindMounts {
			folders = append(folders, folder, whereTo(folder))
		}
		if layers[i] = l; folders != nil {
			layers[i].Rules.Allow.BindMounts = folders
		}
	}
	known := map[string]bool{}
	for _, r := range policy.Confine(plain, rules) {
		known[r.Path+" "+r.Rule] = true
	}
	var refused []policy.Refusal
	for _, r := range policy.Confine(led, layers) {
		if !known[r.Path+" "+r.Rule] {
			r.Problem = "it leads elsewhere on this host: " + r.Problem
			refused = append(refused, r)
		}
	}
	return refused
}

// leading returns a project with every path of the host replaced by where it leads; moved says that one leads elsewhere.
func leading(plain map[string]any) (led map[string]any, moved bool) {
	var follow func(key string, value any) any
	follow = func(key string, value any) any {
		switch v := value.(type) {
		case map[string]any:
			out := make(map[string]any, len(v))
			for k, member := range v {
				out[k] = follow(k, member)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, member := range v {
				out[i] = follow(key, member)
			}
			return out
		case string:
			if (key == "source" || key == "device" || key == "file") && strings.HasPrefix(v, "/") && !strings.HasPrefix(v, core.ContentRoot) && !strings.HasPrefix(v, core.StateRoot) {
				real := whereTo(v)
				moved = moved || real != v
				return real
			}
		}
		return value
	}
	led, _ = follow("", plain).(map[string]any)
	return led, moved
}
