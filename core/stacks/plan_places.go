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

// networkChanges says why Compose would make a network anew. Containers in it are stopped,
// moved over and started; they stay what they are.
func (p *planner) networkChanges(key string) []Reason {
	before, after := mappingAt(p.Base.section("networks"), key), mappingAt(p.Next.section("networks"), key)
	if before == nil || after == nil || external(before) || external(after) {
		return nil
	}
	return comparison{p.Base, p.Next}.values(ReasonNetwork, key, before, after)
}

// movedNetworks says which networks a container would have to be in and is not.
func (p *planner) movedNetworks(name string, made Project) []Reason {
	var why []Reason
	for _, key := range p.networksOf(name) {
		joined := mappingAt(made.section("networks"), key)
		if based := mappingAt(p.Base.section("networks"), key); joined != nil && !external(joined) && based != nil && !external(based) {
			joined = based // when a network is made anew its containers move over
		}
		if expected := p.expected("networks", key, false); expected != "" && joined != nil && nameOf(joined) != expected {
			why = append(why, Reason{Kind: ReasonNetwork, Name: key, Before: clip(nameOf(joined)), After: clip(expected)})
		}
	}
	return why
}

// movedVolumes says which volumes a container would have to mount and does not.
func (p *planner) movedVolumes(name string, made Project) []Reason {
	var why []Reason
	for _, key := range p.Next.volumesOf(name) {
		mounted := mappingAt(made.section("volumes"), key)
		if expected := p.expected("volumes", key, true); expected != "" && mounted != nil && nameOf(mounted) != expected {
			why = append(why, Reason{Kind: ReasonVolume, Name: key, Before: clip(nameOf(mounted)), After: clip(expected)})
		}
	}
	return why
}

// expected is the name of the network or volume that Compose compares containers with; empty
// when it would only just make it. A renamed volume counts under its new name at once, a
// renamed network under its old one until it was made anew.
func (p *planner) expected(section, key string, renamed bool) string {
	before, after := mappingAt(p.Base.section(section), key), mappingAt(p.Next.section(section), key)
	switch {
	case after == nil:
		return ""
	case external(after):
		return nameOf(after)
	case before == nil:
		return ""
	case external(before):
		if nameOf(before) != nameOf(after) {
			return ""
		}
		return nameOf(after)
	case renamed:
		return nameOf(after)
	}
	return nameOf(before)
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
		if len(comparison{p.Base, p.Next}.values(ReasonVolume, key, before, after)) > 0 {
			warnings = append(warnings, fmt.Sprintf("volume %s is defined otherwise now, but stays as it was made, so that its data is kept; "+
				"redeploy with recreate_volumes to make it anew, which deletes what it holds", clip(key)))
		}
	}
	return warnings
}

func external(object map[string]any) bool { return object["external"] == true }

func nameOf(object map[string]any) string { return plainText(object["name"]) }
