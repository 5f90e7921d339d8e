package ui

import (
	"maps"
	"slices"

	"berth/core"
	"berth/core/stacks"
)

// projectLine is a compose service as it would be deployed.
type projectLine struct {
	Name, Image string
	Scale       int // how many containers; 0: none
	Ports       []string
	Mounts      []string // volumes, and what it has of the host's own files
	Networks    []string
	Secrets     []string // names of the secret variables that reach it
}

// planProject is what would be deployed, whatever is in place.
type planProject struct {
	Lines    []projectLine
	Networks []string
	Volumes  []string
	Graph    serviceGraph
}

func projectOf(plan stacks.Plan) planProject {
	var p planProject
	networks := map[string]bool{}
	for _, s := range plan.Wanted {
		line := projectLine{Name: s.Name, Image: s.Image, Scale: max(1, s.Scale), Ports: s.Ports, Mounts: slices.Concat(s.Volumes, s.Binds), Networks: s.Networks, Secrets: s.Variables}
		if s.Idle {
			line.Scale = 0
		}
		p.Lines = append(p.Lines, line)
		gather(networks, s.Networks)
	}
	p.Networks, p.Volumes = slices.Sorted(maps.Keys(networks)), volumesOf(plan.Wanted)
	p.Graph = drawServices(plan.Wanted, func(name string) (badge, string) { return actionOf(plan.Services, name), "" })
	return p
}

// volumesOf are the named volumes that compose services mount.
func volumesOf(services []core.ComposeService) []string {
	volumes := map[string]bool{}
	for _, s := range services {
		gather(volumes, s.Volumes)
	}
	return slices.Sorted(maps.Keys(volumes))
}

func gather(all map[string]bool, names []string) {
	for _, n := range names {
		all[n] = true
	}
}

// actionOf is what would become of a compose service.
func actionOf(planned []stacks.PlannedService, name string) badge {
	for _, p := range planned {
		if p.Service == name {
			return badgeOf(planBadges, p.Action)
		}
	}
	return badge{"idle", "circle", "Not planned"}
}
