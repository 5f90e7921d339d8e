package journal

import (
	"path/filepath"
	"testing"

	"berth/core/coretest"
)

// The power goes on a real file system, at several moments: whatever the journal confirmed
// is there afterwards, and its file goes on.
func TestPowerCutOnARealDisk(t *testing.T) {
	d := coretest.NewDisk(t, 8<<20)
	path := filepath.Join(d.Dir, "journal")
	j := mustOpen(t, path)
	confirmed := map[Key]string{}
	for round := range 3 {
		for n := range 24 {
			e := testEntry(n)
			e.Attempt = round + 1
			must(t, j.Received(e))
			confirmed[e.Key] = "received"
			if _, err := j.Started(e.Key); err != nil {
				t.Fatal(err)
			}
			if n%2 == 0 {
				result := testResult(n)
				result.Attempt = e.Attempt
				must(t, j.Ended(result))
				confirmed[e.Key] = "result"
			}
			if n%4 == 0 { // not forced to the disk: it may come back
				must(t, j.Pruned(e.Key))
				delete(confirmed, e.Key)
			}
		}
		if round == 1 {
			must(t, j.Close())
			j = mustOpen(t, path) // writes it anew
		}
		after, _, err := Open(filepath.Join(d.Cut(t).Dir, "journal"))
		must(t, err)
		for key, want := range confirmed {
			e, found := after.Get(key)
			if !found || e.Starts != 1 || want == "result" && e.Result == nil {
				t.Fatalf("round %d: %v was confirmed as %s and is %+v", round, key, want, e)
			}
		}
		must(t, after.Received(Entry{Key: Key{"cmd_after", 1}, Kind: "deploy"}))
		must(t, after.Close())
	}
}
