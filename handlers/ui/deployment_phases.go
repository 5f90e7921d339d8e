package ui

import (
	"time"

	"berth/core/stacks"
)

type phaseLine struct {
	Name    string
	Badge   badge
	Message string
	Took    string
	X, W    int // where it lies on a line of 1000 from start to end
}

// phaseOrder lists the phases that every deployment goes through, phaseWords what they are about, phaseDoing what a
// deployment is at in one of them.
var (
	phaseOrder = []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseLint, stacks.PhaseRender, stacks.PhasePolicy, stacks.PhaseSecrets,
		stacks.PhaseDispatch, stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify}
	phaseWords = map[stacks.PhaseName]string{
		stacks.PhaseFetch: "Fetch the commit", stacks.PhaseLint: "Read the manifest", stacks.PhasePolicy: "Check the policy",
		stacks.PhaseRender: "Render", stacks.PhaseSecrets: "Resolve secrets", stacks.PhaseDispatch: "Hand to the worker",
		stacks.PhasePull: "Pull images", stacks.PhaseApply: "Apply", stacks.PhaseVerify: "Wait until healthy",
	}
	phaseDoing = map[stacks.PhaseName]string{
		stacks.PhaseFetch: "The commit is being fetched.", stacks.PhaseLint: "Its manifest is being read.", stacks.PhasePolicy: "It is held against the policy.",
		stacks.PhaseRender: "Its Compose file is being rendered.", stacks.PhaseSecrets: "Its secrets are being resolved.", stacks.PhaseDispatch: "It is being handed to the worker.",
		stacks.PhasePull: "Its images are being pulled.", stacks.PhaseApply: "Its containers are being made and started.", stacks.PhaseVerify: "Its compose services are on the way to being healthy.",
	}
)

// tellOnce points up to why a deployment failed, which stands at the top of its page, where a phase would tell it again.
func tellOnce(phases []phaseLine, why string) {
	reason := tellingOf(why).withoutQuote().brief()
	for i := range phases {
		if phases[i].Message == reason {
			phases[i].Message = "It failed here. The reason is at the top."
		}
	}
}

// phaseLines lists all phases, those that were not reached included, on one scale. What the container wrote stands above them.
func phaseLines(d stacks.Deployment, end time.Time) []phaseLine {
	reached := map[stacks.PhaseName]stacks.Phase{}
	begin := end
	for _, p := range d.Phases {
		reached[p.Name] = p
		if p.StartedAt.Before(begin) {
			begin = p.StartedAt
		}
	}
	whole := max(end.Sub(begin), time.Millisecond)
	lines := make([]phaseLine, 0, len(phaseOrder))
	for _, name := range phaseOrder {
		p := reached[name]
		line := phaseLine{Name: phaseWords[name], Badge: badgeOf(phaseBadges, p.State), Message: tellingOf(p.Message).withoutQuote().brief()}
		if p.State != "" && p.State != stacks.PhaseSkipped {
			lasted := time.Duration(p.DurationMS) * time.Millisecond
			if p.State == stacks.PhaseRunning {
				lasted = end.Sub(p.StartedAt)
			}
			line.Took = took(lasted)
			line.X = int(1000 * p.StartedAt.Sub(begin) / whole)
			line.W = min(max(6, int(1000*lasted/whole)), 1000-min(line.X, 994))
			line.X = min(line.X, 994)
		}
		lines = append(lines, line)
	}
	return lines
}
