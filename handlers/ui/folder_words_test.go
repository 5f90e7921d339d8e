package ui

import (
	"strings"
	"testing"
)

// Adding a stack or a job refuses a folder that the newest commit lacks, so no page offers to name one before it is there.
func TestNoPageOffersAFolderThatIsNotThereYet(t *testing.T) {
	for name, s := range samples() {
		page, err := s.render()
		if err != nil {
			t.Fatal(name, err)
		}
		if strings.Contains(string(page), "folder that is to come") || strings.Contains(string(page), "one that is to come") {
			t.Errorf("%s offers to name a folder that is not there", name)
		}
	}
	page, err := samples()["job-add-first"].render()
	if err != nil || !strings.Contains(string(page), "offered here once the repository was read again") {
		t.Errorf("nobody is told what comes after the commit: %v", err)
	}
}
