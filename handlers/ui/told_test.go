package ui

import (
	"slices"
	"strings"
	"testing"

	"berth/core/stacks"
)

func TestAListOfProblemsIsToldLineByLine(t *testing.T) {
	for text, c := range map[string]struct {
		head  string
		items []string
		brief string
	}{
		"":                           {"", nil, ""},
		"job.yaml: image: line 3: x": {"job.yaml: image: line 3: x.", nil, "job.yaml: image: line 3: x."},
		"job.yaml has 2 problems:\nimage: line 3: must be text\n\ncron: line 4: x\n": {"job.yaml has 2 problems:", []string{"image: line 3: must be text.", "cron: line 4: x."},
			"job.yaml has 2 problems: image: line 3: must be text. And 1 more."},
		"web failed. It said last:\nlistening\nport in use\n": {"Web failed. It said last:", []string{"listening", "port in use"},
			`Web failed. It said last: "port in use".`},
		"the policy refuses it:\nvolumes[0]: x": {"The policy refuses it:", []string{"volumes[0]: x."}, "The policy refuses it: volumes[0]: x."},
	} {
		got := tellingOf(text)
		if got.Text != c.head || !slices.Equal(got.Items, c.items) || inBrief(text) != c.brief {
			t.Errorf("%q is told as %q %q, in brief %q", text, got.Text, got.Items, inBrief(text))
		}
	}
}

func TestWhatAContainerWroteIsNotToldTwice(t *testing.T) {
	for text, want := range map[string]string{
		"web failed. It said last:\nport in use": "Web failed.",
		"job.yaml has 2 problems:\nimage: x":     "job.yaml has 2 problems:",
	} {
		if got := tellingOf(text).withoutQuote(); got.Text != want || got.Quote {
			t.Errorf("%q is told as %+v, want %q", text, got, want)
		}
	}
}

func TestAPhaseDoesNotTellAgainWhyTheDeploymentFailed(t *testing.T) {
	const why = "web failed. It said last:\nport in use"
	d := stacks.Deployment{State: stacks.DeploymentFailed, Error: why, FailedService: "web", FailedLines: "port in use",
		Phases: []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseSucceeded, Message: "web: started"}, {Name: stacks.PhaseVerify, State: stacks.PhaseFailed, Message: why}}}
	said := func(d stacks.Deployment) string {
		var all []string
		for _, line := range showDeployment(d, stacks.Stack{}, sampleNow).Phases {
			if line.Message != "" {
				all = append(all, line.Message)
			}
		}
		return strings.Join(all, " ")
	}
	if got := said(d); got != "web: started. It failed here. The reason is at the top." {
		t.Errorf("the phases of one that failed say %q", got)
	}
	d.State = stacks.DeploymentCancelled // the top tells of that instead
	if got := said(d); got != "web: started. Web failed." {
		t.Errorf("the phases of one that was cancelled say %q", got)
	}
}
