package ui

import (
	"context"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// adviceLog is a log in which lint and a container say advice.
type adviceLog struct {
	DeploymentReader
	began time.Time
}

func (l adviceLog) DeploymentLog(context.Context, core.DeploymentID, uint64, int) ([]stacks.LogLine, error) {
	return []stacks.LogLine{{Number: 1, At: l.began, Text: "fetch: commit 9f31\n"}, {Number: 2, At: l.began.Add(time.Second), Text: "advice: service web has no health check\nadvice: image web has no tag\n"},
		{Number: 3, At: l.began.Add(time.Minute), Text: "advice: buy now\n"}}, nil
}

func TestADeploymentShowsWhatLintAdvised(t *testing.T) {
	began := time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		state stacks.PhaseState
		want  []string
	}{
		"what lint said, and nothing that a container says later": {stacks.PhaseSucceeded, []string{"Service web has no health check.", "Image web has no tag."}},
		"a skipped phase says nothing":                            {stacks.PhaseSkipped, nil},
	} {
		d := stacks.Deployment{Phases: []stacks.Phase{{Name: stacks.PhaseLint, State: c.state, StartedAt: began, DurationMS: 1000}}}
		if got, err := adviceOn(t.Context(), adviceLog{began: began}, d); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
