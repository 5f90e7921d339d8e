package jobs

import (
	"strings"
	"testing"

	"berth/core/stacks"
)

func TestNamesAreProposed(t *testing.T) {
	for folder, want := range map[string]string{
		"jobs/Back Up!": "back-up", "": "the-apps", ".": "the-apps", "/": "the-apps", "a/": "a", "jobs/_x_": "x", "jobs/äöü": "job", "..": "the-apps",
		"jobs/" + strings.Repeat("n", 80):        strings.Repeat("n", 63),
		"jobs/" + strings.Repeat("n", 62) + "-x": strings.Repeat("n", 62),
	} {
		got := ProposeName(folder, "The Apps")
		if got != want {
			t.Errorf("%q becomes %q, want %q", folder, got, want)
		}
		if bad := stacks.CheckName(got); len(bad) > 0 {
			t.Errorf("%q is no name: %v", got, bad)
		}
	}
	if got := ProposeName("", "…"); got != "job" {
		t.Errorf("nothing to make a name of becomes %q", got)
	}
}
