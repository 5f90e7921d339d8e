package stacks

import (
	"fmt"
	"maps"
	"slices"
)

// Networks and volumes outlive the containers that use them, and services name them by a key. What
// stands behind a key on the host follows from what is in place.

// networksOf returns the keys of the networks that a compose service joins.
func (p *planner) networksOf(name string) []string {
	s, _ := p.Next.service(name)
	return slices.Sorted(maps.Keys(mappingAt(s, "networks")))
}

// movedNetworks says which networks a container would have to be in and is not, and which of its networks
// are made anew. Compose would only move its containers over to those, and they would lose the name of
// their compose service there, so the worker replaces them.
func (p *planner) movedNetworks(name string, made Project) []Reason {
	var why []Reason
	for _, key := range p.networksOf(name) {
		joined, base, next := mappingAt(made.section("networks"), key), mappingAt(p.Base.section("networks"), key), mappingAt(p.Next.section("networks"), key)
		switch {
		case joined == nil || next == nil: // the compose service did not name it, which is another reason
		case nameOf(joined) != nameOf(next):
			why = append(why, Reason{Kind: ReasonNetwork, Name: key, Before: clip(nameOf(joined)), After: clip(nameOf(next))})
		case base != nil && !external(base) && !external(next):
			why = append(why, comparison{p.Base, p.Next}.values(ReasonNetwork, key, itemOf(base), itemOf(next))...)
		}
	}
	return why
}

// movedVolumes says which volumes a container would have to mount and does not.
func (p *planner) movedVolumes(name string, made Project) []Reason {
	var why []Reason
	for _, key := range p.Next.volumesOf(name) {
		mounted := mappingAt(made.section("volumes"), key)
		if expected := p.expected(key); expected != "" && mounted != nil && nameOf(mounted) != expected {
			why = append(why, Reason{Kind: ReasonVolume, Name: key, Before: clip(nameOf(mounted)), After: clip(expected)})
		}
	}
	return why
}

// expected is the name of the volume that Compose compares mounts with; empty when it would
// only just make it.
func (p *planner) expected(key string) string {
	before, after := mappingAt(p.Base.section("volumes"), key), mappingAt(p.Next.section("volumes"), key)
	switch {
	case after == nil, !external(after) && before == nil, !external(after) && external(before) && nameOf(before) != nameOf(after):
		return ""
	}
	return nameOf(after)
}

// volumeWarnings names the volumes whose definition has changed. Compose asks before it deletes
// what they hold; the answer is no.
func (p *planner) volumeWarnings() []string {
	var warnings []string
	if p.Options.RecreateVolumes {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(p.Next.section("volumes"))) {
		before, after := mappingAt(p.Base.section("volumes"), key), mappingAt(p.Next.section("volumes"), key)
		if before == nil || after == nil || external(before) || external(after) || nameOf(before) != nameOf(after) {
			continue
		}
		if len(comparison{p.Base, p.Next}.values(ReasonVolume, key, itemOf(before), itemOf(after))) > 0 {
			warnings = append(warnings, fmt.Sprintf("volume %s is defined otherwise now, but stays as it was made, so that its data is kept; "+
				"redeploy with recreate_volumes to make it anew, which deletes what it holds", clip(key)))
		}
	}
	return warnings
}

func external(object map[string]any) bool { return object["external"] == true }

func nameOf(object map[string]any) string { return plainText(object["name"]) }
