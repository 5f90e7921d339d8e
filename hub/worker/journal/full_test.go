package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/wire"
)

// On a real disk without room: new commands are refused, the results of those that were
// accepted are kept and survive, however long the journal is by then.
func TestResultsAreKeptOnARealFullDisk(t *testing.T) {
	d := coretest.NewDisk(t, 4<<20)
	path := filepath.Join(d.Dir, "journal")
	j := mustOpen(t, path)
	const accepted = 20
	long := testResult(0)
	long.Error = strings.Repeat("e", wire.MaxText)
	for n := range 100 { // more than the reserve has room for
		e := testEntry(accepted)
		e.Attempt = n + 1
		must(t, j.Received(e))
		long.ID, long.Attempt = e.ID, e.Attempt
		must(t, j.Ended(long))
	}
	for n := range accepted {
		must(t, j.Received(testEntry(n)))
	}
	if j.size < 2*reserveSize {
		t.Fatalf("the journal has %d bytes, too few for this test", j.size)
	}
	d.Fill()
	var refused error
	for n := 0; n < 200 && refused == nil; n++ { // what is left of the last block goes first
		e := testEntry(accepted + 1)
		e.Attempt = n + 1
		refused = j.Received(e)
	}
	if !diskFull(refused) {
		t.Fatalf("a command on a full disk: %v", refused)
	}
	for n := range accepted {
		if err := j.Ended(testResult(n)); err != nil {
			t.Fatalf("result %d of %d: %v", n+1, accepted, err)
		}
	}
	must(t, j.Close())
	again, _, err := Open(path)
	must(t, err)
	defer again.Close()
	for n := range accepted {
		if e, _ := again.Get(testKey(n)); e.Result == nil {
			t.Errorf("the result of command %d is lost", n+1)
		}
	}
}
