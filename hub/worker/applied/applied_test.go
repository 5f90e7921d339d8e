package applied

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
)

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func attempt(revision int, digests ...string) Attempt {
	a := Attempt{Stack: "stk_1", Project: "shop", Revision: revision, Commit: "c", Deployment: "dep_1"}
	for _, d := range digests {
		a.Content = append(a.Content, core.Content{Digest: d})
	}
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func checkInUse(t *testing.T, s *Store, want ...string) {
	t.Helper()
	digests, known := s.InUse()
	if got := slices.Sorted(maps.Keys(digests)); !known || !slices.Equal(got, want) {
		t.Errorf("in use %v (known %v), want %v", got, known, want)
	}
}

func TestRecordSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	at := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	must(t, s.Try(attempt(3, "a")))
	must(t, s.Applied(attempt(3, "a"), at))
	r, found := openStore(t, dir).Get("stk_1")
	if !found || r.Revision != 3 || r.Project != "shop" || r.Commit != "c" || r.Deployment != "dep_1" || !r.At.Equal(at) || r.Trying != 0 {
		t.Errorf("record %+v, %v", r, found)
	}
}

func TestContentStaysInUseAsLongAsAContainerMayMountIt(t *testing.T) {
	s := openStore(t, t.TempDir())
	must(t, s.Try(attempt(1, "a", "shared")))
	checkInUse(t, s, "a", "shared") // before anything was applied
	must(t, s.Applied(attempt(1), time.Time{}))
	must(t, s.Try(attempt(2, "b", "shared")))
	must(t, s.Ended("stk_1", nil, nil))
	checkInUse(t, s, "a", "b", "shared") // revision 2 may have failed half-way
	must(t, s.Applied(attempt(2), time.Time{}))
	must(t, s.Try(attempt(3, "c")))
	must(t, s.Applied(attempt(3), time.Time{}))
	must(t, s.Ended("stk_1", nil, []int{1, 3})) // an orphan of revision 1 still runs
	checkInUse(t, s, "a", "b", "c", "shared")
	must(t, s.Ended("stk_1", nil, []int{3}))
	checkInUse(t, s, "b", "c", "shared")
}

func TestRepeatingARevisionKeepsThePreviousOne(t *testing.T) {
	s := openStore(t, t.TempDir())
	for _, revision := range []int{1, 2, 2} {
		must(t, s.Try(attempt(revision)))
		must(t, s.Applied(attempt(revision), time.Time{}))
	}
	if r, _ := s.Get("stk_1"); r.Previous != 1 || r.Revision != 2 {
		t.Errorf("revision %d after %d, want 2 after 1", r.Revision, r.Previous)
	}
}

func TestDamagedRecordStopsDeletionOnly(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.Try(attempt(1, "a")))
	must(t, os.WriteFile(filepath.Join(dir, "stk_2.json"), []byte("{"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "stk_3.json"), []byte(`{"stack":"stk_9"}`), 0o600))

	again := openStore(t, dir)
	if got := again.Damaged(); !slices.Equal(got, []string{"stk_2.json", "stk_3.json"}) {
		t.Errorf("damaged %v", got)
	}
	if _, known := again.InUse(); known {
		t.Error("deletion is allowed although two records are unknown")
	}
	if len(again.All()) != 1 {
		t.Errorf("records %+v", again.All())
	}
	fixed := attempt(1, "z")
	fixed.Stack = "stk_2"
	must(t, again.Try(fixed))
	must(t, again.Remove("stk_3"))
	checkInUse(t, again, "a", "z")
}

func TestRemoveForgetsAStack(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.Try(attempt(1, "a")))
	must(t, s.Remove("stk_1"))
	must(t, s.Remove("stk_1"))
	must(t, s.Ended("stk_1", nil, nil))
	checkInUse(t, s)
	if left := openStore(t, dir).All(); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

func TestAPortraitLastsUntilTheNextOne(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.Touch("stk_1")) // nothing is known of it
	must(t, s.Try(attempt(1)))
	must(t, s.Touch("stk_1"))
	must(t, s.Applied(attempt(1), time.Time{}))
	if r, _ := s.Get("stk_1"); r.Portrait != nil || r.Touched {
		t.Errorf("before anything was verified: %+v", r)
	}
	must(t, s.Ended("stk_1", Portrait{"c1": {"image": "d1"}}, nil))
	must(t, s.Touch("stk_1"))
	must(t, s.Ended("stk_1", nil, nil)) // a deployment that failed
	r, _ := openStore(t, dir).Get("stk_1")
	if !r.Touched || r.Portrait["c1"]["image"] != "d1" {
		t.Errorf("after a failure: %+v", r)
	}
	must(t, s.Ended("stk_1", Portrait{}, nil)) // one without containers
	if r, _ := openStore(t, dir).Get("stk_1"); r.Touched || r.Portrait == nil || len(r.Portrait) != 0 {
		t.Errorf("after another verification: %+v", r)
	}
}

// What is planned must not happen unrecorded; what has happened is known either way.
func TestADiskThatFails(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.Try(attempt(1, "a")))
	must(t, os.RemoveAll(dir))
	if err := s.Try(attempt(2, "b")); err == nil {
		t.Error("an attempt was recorded nowhere")
	}
	if r, _ := s.Get("stk_1"); r.Trying != 1 {
		t.Errorf("an attempt that must not begin is known: %+v", r)
	}
	if err := s.Applied(attempt(1), time.Time{}); err == nil {
		t.Error("nobody is told that the disk failed")
	}
	if r, _ := s.Get("stk_1"); r.Revision != 1 || r.Trying != 0 {
		t.Errorf("what has happened is not known: %+v", r)
	}
}

// Who was stopped is known of containers that a deployment has verified, until another one begins.
func TestWhoWasStopped(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	stopped := func() string {
		r, _ := openStore(t, dir).Get("stk_1")
		return strings.Join(r.Stopped, " ")
	}
	must(t, s.Stopped("stk_1", "c1")) // nothing is known of it
	must(t, s.Runs("stk_1", "c1"))
	if len(s.All()) != 0 {
		t.Errorf("made a record of nothing: %+v", s.All())
	}
	must(t, s.Try(attempt(1)))
	must(t, s.Stopped("stk_1", "c1"))
	if got := stopped(); got != "" {
		t.Errorf("before anything was verified: %s", got)
	}
	must(t, s.Ended("stk_1", Portrait{"c1": {}, "c2": {}}, nil))
	for _, id := range []string{"c1", "c2", "c1", "another"} {
		must(t, s.Stopped("stk_1", id))
	}
	if got := stopped(); got != "c1 c2" {
		t.Errorf("stopped %q", got)
	}
	must(t, s.Runs("stk_1", "c1", "another"))
	if got := stopped(); got != "c2" {
		t.Errorf("after one runs again: %q", got)
	}
	must(t, s.Touch("stk_1"))
	must(t, s.Stopped("stk_1", "c1"))
	if got := stopped(); got != "" {
		t.Errorf("while a deployment is at work: %q", got)
	}
}
