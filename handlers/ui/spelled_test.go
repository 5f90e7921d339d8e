package ui

import (
	"testing"

	"berth/core/stacks"
)

// A folder is spelled as it is in the repository, in the history as well as among the decisions.
func TestAFolderAtTheBeginningIsNotCapitalised(t *testing.T) {
	for _, c := range []struct{ cause, folder, want string }{
		{"web changed at commit 77aa10b2", "web", "web changed at commit 77aa10b2"},
		{"its turn has come", "web", "Its turn has come."},
		{"its turn has come", "", "Its turn has come."},
		{"engine.unhealthy", "web", "engine.unhealthy"},
		{"engine.unhealthy: revision 1 is put back", "web", "Revision 1 is put back."},
		{"revision 1 was not put back: engine.apply", "web", "Revision 1 was not put back."},
		{"web: revision 1 is put back", "", "web: revision 1 is put back."},
	} {
		lines := historyOf([]stacks.DeploymentEvent{{Cause: c.cause}}, c.folder, sampleNow)
		if len(lines) != 1 || lines[0].What != c.want {
			t.Errorf("%q in %q: %+v, want %q", c.cause, c.folder, lines, c.want)
		}
	}
	if line := showDecision(stacks.Decision{Reason: "web changed"}, "web", sampleNow); line.Reason != "web changed" {
		t.Errorf("the decision says %q", line.Reason)
	}
}
