package worker

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/policy"
)

// judge says why a job may not run here: the policy, as the hub judged it; the same for where a path really leads on
// this host, which only the worker can see; what the rules of host and server narrow; and the worker's own files.
func (s *steps) judge(d jobs.Definition, rules []policy.Layer) error {
	refused := jobs.Refusals(d)
	if len(refused) == 0 {
		refused = jobs.Refusals(resolved(d))
		for i := range refused {
			refused[i].Problem = "it leads elsewhere on this host: " + refused[i].Problem
		}
	}
	for i, v := range resolved(d).Volumes {
		if own := s.content.Base(); filepath.IsAbs(v.Source) && (within(v.Source, own) || within(own, v.Source)) {
			refused = append(refused, fault.Field{Path: fmt.Sprintf("volumes[%d]", i), Problem: "the worker keeps its own files there, which no job gets"})
		}
	}
	if s.limits != nil {
		rules = append([]policy.Layer{{From: policy.FromHost, Rules: *s.limits}}, rules...)
	}
	confined := jobs.Confined(d, rules)
	if len(confined) == 0 {
		confined = jobs.Confined(resolved(d), rules)
	}
	if refused = append(refused, confined...); len(refused) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "run.refused", "%s", jobs.Refused("The worker", refused))
}

// resolved returns d with the folders to which the paths of the host lead that this process can see.
func resolved(d jobs.Definition) jobs.Definition {
	d.Volumes = slices.Clone(d.Volumes)
	for i, v := range d.Volumes {
		if !filepath.IsAbs(v.Source) {
			continue
		}
		if real, err := filepath.EvalSymlinks(v.Source); err == nil {
			d.Volumes[i].Source = real
		}
	}
	return d
}

// within reports whether a path is a folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
