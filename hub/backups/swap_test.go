package backups

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scene is a database's folder and one of files of revisions, with what was there and what is to come.
type scene struct{ db, files string }

func newScene(t *testing.T) scene {
	t.Helper()
	s := scene{t.TempDir(), t.TempDir()}
	s.write(t, map[string]string{
		"db:berth.db": "old rows", "db:berth.db-wal": "old log", "db:lock": "lock",
		"db:.restored/berth.db": "new rows",
		"files:blobs/aa/x":      "old blob", "files:stk_1/1/compose.yaml": "old", "files:stk_2/1/compose.yaml": "only old",
		"files:.restored/blobs/bb/y": "new blob", "files:.restored/stk_1/1/compose.yaml": "new", "files:.restored/stk_3/1/compose.yaml": "only new",
	})
	return s
}

func (s scene) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := s.path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (s scene) path(name string) string {
	root, rest, _ := strings.Cut(name, ":")
	return filepath.Join(map[string]string{"db": s.db, "files": s.files}[root], rest)
}

// all is every file of the scene.
func (s scene) all(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for root, dir := range map[string]string{"db": s.db, "files": s.files} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			rest, _ := filepath.Rel(dir, path)
			found[root+":"+rest] = string(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func (s scene) ready(t *testing.T) {
	t.Helper()
	err := Ready(s.db, "the backup", "the one before", "ada", []Root{
		{Dir: s.db, New: ".restored", Old: ".replaced", Names: []string{"berth.db", "berth.db-wal", "berth.db-shm"}},
		{Dir: s.files, New: ".restored", Old: ".replaced", Keep: []string{".restored", ".replaced"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s scene) pending(t *testing.T) *Swap {
	t.Helper()
	swap, err := Pending(s.db)
	if err != nil {
		t.Fatal(err)
	}
	return swap
}

var (
	before = map[string]string{"db:berth.db": "old rows", "db:berth.db-wal": "old log", "db:lock": "lock",
		"files:blobs/aa/x": "old blob", "files:stk_1/1/compose.yaml": "old", "files:stk_2/1/compose.yaml": "only old"}
	after = map[string]string{"db:berth.db": "new rows", "db:lock": "lock",
		"files:blobs/bb/y": "new blob", "files:stk_1/1/compose.yaml": "new", "files:stk_3/1/compose.yaml": "only new"}
)

func (s scene) holds(t *testing.T, want map[string]string) {
	t.Helper()
	if got := s.all(t); !maps.Equal(got, want) {
		t.Errorf("there is %v\nwant %v", got, want)
	}
	if s.pending(t) != nil {
		t.Error("the swap is not over")
	}
}

func TestWhatWasRestoredTakesThePlace(t *testing.T) {
	s := newScene(t)
	s.ready(t)
	swap := s.pending(t)
	if back, err := swap.Go(); back || err != nil {
		t.Fatal(back, err)
	}
	if name, was, asker := swap.Backup(); name != "the backup" || was != "the one before" || asker != "ada" {
		t.Errorf("it is %s, %s, %s", name, was, asker)
	}
	if err := swap.Done(); err != nil {
		t.Fatal(err)
	}
	s.holds(t, after)
}

func TestWhatThereWasComesBack(t *testing.T) {
	s := newScene(t)
	s.ready(t)
	swap := s.pending(t)
	if _, err := swap.Go(); err != nil {
		t.Fatal(err)
	}
	s.write(t, map[string]string{"db:berth.db-wal": "new log", "db:berth.db-shm": "index"})
	if err := swap.Back("it was not healthy"); err != nil {
		t.Fatal(err)
	}
	s.holds(t, before)
}

func TestAServerThatNeverComesUpGetsItsOldStateBack(t *testing.T) {
	s := newScene(t)
	s.ready(t)
	for range maxTries {
		if back, err := s.pending(t).Go(); back || err != nil {
			t.Fatal(back, err)
		}
	}
	swap := s.pending(t)
	if back, err := swap.Go(); !back || err != nil || !strings.Contains(swap.Why(), "3 times") {
		t.Fatal(back, err, swap.Why())
	}
	s.holds(t, before)
}

// TestASwapThatBreaksOffAnywhereIsGoneOnWith stops after each change of a name, forth and back, begins again as the
// next start does, and ends with one state or the other.
func TestASwapThatBreaksOffAnywhereIsGoneOnWith(t *testing.T) {
	for name, wanted := range map[string]map[string]string{"forth": after, "back": before} {
		t.Run(name, func(t *testing.T) {
			for step := 0; ; step++ {
				s := newScene(t)
				s.ready(t)
				if name == "back" {
					if _, err := s.pending(t).Go(); err != nil {
						t.Fatal(err)
					}
				}
				steps := s.brokenAfter(t, s.pending(t), name, step)
				swap := s.pending(t)
				if name == "forth" {
					if _, err := swap.Go(); err != nil {
						t.Fatal(err)
					}
					if err := swap.Done(); err != nil {
						t.Fatal(err)
					}
				} else if back, err := swap.Go(); !back || err != nil {
					t.Fatal(back, err)
				}
				s.holds(t, wanted)
				if t.Failed() || step >= steps {
					t.Logf("%d points", step)
					return
				}
			}
		})
	}
}

// brokenAfter does the first so many moves of a swap and returns how many there are.
func (s scene) brokenAfter(t *testing.T, swap *Swap, way string, step int) (steps int) {
	t.Helper()
	var err error
	move := swap.forth
	if way == "back" {
		swap.plan.Phase, swap.plan.Why, move = phaseBack, "it broke off", swap.back
	} else if swap.plan.Items, err = swap.items(); err == nil {
		swap.plan.Phase = phaseGoing
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := swap.save(); err != nil {
		t.Fatal(err)
	}
	moves := [][4]string{}
	for i, c := range swap.plan.Items {
		r := swap.plan.Roots[c.Root]
		live, coming, old := filepath.Join(r.Dir, c.Name), filepath.Join(r.Dir, r.New, c.Name), filepath.Join(r.Dir, r.Old, c.Name)
		moves = append(moves, [4]string{live, coming, old})
		if i < step/2 {
			if err := move(live, coming, old, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if i := step / 2; step%2 == 1 && i < len(moves) { // half of one name's two moves
		m, c := moves[i], swap.plan.Items[i]
		switch {
		case way == "forth" && c.HadLive:
			err = os.Rename(m[0], m[2])
		case way == "back" && c.HasNew:
			err = os.Rename(m[0], m[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return 2 * len(moves)
}

func TestAFileOfASwapThatCannotBeReadStopsTheStart(t *testing.T) {
	s := newScene(t)
	s.write(t, map[string]string{"db:restore.json": "{"})
	if _, err := Pending(s.db); err == nil {
		t.Error("it is taken for none")
	}
}
