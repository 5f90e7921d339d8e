package ui

import (
	"slices"
	"testing"
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
