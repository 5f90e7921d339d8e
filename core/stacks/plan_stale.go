package stacks

import (
	"maps"
	"slices"
)

// stale says why a container would be replaced; nothing when it would not.
func (p *planner) stale(name string, c ContainerState) []Reason {
	why := p.asked()
	for _, trait := range traitsOf(c) { // who was only stopped is started
		why = append(why, Reason{Kind: ReasonContainer, Name: clip(trait), Before: "changed by hand"})
	}
	if c.State == "created" { // it may have been made in part; the worker replaces it
		why = append(why, Reason{Kind: ReasonContainer, Name: c.Container, Before: "never started", After: "running"})
	}
	made, kept := p.Made[c.Revision]
	if !kept {
		made = p.Base
	}
	if _, known := made.service(name); !known {
		return append(why, Reason{Kind: ReasonContainer, Name: "container", Before: "made from an unknown revision"})
	}
	why = append(why, comparison{made, p.Next}.service(name)...)
	why = append(why, p.fromParents(name)...)
	why = append(why, p.movedNetworks(name, made)...)
	return append(why, p.movedVolumes(name, made)...)
}

// asked says which options of the deployment replace every container.
func (p *planner) asked() []Reason {
	var why []Reason
	for _, o := range []struct {
		name string
		set  bool
	}{{"recreate_containers", p.Options.RecreateContainers}, {"recreate_networks", p.Options.RecreateNetworks}, {"recreate_volumes", p.Options.RecreateVolumes}} {
		if o.set {
			why = append(why, Reason{Kind: ReasonOption, Name: o.name, After: "true"})
		}
	}
	return why
}

// fromParents says which compose services whose container this one is bound to get another one.
func (p *planner) fromParents(name string) []Reason {
	parents := p.Next.parents(name)
	var why []Reason
	for _, parent := range slices.Sorted(maps.Keys(parents)) {
		switch {
		case p.verdict(parent).recreated:
			why = append(why, Reason{Kind: ReasonService, Name: parent, Before: parents[parent], After: string(PlanRecreate)})
		case len(p.byService[parent]) == 0:
			why = append(why, Reason{Kind: ReasonService, Name: parent, Before: parents[parent], After: string(PlanCreate)})
		}
	}
	return why
}
