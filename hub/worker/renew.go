package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"berth/core/stacks"
	"berth/core/wire"
)

// renew says which containers are recreated although Compose would leave them alone: those
// that a hand has changed and, in a recreation that a restart of the worker interrupted, those that it
// had not come to. present is what runs before anything is changed.
func (s *steps) renew(w *work, d wire.Deploy, project *Project, present []ProjectContainer) {
	replace := map[string]bool{}
	if w.interrupted && d.Recreate {
		project.Recreate = false
		for _, c := range present {
			replace[c.Service] = replace[c.Service] || !madeBy(c, d)
		}
	}
	record, _ := s.applied.Get(d.Stack)
	for _, c := range present {
		changed := changedByHand(s.digestKey, record, c)
		if len(changed) > 0 && (changed[0] == stacks.ChangedStopped || changed[0] == stacks.ChangedHalted) {
			how := "by hand"
			if changed[0] == stacks.ChangedHalted {
				how = "through Berth"
			}
			changed = changed[1:]
			w.line(fmt.Sprintf("%s was stopped %s and is started.", c.Container, how))
		}
		if len(changed) > 0 {
			w.line(fmt.Sprintf("%s was changed by hand (%s) and is recreated.", c.Container, strings.Join(changed, ", ")))
			replace[c.Service] = true
		}
	}
	for service, wanted := range replace {
		if wanted && service != "" {
			project.Replace = append(project.Replace, service)
		}
	}
	slices.Sort(project.Replace)
}

// takeDown removes the project first, when its networks or volumes are to be made anew. A
// deployment that goes on after a restart does so only while nothing of it is there.
func (s *steps) takeDown(ctx context.Context, w *work, d wire.Deploy, present []ProjectContainer) error {
	begun := w.interrupted && slices.ContainsFunc(present, func(c ProjectContainer) bool { return madeBy(c, d) })
	if !d.RecreateNetworks && !d.RecreateVolumes || begun {
		return nil
	}
	return s.engine.Down(ctx, d.Project, d.Stack, d.RecreateVolumes, w.line)
}
