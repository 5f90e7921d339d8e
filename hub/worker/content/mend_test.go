package content

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"berth/core"
)

func TestDamageIsMended(t *testing.T) {
	cases := map[string]struct {
		damage func(dir string) error
		wants  []string // texts that have to be brought here again
	}{
		"nothing":                {func(string) error { return nil }, nil},
		"a file was written to":  {func(dir string) error { return overwrite(dir+"/a", "ONE") }, []string{"one"}},
		"a file was cut":         {func(dir string) error { return os.Truncate(dir+"/a", 1) }, []string{"one"}},
		"an executable was":      {func(dir string) error { return overwrite(dir+"/sub/run", "TWO") }, []string{}},
		"a file is gone":         {func(dir string) error { return os.Remove(dir + "/sub/run") }, []string{}},
		"a file is too many":     {func(dir string) error { return os.WriteFile(dir+"/sub/more", nil, 0o444) }, []string{}},
		"a folder is too many":   {func(dir string) error { return os.Mkdir(dir+"/empty", 0o755) }, []string{}},
		"a file is a link":       {func(dir string) error { return errors.Join(os.Remove(dir+"/a"), os.Symlink("sub/run", dir+"/a")) }, []string{}},
		"a file may be executed": {func(dir string) error { return os.Chmod(dir+"/sub/run", 0o777) }, []string{}},
		"a file is in its place": {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) }, []string{}},
		"a crash left a part":    {func(dir string) error { return os.RemoveAll(dir + "/sub") }, []string{}},
		"the blob alone was hurt": {func(dir string) error {
			return overwrite(filepath.Join(dir, "../..", blobPath(digestOf("two"))), "TWO")
		}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			content := contentOf("conf", "a", "one", "sub/run*", "two")
			contents := []core.Content{content}
			put(t, s, "one")
			put(t, s, "two")
			must(t, s.Build(t.Context(), contents))
			must(t, c.damage(filepath.Join(s.ContentDir(), content.Digest)))

			damaged, err := s.Mend(t.Context(), contents)
			if err != nil || (c.wants != nil) != slices.Equal(damaged, []string{"conf"}) || c.wants == nil && len(damaged) != 0 {
				t.Fatalf("damaged %v, %v", damaged, err)
			}
			wants := s.Missing(contents)
			if len(wants) != len(c.wants) || len(wants) == 1 && wants[0].Digest != digestOf(c.wants[0]) {
				t.Errorf("wants %+v, want %v", wants, c.wants)
			}
			for _, text := range c.wants {
				put(t, s, text)
			}
			must(t, s.Build(t.Context(), contents))
			if damaged, err := s.Mend(t.Context(), contents); err != nil || len(damaged) != 0 {
				t.Errorf("after the repair %v are damaged, %v", damaged, err)
			}
			if data, err := os.ReadFile(filepath.Join(s.ContentDir(), content.Digest, "sub/run")); string(data) != "two" {
				t.Errorf("the file holds %q, %v", data, err)
			}
		})
	}
}

// What is damaged stays until a sound copy is there: another stack may mount it, and what is missing
// may not come.
func TestDamagedContentStaysUntilItIsReplaced(t *testing.T) {
	s := openStore(t)
	content := contentOf("conf", "a", "one", "b", "two")
	contents, dir := []core.Content{content}, filepath.Join(s.ContentDir(), content.Digest)
	put(t, s, "one")
	put(t, s, "two")
	must(t, s.Build(t.Context(), contents))
	must(t, overwrite(dir+"/a", "ONE"))
	inUse := func() string {
		a, errA := os.ReadFile(dir + "/a")
		b, errB := os.ReadFile(dir + "/b")
		must(t, errors.Join(errA, errB))
		return string(a) + " " + string(b)
	}
	for range 2 { // two commands, or one that is tried again
		if damaged, err := s.Mend(t.Context(), contents); err != nil || !slices.Equal(damaged, []string{"conf"}) {
			t.Fatalf("damaged %v, %v", damaged, err)
		}
		if wants := s.Missing(contents); len(wants) != 1 || wants[0].Digest != digestOf("one") {
			t.Fatalf("wants %+v", wants)
		}
		if err := s.Build(t.Context(), contents); err == nil {
			t.Error("it was laid out without the file that is missing")
		}
		if got := inUse(); got != "ONE two" {
			t.Errorf("what stood there is %q now", got)
		}
	}
	put(t, s, "one")
	for range 2 {
		must(t, s.Build(t.Context(), contents))
		if got := inUse(); got != "one two" {
			t.Errorf("after the repair there is %q", got)
		}
	}
	if damaged, err := s.Mend(t.Context(), contents); err != nil || len(damaged) != 0 || len(s.Missing(contents)) != 0 {
		t.Errorf("after the repair %v are damaged, %v", damaged, err)
	}
	if left, err := os.ReadDir(s.ContentDir()); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Two commands that mend the same content at once both end with a sound one.
func TestDamageIsMendedByTwoAtOnce(t *testing.T) {
	s := openStore(t)
	content := contentOf("conf", "a", "one", "b*", "two")
	contents, dir := []core.Content{content}, filepath.Join(s.ContentDir(), content.Digest)
	put(t, s, "one")
	put(t, s, "two")
	must(t, s.Build(t.Context(), contents))
	for range 20 {
		must(t, overwrite(dir+"/b", "TWO"))
		errs := make(chan error, 2)
		for range cap(errs) {
			go func() {
				_, err := s.Mend(t.Context(), contents)
				if err == nil {
					err = s.Build(t.Context(), contents)
				}
				errs <- err
			}()
		}
		must(t, errors.Join(<-errs, <-errs))
		if damaged, err := s.Mend(t.Context(), contents); err != nil || len(damaged) != 0 {
			t.Fatalf("afterwards %v are damaged, %v", damaged, err)
		}
	}
	if left, err := os.ReadDir(s.ContentDir()); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A blob that was damaged before a content needs it is fetched again, not laid out.
func TestADamagedBlobIsNotLaidOut(t *testing.T) {
	s := openStore(t)
	put(t, s, "one")
	must(t, overwrite(filepath.Join(s.base, blobPath(digestOf("one"))), "ONE"))
	contents := []core.Content{contentOf("conf", "a", "one")}
	damaged, err := s.Mend(t.Context(), contents)
	if wants := s.Missing(contents); err != nil || len(damaged) != 0 || len(wants) != 1 {
		t.Errorf("damaged %v, %v; wants %+v", damaged, err, wants)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	put(t, s, "one")
	must(t, s.Build(t.Context(), contents))
	if damaged, err := s.Mend(ended, contents); !errors.Is(err, context.Canceled) || len(damaged) != 0 {
		t.Errorf("Mend after the end of its context: %v, %v", damaged, err)
	}
	if wants := s.Missing(contents); len(wants) != 0 {
		t.Errorf("what nobody looked at was removed: %+v", wants)
	}
}

// overwrite writes into a file that stands there, as a failing disk or a careless hand does.
func overwrite(name, text string) error {
	if err := os.Chmod(name, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close(), os.Chmod(name, 0o444))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
