package ui

import (
	"strings"
	"time"

	"berth/core/stacks"
)

// phaseStripe draws how long the phases of a deployment took, on the scale of the longest that is listed with it.
type phaseStripe struct {
	Text  string // the same in words; empty: there is nothing to draw
	Parts []stripePart
}

type stripePart struct {
	X, W int // of stripeLength
	Kind string
}

const stripeLength = 1000

// stripeKinds are the kinds of phases that a stripe tells apart; all that comes before the pull is preparation.
var stripeKinds = []struct {
	kind, word string
	phases     []stacks.PhaseName
}{
	{"prepare", "prepare", []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseLint, stacks.PhaseRender, stacks.PhasePolicy, stacks.PhaseSecrets, stacks.PhaseDispatch}},
	{"pull", "pull images", []stacks.PhaseName{stacks.PhasePull}},
	{"apply", "apply", []stacks.PhaseName{stacks.PhaseApply}},
	{"verify", "wait until healthy", []stacks.PhaseName{stacks.PhaseVerify}},
}

// stripes draws deployments that ended on one scale, by their place in the list.
func stripes(all []stacks.Deployment) []phaseStripe {
	longest := time.Duration(0)
	for _, d := range all {
		longest = max(longest, phaseSum(d, ""))
	}
	drawn := make([]phaseStripe, len(all))
	for i, d := range all {
		if longest == 0 || !d.State.Ended() {
			continue
		}
		var words []string
		x := 0
		for _, k := range stripeKinds {
			lasted := phaseSum(d, k.kind)
			if lasted == 0 {
				continue
			}
			width := max(4, int(int64(stripeLength)*int64(lasted)/int64(longest)))
			width = min(width, stripeLength-x)
			drawn[i].Parts = append(drawn[i].Parts, stripePart{x, width, k.kind})
			words, x = append(words, k.word+" "+took(lasted)), x+width
		}
		drawn[i].Text = strings.Join(words, ", ")
	}
	return drawn
}

// phaseSum is how long the phases of a kind took together; of all kinds when none is named.
func phaseSum(d stacks.Deployment, kind string) (sum time.Duration) {
	for _, k := range stripeKinds {
		for _, name := range k.phases {
			for _, p := range d.Phases {
				if p.Name == name && (kind == "" || kind == k.kind) {
					sum += time.Duration(p.DurationMS) * time.Millisecond
				}
			}
		}
	}
	return sum
}
