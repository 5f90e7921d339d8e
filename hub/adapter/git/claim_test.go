package git

import (
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/hub/flock"
)

// TestMirrorsBelongToOneServer, which no other may open beside it, and which sees no mirror in what keeps that one away.
func TestMirrorsBelongToOneServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repos")
	release, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Claim(t.Context(), dir)
	if fault.CodeOf(err) != "git.workspace_in_use" || !fault.Is(err, fault.Conflict) || !strings.Contains(fault.PublicOf(err), dir) {
		t.Errorf("a second one: %v", err)
	}
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := r.Mirrors(); err != nil || len(all) > 0 {
		t.Errorf("mirrors: %v, %v", all, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(t.Context(), filepath.Join(dir, flock.File)); fault.CodeOf(err) != "git.workspace" {
		t.Errorf("where there can be no folder: %v", err)
	}
}
