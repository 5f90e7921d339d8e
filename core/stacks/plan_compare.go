package stacks

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PlanInput is what a plan is made from. Containers keep the number of the revision that
// they were made from, which may be older than the one in place.
type PlanInput struct {
	Next          Project         // what would be deployed
	Base          Project         // what is in place; empty: nothing
	Made          map[int]Project // by revision number; one that is not there goes by Base
	Containers    []ContainerState
	Options       DeployOptions
	RemoveOrphans bool
}

// PlanServices says what would become of each compose service, by name, and what people should know
// beside it. It follows what Compose does (ServiceHash and reconcile.go of
// github.com/docker/compose/v5) and what the worker's engine adds to it; that an image's tag has
// moved cannot be seen from here.
func PlanServices(in PlanInput) (services []PlannedService, warnings []string) {
	p := &planner{PlanInput: in, byService: map[string][]ContainerState{}, verdicts: map[string]*verdict{}}
	for _, c := range Own(in.Containers) {
		p.byService[c.Service] = append(p.byService[c.Service], c)
	}
	for _, all := range p.byService {
		slices.SortFunc(all, func(a, b ContainerState) int { return replica(a) - replica(b) })
	}
	services = []PlannedService{}
	for _, name := range in.Next.serviceNames() {
		services = append(services, p.judge(name))
	}
	for _, name := range slices.Sorted(maps.Keys(p.byService)) {
		if _, wanted := in.Next.service(name); !wanted {
			services = append(services, p.orphan(name))
		}
	}
	slices.SortFunc(services, func(a, b PlannedService) int { return strings.Compare(a.Service, b.Service) })
	return services, p.volumeWarnings()
}

// UpToDate reports whether every compose service would be left as it is.
func UpToDate(services []PlannedService) bool {
	return !slices.ContainsFunc(services, func(s PlannedService) bool { return s.Action != PlanLeave })
}

// replica is the number that Compose gives a container of a compose service.
func replica(c ContainerState) int {
	number, err := strconv.Atoi(c.Container[strings.LastIndexAny(c.Container, "-_")+1:])
	if err != nil {
		return 1
	}
	return number
}

type planner struct {
	PlanInput
	byService map[string][]ContainerState // in order of their numbers
	verdicts  map[string]*verdict
}

// verdict is what becomes of the containers of one compose service.
type verdict struct {
	recreated bool             // one of those that stay in number
	why       []Reason         // they are replaced
	kept      []ContainerState // that are not replaced
	scale     []Reason         // their number changes
}

// down reports whether everything is taken down first.
func (p *planner) down() bool { return p.Options.RecreateNetworks || p.Options.RecreateVolumes }

// verdict decides which containers of a compose service are replaced. Compose trims
// those first that it would have to replace, then the highest numbers.
func (p *planner) verdict(name string) *verdict {
	if v, known := p.verdicts[name]; known {
		return v
	}
	v := &verdict{}
	p.verdicts[name] = v // Compose refuses circles; ours end here
	var stale []ContainerState
	for _, c := range p.byService[name] {
		if why := p.stale(name, c); len(why) > 0 {
			v.why, stale = unite(v.why, why), append(stale, c)
		} else {
			v.kept = append(v.kept, c)
		}
	}
	want, there := p.Next.scale(name), len(v.kept)+len(stale)
	v.kept = v.kept[:min(len(v.kept), want)]
	v.recreated = min(want, there) > len(v.kept)
	if want != there && there > 0 {
		v.scale = []Reason{{Kind: ReasonField, Name: "scale", Before: strconv.Itoa(there), After: strconv.Itoa(want)}}
	}
	return v
}

// unite adds the reasons that are not there yet.
func unite(all, more []Reason) []Reason {
	for _, r := range more {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// judge says what becomes of a compose service of the project.
func (p *planner) judge(name string) PlannedService {
	v := p.verdict(name)
	switch {
	case len(p.byService[name]) == 0 && p.Next.scale(name) == 0:
		return planned(name, PlanLeave, nil)
	case len(p.byService[name]) == 0:
		return planned(name, PlanCreate, p.whyCreate(name))
	case v.recreated:
		return planned(name, PlanRecreate, unite(v.why, v.scale))
	case len(v.scale) > 0:
		return planned(name, PlanScale, v.scale)
	}
	if restart := p.whyRestart(name); len(restart) > 0 {
		return planned(name, PlanRestart, restart)
	}
	if start := whyStart(v.kept); len(start) > 0 {
		return planned(name, PlanStart, start)
	}
	return planned(name, PlanLeave, nil)
}

func planned(name string, action PlanAction, why []Reason) PlannedService {
	return PlannedService{Service: name, Action: action, Reasons: append([]Reason{}, why...)}
}

// orphan says what becomes of containers that no compose service of the project claims.
func (p *planner) orphan(name string) PlannedService {
	gone := []Reason{{Kind: ReasonField, Name: "service", Before: clip(p.byService[name][0].Image)}}
	if p.RemoveOrphans || p.down() {
		return planned(name, PlanRemove, gone)
	}
	return planned(name, PlanLeave, gone)
}

// whyCreate says why a compose service gets its first containers.
func (p *planner) whyCreate(name string) []Reason {
	if _, known := p.Base.service(name); !known {
		return []Reason{{Kind: ReasonField, Name: "service", After: p.Next.image(name)}}
	}
	if p.Base.scale(name) == 0 {
		return []Reason{{Kind: ReasonField, Name: "scale", Before: "0", After: strconv.Itoa(p.Next.scale(name))}}
	}
	return []Reason{{Kind: ReasonContainer, Name: "container", Before: "missing"}}
}

// whyStart names the containers that do not run. Those that the engine restarts by itself do.
func whyStart(kept []ContainerState) []Reason {
	var why []Reason
	for _, c := range kept {
		if c.State != "running" && c.State != "restarting" {
			why = append(why, Reason{Kind: ReasonContainer, Name: c.Container, Before: c.State, After: "running"})
		}
	}
	return why
}

// whyRestart says with which compose services, that are replaced, this one is to be restarted.
func (p *planner) whyRestart(name string) []Reason {
	var why []Reason
	for _, other := range p.Next.restartsWith(name) {
		if p.verdict(other).recreated {
			why = append(why, Reason{Kind: ReasonService, Name: other, Before: "", After: string(PlanRecreate)})
		}
	}
	return why
}
