package journal

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/stacks"
	"berth/core/wire"
)

func TestEntriesSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	must(t, j.Received(testEntry(1)))
	must(t, j.Received(testEntry(2)))
	must(t, j.Received(testEntry(3)))
	if n, err := j.Started(testKey(2)); n != 1 || err != nil {
		t.Fatalf("Started = %d, %v; want 1", n, err)
	}
	must(t, j.Ended(testResult(1)))
	must(t, j.Pruned(testKey(3)))
	j.Close()

	entries := mustOpen(t, path).Entries()
	if len(entries) != 2 {
		t.Fatalf("got %d entries, want the two that were not pruned: %+v", len(entries), entries)
	}
	first, second := entries[0], entries[1]
	if first.Key != testKey(1) || first.State() != wire.JournalResult || first.Result.Status != wire.ResultSucceeded || len(first.Result.Phases) != 1 {
		t.Errorf("first entry lost its result: %+v", first)
	}
	if second.Key != testKey(2) || second.State() != wire.JournalReceived || second.Starts != 1 || second.Revision != 2 || second.Project != "shop" || second.Stack != "stk_1" || second.Digest != "d" {
		t.Errorf("second entry is not what was received: %+v", second)
	}
}

func TestStartsAreCountedAcrossReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	must(t, j.Received(testEntry(1)))
	for want := 1; want <= 3; want++ {
		if n, err := j.Started(testKey(1)); n != want || err != nil {
			t.Fatalf("Started = %d, %v; want %d", n, err, want)
		}
		j.Close()
		j = mustOpen(t, path)
	}
	if _, err := j.Started(testKey(9)); err == nil {
		t.Error("a command that was never received could be started")
	}
}

func TestResultOfAnUnknownCommandIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	must(t, j.Ended(wire.Result{ID: "cmd_x", Attempt: 4, Status: wire.ResultCancelled}))
	j.Close()
	e, found := mustOpen(t, path).Get(Key{"cmd_x", 4})
	if !found || e.Result == nil || e.Result.Status != wire.ResultCancelled {
		t.Fatalf("Get = %+v, %v; want the cancellation", e, found)
	}
}

// Every crash in an append cuts the last record somewhere: what was there before stays.
func TestTornTailAtEachByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	j := mustOpen(t, path)
	must(t, j.Received(testEntry(1)))
	whole, err := os.Stat(path)
	must(t, err)
	must(t, j.Received(testEntry(2)))
	j.Close()
	data, err := os.ReadFile(path)
	must(t, err)

	for cut := int(whole.Size()); cut < len(data); cut++ {
		torn := filepath.Join(dir, "torn")
		must(t, os.WriteFile(torn, data[:cut], 0o600))
		checkTorn(t, torn, int64(cut)-whole.Size())
		zeros := append(append([]byte(nil), data[:cut]...), make([]byte, 4096)...)
		must(t, os.WriteFile(torn, zeros, 0o600))
		checkTorn(t, torn, -1)
	}
}

func checkTorn(t *testing.T, path string, dropped int64) {
	t.Helper()
	j, recovery, err := Open(path)
	must(t, err)
	entries := j.Entries()
	if len(entries) != 1 || entries[0].Key != testKey(1) {
		t.Fatalf("entries after a torn tail: %+v; want the first alone", entries)
	}
	if dropped >= 0 && (recovery.Dropped != dropped || recovery.Aside != "") {
		t.Fatalf("recovery = %+v, want %d bytes dropped and no copy", recovery, dropped)
	}
	must(t, j.Received(testEntry(3)))
	must(t, j.Close())
	if again := mustOpen(t, path).Entries(); len(again) != 2 {
		t.Fatalf("after the repair %d entries, want 2", len(again))
	}
}

func TestDamageInTheMiddleIsKeptForAPerson(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	for n := range 4 {
		must(t, j.Received(testEntry(n)))
	}
	j.Close()
	data, err := os.ReadFile(path)
	must(t, err)
	data[len(data)/2] ^= 0x10
	must(t, os.WriteFile(path, data, 0o600))

	j, recovery, err := Open(path)
	must(t, err)
	defer j.Close()
	kept, err := os.ReadFile(recovery.Aside)
	if err != nil || string(kept) != string(data) {
		t.Fatalf("recovery = %+v; the copy: %v, equal %v", recovery, err, string(kept) == string(data))
	}
	if n := len(j.Entries()); n == 0 || n >= 4 {
		t.Errorf("%d entries are left of 4; want those before the damage", n)
	}
}

func TestUnreadableJournalIsAnErrorNotAnEmptyOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	must(t, os.Mkdir(path, 0o700))
	if _, _, err := Open(path); err == nil {
		t.Fatal("a folder was opened as a journal")
	}
}

func TestJournalIsBounded(t *testing.T) {
	j, _, err := open(filepath.Join(t.TempDir(), "journal"), newFakeDisk())
	must(t, err)
	for n := range MaxEntries {
		e := testEntry(0)
		e.Attempt = n + 1
		must(t, j.Received(e))
	}
	e := testEntry(0)
	e.Attempt = MaxEntries + 1
	if err := j.Received(e); !errors.Is(err, ErrFull) {
		t.Errorf("Received beyond the bound: %v, want ErrFull", err)
	}
	if err := j.Ended(wire.Result{ID: "cmd_other", Attempt: 1}); !errors.Is(err, ErrFull) {
		t.Errorf("a tombstone beyond the bound: %v, want ErrFull", err)
	}
	result := testResult(0)
	must(t, j.Ended(result))
}

func TestCompactionKeepsTheFileSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	must(t, j.Received(testEntry(1)))
	big := testResult(2)
	big.Error = strings.Repeat("x", 30<<10)
	for range 60 {
		must(t, j.Received(testEntry(2)))
		must(t, j.Ended(big))
		must(t, j.Pruned(testKey(2)))
	}
	stat, err := os.Stat(path)
	must(t, err)
	if stat.Size() > 2*compactAt {
		t.Errorf("the file has %d bytes for one living entry", stat.Size())
	}
	j.Close()
	if entries := mustOpen(t, path).Entries(); len(entries) != 1 || entries[0].Key != testKey(1) {
		t.Errorf("after compaction: %+v", entries)
	}
}

func TestResultThatIsTooLargeLosesItsObservation(t *testing.T) {
	j := mustOpen(t, filepath.Join(t.TempDir(), "journal"))
	must(t, j.Received(testEntry(1)))
	result := testResult(1)
	result.Observed = &wire.StackObserved{Stack: "stk_1"}
	for range 500 {
		result.Observed.Containers = append(result.Observed.Containers, stacks.ContainerState{Image: strings.Repeat("i", 2000)})
	}
	must(t, j.Ended(result))
	e, _ := j.Get(testKey(1))
	if e.Result == nil || e.Result.Observed != nil || e.Result.Status != wire.ResultSucceeded {
		t.Fatalf("the result is %+v", e.Result)
	}
}

// TestARunIsKnownWithoutItsCommand, and whether its container was launched, also after the file was written anew.
func TestARunIsKnownWithoutItsCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path)
	e := Entry{Key: testKey(1), Kind: wire.CommandRun, Digest: "d", Run: &Run{ID: "run_1", Timeout: time.Hour, StartBy: time.Unix(900, 0).UTC(), Secret: []string{"TOKEN"}, Content: []string{"c"}}}
	must(t, j.Received(e))
	if j.Launched(testKey(9)) == nil {
		t.Error("a run that was never received could be launched")
	}
	for range 2 { // the second time it is read from a file that was written anew
		must(t, j.Close())
		j = mustOpen(t, path)
		if got, found := j.Get(testKey(1)); !found || got.Launched || !reflect.DeepEqual(got.Run, e.Run) || got.Kind != wire.CommandRun {
			t.Errorf("before it was launched it is %+v", got)
		}
	}
	must(t, j.Launched(testKey(1)))
	must(t, j.Launched(testKey(1)))
	for range 2 {
		must(t, j.Close())
		j = mustOpen(t, path)
		if got, _ := j.Get(testKey(1)); !got.Launched || got.Ending != "" || !reflect.DeepEqual(got.Run, e.Run) {
			t.Errorf("after it was launched it is %+v", got)
		}
	}
	if j.Ending(testKey(9), EndTimeout) == nil {
		t.Error("a run that was never received could be stopped")
	}
	must(t, j.Ending(testKey(1), EndTimeout))
	must(t, j.Ending(testKey(1), EndCancelled)) // too late
	for range 2 {
		must(t, j.Close())
		j = mustOpen(t, path)
		if got, _ := j.Get(testKey(1)); got.Ending != EndTimeout || !got.Launched {
			t.Errorf("after it was stopped it is %+v", got)
		}
	}
}
