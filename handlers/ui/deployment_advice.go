package ui

import (
	"context"
	"strings"
	"time"

	"berth/core/stacks"
)

// adviceRead is how many pieces of a log advice is looked for in: lint speaks at its beginning.
const adviceRead = 200

// adviceOn is what lint advised in a deployment: what it said in the log while its phase ran. Whatever containers
// say comes later.
func adviceOn(ctx context.Context, reader DeploymentReader, d stacks.Deployment) ([]string, error) {
	end := lintEnd(d)
	if end.IsZero() {
		return nil, nil
	}
	pieces, err := reader.DeploymentLog(ctx, d.ID, 0, adviceRead)
	var all []string
	for _, piece := range pieces {
		if piece.At.After(end) {
			break
		}
		for line := range strings.Lines(piece.Text) {
			if said, is := strings.CutPrefix(strings.TrimRight(line, "\n"), "advice: "); is {
				all = append(all, sentence(said))
			}
		}
	}
	return all, err
}

// lintEnd is when the phase ended; zero while it did not, or was skipped.
func lintEnd(d stacks.Deployment) time.Time {
	for _, p := range d.Phases {
		if p.Name == stacks.PhaseLint && p.State == stacks.PhaseSucceeded {
			// The duration is in whole milliseconds, rounded down.
			return p.StartedAt.Add(time.Duration(p.DurationMS+1) * time.Millisecond)
		}
	}
	return time.Time{}
}
