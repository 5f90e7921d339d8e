package ui

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/stacks"
)

func TestWhatCausedADeployment(t *testing.T) {
	for want, d := range map[string]stacks.Deployment{
		"New commit":       {Trigger: stacks.TriggerPoll},
		"Retry, attempt 3": {Trigger: stacks.TriggerPoll, RetryOf: "dep_1", Attempt: 3},
		"Retry, attempt 2": {Trigger: stacks.TriggerRollback, RetryOf: "dep_1", Attempt: 2},
		"weather":          {Trigger: "weather"},
	} {
		if got := causeWord(d); got != want || lineOf(d, sampleNow, hubNotice{}).Trigger != want {
			t.Errorf("%+v is caused by %q, want %q", d, got, want)
		}
	}
}

func TestWhatACancelledDeploymentLeft(t *testing.T) {
	began := []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseCancelled}}
	for name, c := range map[string]struct {
		d    stacks.Deployment
		want string
	}{
		"queued":    {stacks.Deployment{}, "Nothing was changed."},
		"fetching":  {stacks.Deployment{StartedAt: sampleNow}, "What ran before runs on."},
		"applying":  {stacks.Deployment{StartedAt: sampleNow, Revision: 3, Phases: began}, "while revision 3 was being applied, and nothing was put back"},
		"restoring": {stacks.Deployment{StartedAt: sampleNow, Revision: 3, Phases: began, Restore: stacks.Restore{Revision: 2}}, "while revision 2 was being put back"},
	} {
		c.d.State, c.d.Error, c.d.CancelledBy = stacks.DeploymentCancelled, "cancelled", "ada"
		p := showDeployment(c.d, sampleStack(), sampleNow)
		if !strings.Contains(p.Note, c.want) || p.Trouble.Text != "" || p.CancelledBy != "ada" {
			t.Errorf("%s: %+v, trouble %+v", name, p.Note, p.Trouble)
		}
	}
}

func TestWhatWasNotVerified(t *testing.T) {
	broken := stacks.Stack{Status: stacks.StatusError, Revision: 2}
	applied := stacks.Deployment{State: stacks.DeploymentCancelled, Revision: 3, Phases: []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseCancelled}}}
	fetched := stacks.Deployment{State: stacks.DeploymentFailed, Phases: []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseFailed}}}
	good := stacks.Deployment{State: stacks.DeploymentSucceeded, Revision: 2, Phases: applied.Phases}
	moving := applied
	moving.Aim.Worker = "wrk_2"
	for name, c := range map[string]struct {
		s       stacks.Stack
		newest  []stacks.Deployment
		want    int
		unclear bool
	}{
		"cancelled while it was applied":  {broken, []stacks.Deployment{applied, good}, 3, true},
		"a failure before that":           {broken, []stacks.Deployment{fetched, applied, good}, 3, true},
		"it failed before it was applied": {broken, []stacks.Deployment{fetched, good, applied}, 0, false},
		"it was to move":                  {broken, []stacks.Deployment{moving, good}, 0, false},
		"all is well":                     {stacks.Stack{Status: stacks.StatusActive}, []stacks.Deployment{applied}, 0, false},
		"nothing is known":                {broken, nil, 0, false},
	} {
		if got, unclear := unverifiedIn(c.s, c.newest); got != c.want || unclear != c.unclear {
			t.Errorf("%s: revision %d, %t", name, got, unclear)
		}
	}
	if placeOf(broken).Word != "Ran well last" || placeOf(stacks.Stack{Status: stacks.StatusDegraded}).Word != "In place" {
		t.Error("a revision is said to be in place when nobody knows, or not when it is")
	}
}

func TestHowAFileDiffers(t *testing.T) {
	line := changeLineOf(stacks.ReasonFile, "a.conf", "sha256:1", "sha256:2")
	line.putDiff("@@ line 2 @@\n same\n-old\n+new\n(3 more lines)")
	want := []diffLine{{"is-mark", "", "line 2"}, {"", "", "same"}, {"is-gone", "-", "old"}, {"is-new", "+", "new"}, {"is-mark", "", "3 more lines"}}
	if !reflect.DeepEqual(line.Lines, want) || line.Before+line.After != "" || line.Arrow {
		t.Errorf("it is shown as %+v", line)
	}
	binary := changeLineOf(stacks.ReasonFile, "a.png", "sha256:1", "sha256:2")
	binary.putDiff("(binary: 3 bytes become 4)")
	if binary.Remark != "binary: 3 bytes become 4" || !binary.Arrow || binary.Lines != nil {
		t.Errorf("it is shown as %+v", binary)
	}
}

func TestWhenARevisionRan(t *testing.T) {
	s := sampleStack()
	if l := revisionOf(stacks.Revision{Number: 3, VerifiedAt: before(time.Hour)}, s, sampleNow); l.Ran.Ago != "1 h ago" {
		t.Errorf("it ran %+v", l.Ran)
	}
	if l := revisionOf(stacks.Revision{Number: 3}, s, sampleNow); l.Ran.ISO != "" {
		t.Errorf("it never ran, but %+v", l.Ran)
	}
}
