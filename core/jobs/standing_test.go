package jobs

import (
	"testing"
	"time"
)

func TestHowAJobStands(t *testing.T) {
	then := time.Date(2025, 11, 21, 9, 0, 0, 0, time.UTC)
	for sentence, c := range map[string]struct {
		job  Job
		want Standing
	}{
		"it was not read yet":       {Job{}, StandingNew},
		"it has not run yet":        {Job{Commit: "c"}, StandingNew},
		"it ran well":               {Job{Commit: "c", LastState: RunSucceeded, LastSuccessAt: then}, StandingWell},
		"it failed":                 {Job{Commit: "c", LastState: RunFailed}, StandingFailing},
		"nobody knows how it ended": {Job{Commit: "c", LastState: RunLost}, StandingFailing},
		"no worker came":            {Job{Commit: "c", LastState: RunSkipped}, StandingFailing},
		"it cannot be read, and what ran last failed": {Job{Commit: "c", LastState: RunFailed, ErrorCode: "job.invalid"}, StandingBroken},
		"it could never be read":                      {Job{ErrorCode: "job.invalid"}, StandingBroken},
		"it missed times since it ran well":           {Job{Commit: "c", LastState: RunSucceeded, LastSuccessAt: then, MissedAt: then.Add(1)}, StandingMissed},
		"it ran well since it missed times":           {Job{Commit: "c", LastState: RunSucceeded, LastSuccessAt: then, MissedAt: then}, StandingWell},
		"it is paused":                                {Job{Commit: "c", LastState: RunSucceeded, LastSuccessAt: then, Paused: true}, StandingPaused},
		"it is paused and has not run yet":            {Job{Commit: "c", Paused: true}, StandingPaused},
		"it is paused because it fails":               {Job{Commit: "c", LastState: RunFailed, Paused: true}, StandingFailing},
	} {
		if got := c.job.Standing(); got != c.want {
			t.Errorf("%s: it is %s, want %s", sentence, got, c.want)
		}
	}
}
