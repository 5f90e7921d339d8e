package kill

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/handlers/api"
	"berth/hub/revisionfiles"
)

// whileRestoring draws where a server dies that starts, is asked for a backup or a restore, and starts again. Files are
// renamed in the middle of it, so that is drawn most often.
func whileRestoring(n int, random *rand.Rand) Point {
	calls := []most{{"renameat", 24}, {"fsync", 60}, {"pwrite64", 160}, {"renameat", 12}, {"unlinkat", 60}, {"openat", 200}, {"renameat", 24}, {"write", 80}}
	return drawn(calls, n, random)
}

// whileBackingUp and whileReplacing draw where a server dies that has just been asked for a backup, or for a restore:
// about as many calls as one thread makes for it.
func whileBackingUp(n int, random *rand.Rand) Point {
	return drawn([]most{{"pwrite64", 60}, {"fsync", 5}, {"renameat", 1}, {"openat", 10}, {"write", 4}, {"close", 10}, {"unlinkat", 2}, {"pread64", 60}}, n, random)
}

func whileReplacing(n int, random *rand.Rand) Point {
	return drawn([]most{{"renameat", 12}, {"pwrite64", 200}, {"fsync", 20}, {"mkdirat", 8}, {"openat", 40}, {"renameat", 6}, {"unlinkat", 20}, {"write", 20}, {"close", 40}}, n, random)
}

func drawn(calls []most, n int, random *rand.Rand) Point {
	c := calls[n%len(calls)]
	return Point{c.call, 1 + random.IntN(c.n)}
}

// relic is a variable and a file of a revision that belong together: each is in what is restored only with the other.
type relic string

const (
	kept relic = "KEPT" // in the backup
	lost relic = "LOST" // made after it
)

// put makes a relic.
func (s *Site) put(r relic) {
	s.T.Helper()
	s.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: "global", Name: string(r), Value: "x", Secret: true}, nil)
	files, err := revisionfiles.Open(filepath.Join(s.DB(), "stacks"))
	if err == nil {
		err = files.PutBlob(s.T.Context(), digest(string(r)), []byte(r))
	}
	if err != nil {
		s.T.Fatal(err)
	}
}

// has reports whether a relic is there; a half of one fails the test.
func (s *Site) has(r relic, at Point) bool {
	s.T.Helper()
	file := false
	if err := revisionfiles.Each(filepath.Join(s.DB(), "stacks"), func(name string, _ []byte) error {
		file = file || name == "blobs/"+digest(string(r))
		return nil
	}); err != nil {
		s.T.Fatalf("%v: the files of revisions: %v", at, err)
	}
	row := s.query("SELECT count(*) FROM variables WHERE name = '"+string(r)+"'") == "1"
	if row != file {
		s.T.Fatalf("%v: a mix: of %s the row is there: %t, the file: %t\n%s", at, r, row, file, s.logs())
	}
	return row
}

// The server dies while it makes a backup and, as often, while it restores one, also in the start before or after that,
// and while it starts once more. Afterwards there is what was restored or what there was, never some of each, and every backup that is
// listed can be restored.
func TestKilledDuringBackupAndRestore(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 0))
	s := New(t)
	s.RunServer()
	s.SetUp()
	s.put(kept)
	var first api.BackupAnswer
	s.Must(http.MethodPost, "/api/custom/backups", nil, &first)
	restored, stayed, listed, starting, died := 0, 0, 1, 0, map[bool]int{}
	for n := range points(t, 6, "KILL_RESTORE_POINTS") {
		if !s.has(lost, Point{}) {
			s.put(lost)
		}
		s.kill(s.Server)
		restores, path := n%2 == 1, "/api/custom/backups"
		at, began, disarm := whileRestoring(n/6, random), Point{}, func() {}
		switch { // two of three when it is asked, the third from its start on
		case n/2%3 == 2:
			began = at
		case restores:
			at = whileReplacing(n/2, random)
		default:
			at = whileBackingUp(n/2, random)
		}
		if restores {
			path += "/" + first.Name + "/restore"
		}
		if s.StartServer(began); s.Ready() {
			if began.Call == "" {
				disarm = s.armed(at)
			}
			status, err := s.Ask(http.MethodPost, path, nil, nil)
			if s.untilOver(restores && err == nil && status == http.StatusAccepted); s.gone() {
				died[restores]++
			}
		} else {
			starting++
		}
		disarm()
		s.kill(s.Server)
		if n%3 == 2 { // it dies in the recovery too
			s.StartServer(whileRestoring(n/3, random))
			s.Ready()
			s.kill(s.Server)
		}
		s.RunServer()
		if whole := s.query("PRAGMA integrity_check"); whole != "ok" || !s.has(kept, at) {
			t.Fatalf("seed 11, %v: integrity %s\n%s", at, whole, s.logs())
		}
		if s.has(lost, at) {
			stayed++
		} else {
			restored++
		}
		listed = s.checkBackups(at, listed)
	}
	t.Logf("seed 11: it died in %d backups, in %d restores with the start after them, and in %d starts before; what was restored was there after %d deaths, what there was after %d; %d backups are listed",
		died[false], died[true], starting, restored, stayed, listed)
	if died[false] == 0 || died[true] == 0 {
		t.Error("it never died in a backup, or never in a restore")
	}
}

// armed gives the server that runs a point.
func (s *Site) armed(at Point) (disarm func()) {
	s.T.Helper()
	disarm, err := s.Server.arm(at)
	if err != nil {
		s.T.Fatal(err)
	}
	return disarm
}

// gone reports whether the server has died: what asked it hears of that a moment sooner than whoever started it.
func (s *Site) gone() bool {
	select {
	case <-s.Server.Ended():
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// untilOver waits until the server has died or, when it said that it restores, is up with what was restored.
func (s *Site) untilOver(restoring bool) {
	s.T.Helper()
	for end := time.Now().Add(patience); restoring && time.Now().Before(end); {
		var all struct{ Items []api.VariableAnswer }
		if _, err := s.Ask(http.MethodGet, "/api/custom/variables?scope=global", nil, &all); err == nil && len(all.Items) == 1 {
			return
		}
		select {
		case <-s.Server.Ended():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// checkBackups sees that every backup of the list can be restored, that none has gone, and that nothing half-made is left.
func (s *Site) checkBackups(at Point, before int) (listed int) {
	s.T.Helper()
	all := get[api.BackupsAnswer](s, "/api/custom/backups")
	for _, b := range all.Items {
		if b.Problem != "" || !b.Verified {
			s.T.Fatalf("%v: the backup %s: %s", at, b.Name, b.Problem)
		}
	}
	if len(all.Items) < before {
		s.T.Fatalf("%v: of %d backups %d are left", at, before, len(all.Items))
	}
	var tried api.RehearsalAnswer
	s.Must(http.MethodPost, "/api/custom/backups/rehearse", nil, &tried)
	if !tried.OK {
		text, _ := json.Marshal(tried)
		s.T.Fatalf("%v: the newest backup cannot be restored: %s", at, text)
	}
	entries, err := os.ReadDir(filepath.Join(s.Dir, "backups"))
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".part-") || strings.HasPrefix(e.Name(), ".work-") {
			s.T.Fatalf("%v: %s is left", at, e.Name())
		}
	}
	for _, name := range []string{"restore.json", ".restored", ".replaced", ".unpacked"} {
		if _, err := os.Lstat(filepath.Join(s.DB(), name)); !os.IsNotExist(err) {
			s.T.Fatalf("%v: %s is left: %v", at, name, err)
		}
	}
	return len(all.Items)
}
