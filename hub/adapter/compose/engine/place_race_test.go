package engine

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"berth/hub/worker"
)

// TestR3AFolderThatChangesWhileItIsLookedAt: a container that has the stack's folder swaps a part of the path with
// a symbolic link again and again. Whatever the worker makes, it makes within the stack's folder.
func TestR3AFolderThatChangesWhileItIsLookedAt(t *testing.T) {
	dir := t.TempDir()
	victim, state := filepath.Join(dir, "victim"), filepath.Join(dir, "state")
	for _, folder := range []string{victim, state, filepath.Join(dir, "real")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		part := filepath.Join(state, "a")
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.RemoveAll(part)
				_ = os.Symlink(victim, part)
				_ = os.Remove(part)
				_ = os.Mkdir(part, 0o755)
			}
		}
	})
	h := host{p: worker.Project{StateDir: state + "/"}}
	refused, made := 0, 0
	for range 20_000 {
		if _, err := h.state("web", "a/b/c"); err == nil {
			made++
		} else if refused++; !strings.HasPrefix(err.Error(), "engine.apply") {
			t.Fatal(err)
		}
	}
	close(stop)
	swapping.Wait()
	t.Logf("%d were made, %d refused", made, refused)
	if found, err := os.ReadDir(victim); err != nil || len(found) > 0 {
		t.Errorf("outside of the stack's folder there is %v, %v", found, err)
	}
	if made == 0 || refused == 0 {
		t.Errorf("%d made and %d refused: the race did not happen", made, refused)
	}
}
