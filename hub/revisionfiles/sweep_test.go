package revisionfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

const (
	stackA = core.StackID("stk_01jz8x0000000000000000000a")
	stackB = core.StackID("stk_01jz8x0000000000000000000b")
)

// storage is a Files whose test says how old what is in it is.
type storage struct {
	*Files
	t *testing.T
}

func openStorage(t *testing.T) storage {
	files, _ := openFiles(t)
	for _, id := range []core.StackID{stackA, stackB} {
		if !core.ValidID(core.PrefixStack, string(id)) {
			t.Fatalf("%s is no identifier", id)
		}
	}
	return storage{files, t}
}

func (s storage) put(stack core.StackID, number int, contents ...string) {
	s.t.Helper()
	err := s.PutCompose(s.t.Context(), stack, number, []byte("services: {}"))
	for _, content := range contents {
		err = errors.Join(err, s.PutBlob(s.t.Context(), digestOf(content), []byte(content)))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// age makes everything two hours old, and as if the process had been started since.
func (s storage) age() {
	s.t.Helper()
	s.fresh = map[string]int{}
	then := time.Now().Add(-2 * time.Hour)
	if err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	}); err != nil {
		s.t.Fatal(err)
	}
}

// keeping tells a sweep what is kept: of each stack revision 1 with these contents.
func keeping(stack core.StackID, contents ...string) func(Keep) error {
	return func(keep Keep) error {
		var all []core.ContentFile
		for _, content := range contents {
			all = append(all, core.ContentFile{Digest: digestOf(content)})
		}
		keep(stacks.KeptRevision{Stack: stack, Number: 1, Content: []core.Content{{Files: all}}})
		return nil
	}
}

func (s storage) sweep(each func(Keep) error) int {
	s.t.Helper()
	removed, err := s.Sweep(s.t.Context(), each)
	if err != nil {
		s.t.Fatal(err)
	}
	return removed
}

// has lists the files, blobs by their content.
func (s storage) has() (all []string) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(s.dir, path)
		if content, readErr := os.ReadFile(path); readErr == nil && validDigest(e.Name()) {
			name = string(content)
		}
		all = append(all, name)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func (s storage) wants(names ...string) {
	s.t.Helper()
	slices.Sort(names)
	if got := s.has(); !slices.Equal(got, names) {
		s.t.Errorf("there are %q, want %q", got, names)
	}
}

func compose(stack core.StackID, number int) string {
	return fmt.Sprintf("%s/%d/compose.yaml", stack, number)
}

func TestSweepRemovesWhatNoRevisionNeeds(t *testing.T) {
	s := openStorage(t)
	s.put(stackA, 1, "shared", "of one")
	s.put(stackA, 2, "shared", "of two")
	s.put(stackB, 1, "shared", "of b")
	half := filepath.Join(s.dir, "blobs", digestOf("of one")[:2], newPrefix+"1")
	if err := os.WriteFile(half, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.age()
	if n := s.sweep(keeping(stackA, "shared", "of one")); n != 5 {
		t.Errorf("%d files were removed", n)
	}
	s.wants(compose(stackA, 1), "shared", "of one")
	if _, err := os.Stat(filepath.Join(s.dir, string(stackB))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a stack that is gone: %v", err)
	}
	if n := s.sweep(keeping(stackA, "shared", "of one")); n != 0 {
		t.Errorf("a second sweep removed %d files", n)
	}
}

func TestSweepLeavesWhatADeploymentIsStoring(t *testing.T) {
	nothing := func(Keep) error { return nil }
	t.Run("young files", func(t *testing.T) {
		s := openStorage(t)
		s.put(stackA, 1, "new")
		s.fresh = map[string]int{} // by another process, which has ended
		s.sweep(nothing)
		s.wants(compose(stackA, 1), "new")
	})
	t.Run("old files that are stored again", func(t *testing.T) {
		s := openStorage(t)
		s.put(stackA, 1, "again", "not again")
		s.age()
		s.put(stackA, 1, "again")
		s.sweep(nothing)
		s.wants(compose(stackA, 1), "again")
		s.sweep(nothing) // the clock has not moved, but the deployment had a whole round
		s.wants(compose(stackA, 1))
	})
	t.Run("while the kept revisions are read", func(t *testing.T) {
		s := openStorage(t)
		s.put(stackA, 1, "again")
		s.age()
		s.sweep(func(Keep) error { s.put(stackA, 1, "again"); return nil })
		s.wants(compose(stackA, 1), "again")
	})
	t.Run("on a clock that has jumped", func(t *testing.T) {
		s := openStorage(t)
		s.put(stackA, 1, "new")
		then := time.Now().Add(-1000 * time.Hour)
		if err := os.Chtimes(filepath.Join(s.dir, compose(stackA, 1)), then, then); err != nil {
			t.Fatal(err)
		}
		s.sweep(nothing)
		s.wants(compose(stackA, 1), "new")
	})
}

func TestSweepLeavesWhatAnIllegibleRevisionMayNeed(t *testing.T) {
	s := openStorage(t)
	s.put(stackA, 1, "of a")
	s.put(stackA, 2)
	s.put(stackB, 1, "of b")
	s.put(stackB, 2)
	s.age()
	n := s.sweep(func(keep Keep) error {
		keep(stacks.KeptRevision{Stack: stackA, Number: 1, Illegible: true})
		keep(stacks.KeptRevision{Stack: stackB, Number: 1})
		return nil
	})
	if n != 1 {
		t.Errorf("%d files were removed", n)
	}
	s.wants(compose(stackA, 1), compose(stackA, 2), compose(stackB, 1), "of a", "of b")
}

func TestSweepThatDoesNotKnowWhatIsKeptRemovesNothing(t *testing.T) {
	s := openStorage(t)
	s.put(stackA, 1, "x")
	s.age()
	broken := errors.New("the database is away")
	if n, err := s.Sweep(t.Context(), func(Keep) error { return broken }); n != 0 || !errors.Is(err, broken) {
		t.Errorf("%d files, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if n, err := s.Sweep(ctx, func(Keep) error { cancel(); return nil }); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a sweep that is called off: %d files, %v", n, err)
	}
	s.wants(compose(stackA, 1), "x")
}

// Deployments store while sweeps run, one after the other; what they stored is there when they look.
func TestSweepsAndDeploymentsAtOnce(t *testing.T) {
	s := openStorage(t)
	var all sync.WaitGroup
	stop := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := s.Sweep(t.Context(), func(Keep) error { return nil }); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	var deploying sync.WaitGroup
	for i := range 4 {
		deploying.Go(func() {
			for n := range 50 {
				content := fmt.Sprint(i, " ", n%3)
				if err := errors.Join(s.PutBlob(t.Context(), digestOf(content), []byte(content)), s.PutCompose(t.Context(), stackA, i, []byte(content))); err != nil {
					t.Error(err)
					return
				}
				blob, err := s.OpenBlob(digestOf(content))
				if err != nil {
					t.Error(err)
					return
				}
				blob.Close()
				if _, err := s.Compose(stackA, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	deploying.Wait()
	close(stop)
	all.Wait()
}
