package disk

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/config"
	"berth/core/fault"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
	"berth/local/kill"
)

const (
	flips  = 100 // copies of a database that lose one bit each
	filled = 30  // service accounts in it, beside the rig's one
)

// filledSite is a real installation that was stopped, and the bytes of its database.
func filledSite(t *testing.T) (*kill.Site, []byte) {
	t.Helper()
	s := newSite(t)
	for range filled {
		if status, text := account(s); status != http.StatusCreated {
			t.Fatal(text)
		}
	}
	if err := s.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(s.DB(), sqlite.File))
	if err != nil {
		t.Fatal(err)
	}
	return s, whole
}

// TestD7BitFlips: a database that lost a bit is refused with what is damaged, or it cannot be read and
// says so, or every row is there. One bit of a value that somebody stored is beyond SQLite, which
// has no sums over values; what is sealed is noticed when it is opened.
func TestD7BitFlips(t *testing.T) {
	t.Parallel()
	s, whole := filledSite(t)
	want, err := rows(t.Context(), s.DB(), nil)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for seed := range uint64(flips) {
		random := rand.New(rand.NewPCG(seed, 7))
		at := random.IntN(len(whole))
		if seed%4 == 0 {
			at = random.IntN(100) // the header, on which everything rests
		}
		dir := t.TempDir()
		writeFlipped(t, dir, whole, at, random.IntN(8))
		got, err := rows(t.Context(), dir, want)
		switch {
		case err == nil && maps.Equal(got, want):
			met["every row is there"]++
		case err == nil:
			t.Errorf("seed %d: a flip at %d is not noticed, and the rows are %v, not %v", seed, at, got, want)
		case fault.CodeOf(err) == "store.damaged":
			met["refused"]++
		default:
			met["cannot be read"]++
			t.Logf("seed %d: a flip at %d: %v", seed, at, err)
		}
	}
	t.Log(met)
	if met["refused"] == 0 || met["every row is there"] == 0 {
		t.Error("the flips hit one kind of place only")
	}
}

func writeFlipped(t *testing.T, dir string, whole []byte, at, bit int) {
	t.Helper()
	content := slices.Clone(whole)
	content[at] ^= 1 << bit
	if err := os.WriteFile(filepath.Join(dir, sqlite.File), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// rows checks a database as a start does, reads all of it and counts the rows of each table; of
// these tables, when they are given.
func rows(ctx context.Context, dir string, tables map[string]int) (map[string]int, error) {
	db, err := sqlite.Inspect(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := db.Check(ctx); err != nil {
		return nil, err
	}
	count := map[string]int{}
	err = db.Read(ctx, func(tx *store.Tx) error {
		names := slices.Sorted(maps.Keys(tables))
		if tables == nil {
			if names, err = store.Texts(tx, `SELECT name FROM sqlite_schema WHERE type = 'table'`); err != nil {
				return err
			}
		}
		for _, name := range names {
			columns, err := store.Texts(tx, `SELECT 'quote("' || name || '")' FROM pragma_table_info(?)`, name)
			if err != nil {
				return err
			}
			all, err := store.Texts(tx, fmt.Sprintf(`SELECT %s FROM "%s" NOT INDEXED`, strings.Join(columns, ` || `), name))
			if err != nil {
				return err
			}
			count[name] = len(all)
		}
		return nil
	})
	return count, err
}

// TestD7TheProgramRefusesADamagedDatabase: with exit code 65, and what is damaged; a flip
// where nothing is kept changes nothing.
func TestD7TheProgramRefusesADamagedDatabase(t *testing.T) {
	t.Parallel()
	s, whole := filledSite(t)
	for name, at := range map[string]int{"the name of the format": 3, "the number of the format": 47, "the second page": 4096, "the number of pages": 31} {
		writeFlipped(t, s.DB(), whole, at, 3)
		if err := os.Remove(filepath.Join(s.Dir, "server.log")); err != nil {
			t.Fatal(err)
		}
		s.StartServer(kill.Point{})
		if code := code(t, s); code != config.ExitDamaged || !strings.Contains(s.Server.Tail(), "The database is damaged: ") {
			t.Errorf("%s: the server ended with %d:\n%s", name, code, s.Server.Tail())
		}
		if now, err := os.ReadFile(filepath.Join(s.DB(), sqlite.File)); err != nil || len(now) != len(whole) {
			t.Errorf("%s: the file was changed: %v", name, err)
		}
	}
	writeFlipped(t, s.DB(), whole, emptyPlace(whole), 3)
	s.RunServer()
	if status, text := account(s); status != http.StatusCreated {
		t.Errorf("after a flip in free space: %s", text)
	}
	if err := s.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := accounts(t, s.DB()); got != filled+2 {
		t.Errorf("%d accounts are left, want %d", got, filled+2)
	}
}

// emptyPlace is in the middle of the longest run of zeros.
func emptyPlace(content []byte) (middle int) {
	longest, run := 0, 0
	for i, b := range content {
		if run++; b != 0 {
			run = 0
		}
		if run > longest {
			longest, middle = run, i-run/2
		}
	}
	return middle
}
