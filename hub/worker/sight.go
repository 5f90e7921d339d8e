package worker

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/applied"
)

// sight is what runs here, by stack: all that have containers, and all that were applied.
type sight struct {
	stacks   map[core.StackID]wire.StackObserved
	projects map[core.StackID]string
}

// sightOf sorts out what the engine listed. claims may be nil: then nothing was changed by hand.
func sightOf(list []ProjectContainer, records []applied.Record, claims *claims) sight {
	s := sight{stacks: map[core.StackID]wire.StackObserved{}, projects: map[core.StackID]string{}}
	for _, r := range records {
		s.stacks[r.Stack] = wire.StackObserved{Stack: r.Stack, Revision: r.Revision, Containers: []stacks.ContainerState{}}
		s.projects[r.Stack] = r.Project
	}
	owners := ownersOf(list, records)
	for _, c := range list {
		stack := stackOf(c)
		if stack == "" {
			stack = owners[c.Project]
		}
		if !core.ValidID(core.PrefixStack, string(stack)) {
			continue // somebody else's label; the hub would refuse the whole report
		}
		seen := s.stack(stack)
		if len(seen.Containers) < wire.MaxContainers {
			state := c.ContainerState
			state.Changed = claims.of(c)
			if stackOf(c) == "" {
				state.Changed = []string{stacks.ChangedForeign}
			}
			seen.Containers = append(seen.Containers, state)
		}
		s.stacks[stack] = seen
		s.projects[stack] = c.Project
	}
	for _, seen := range s.stacks {
		slices.SortFunc(seen.Containers, func(a, b stacks.ContainerState) int {
			return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Container, b.Container), cmp.Compare(a.ContainerID, b.ContainerID))
		})
	}
	return s
}

// ownersOf returns the stack whose each project is: the one that was put in place last, else the one
// that has containers there.
func ownersOf(list []ProjectContainer, records []applied.Record) map[string]core.StackID {
	owners := map[string]core.StackID{}
	for _, c := range list {
		if stack := stackOf(c); stack != "" {
			owners[c.Project] = stack
		}
	}
	since := map[string]time.Time{}
	for _, r := range records {
		if r.Project != "" && !r.At.Before(since[r.Project]) {
			owners[r.Project], since[r.Project] = r.Stack, r.At
		}
	}
	return owners
}

// ownOf returns the containers that were made for one stack.
func ownOf(list []ProjectContainer, stack core.StackID) []ProjectContainer {
	return slices.DeleteFunc(slices.Clone(list), func(c ProjectContainer) bool { return stackOf(c) != stack })
}

// stack returns what is seen of one stack, which may be nothing.
func (s sight) stack(id core.StackID) wire.StackObserved {
	if seen, found := s.stacks[id]; found {
		return seen
	}
	return wire.StackObserved{Stack: id, Containers: []stacks.ContainerState{}}
}

// ids returns the stacks in order.
func (s sight) ids() []core.StackID {
	ids := make([]core.StackID, 0, len(s.stacks))
	for id := range s.stacks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// keep takes over from an earlier sight what was seen of some stacks.
func (s sight) keep(before sight, ids []core.StackID) {
	for _, id := range ids {
		delete(s.stacks, id)
		delete(s.projects, id)
		if old, known := before.stacks[id]; known {
			s.stacks[id], s.projects[id] = old, before.projects[id]
		}
	}
}

// without returns the sight as if some stacks had not been seen.
func (s sight) without(ids []core.StackID) sight {
	if len(ids) == 0 {
		return s
	}
	less := sight{stacks: maps.Clone(s.stacks), projects: maps.Clone(s.projects)}
	less.keep(sight{}, ids)
	return less
}

// changed returns the stacks that differ from what was seen before, those that are gone included.
func (s sight) changed(before sight) []wire.StackObserved {
	var out []wire.StackObserved
	for _, id := range s.ids() {
		if old, known := before.stacks[id]; !known || !sameStack(old, s.stacks[id]) {
			out = append(out, s.stacks[id])
		}
	}
	for _, id := range before.ids() {
		if _, still := s.stacks[id]; !still {
			out = append(out, s.stack(id))
		}
	}
	return out
}

func sameStack(a, b wire.StackObserved) bool {
	return a.Revision == b.Revision && slices.EqualFunc(a.Containers, b.Containers, func(x, y stacks.ContainerState) bool {
		return reflect.DeepEqual(x, y)
	})
}
