package backups

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// trial is a restore that comes to what built says.
type trial struct {
	staged
	dir   string
	built error
}

func (s *trial) Keep(member backups.Member, content io.Reader) error {
	text, err := io.ReadAll(content)
	return errors.Join(err, os.WriteFile(filepath.Join(s.dir, "kept"), text, 0o600))
}

func (s *trial) Build(context.Context) error {
	if text, err := os.ReadFile(filepath.Join(s.dir, "kept")); err != nil || string(text) != "rows" {
		return errors.New("the archive's database is not there")
	}
	return s.built
}

func TestARehearsalSaysWhetherTheNewestBackupCanBeRestored(t *testing.T) {
	for name, c := range map[string]struct {
		built   error
		damage  bool
		problem bool
	}{
		"it can":                 {nil, false, false},
		"its database is none":   {backups.Damaged("its database cannot be used"), false, true},
		"the archive is damaged": {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.o.Trial = func(dir string) (Stage, error) { return &trial{dir: dir, built: c.built}, nil }
			y.open()
			if _, err := y.Rehearse(t.Context()); fault.CodeOf(err) != "backup.none" {
				t.Errorf("without a backup: %v", err)
			}
			y.made(backups.ByHand)
			y.now = y.now.Add(time.Hour)
			b := y.made(backups.BySchedule)
			if c.damage {
				path := filepath.Join(y.o.Dir, b.Name)
				if err := os.Truncate(path, b.Size-1); err != nil {
					t.Fatal(err)
				}
			}
			r, err := y.Rehearse(t.Context())
			if err != nil || r.Name != b.Name || !r.At.Equal(y.now) || (r.Problem != "") != c.problem || y.meter.rehearsed != r {
				t.Errorf("Rehearse = %+v, %v", r, err)
			}
			if names := y.names(); len(names) != 3 { // two backups, and how it ended
				t.Errorf("there is %v", names)
			}
			y.open()
			if s, err := y.Standing(t.Context()); err != nil || s.Tried.Name != b.Name || s.Tried.Problem != r.Problem || len(y.all()) != 2 {
				t.Errorf("after a start it stands at %+v, %v", s, err)
			}
		})
	}
}

func TestRehearsalsAreHeldWhenTheyAreDue(t *testing.T) {
	y := newYard(t)
	held := 0
	y.o.Trial = func(dir string) (Stage, error) { held++; return &trial{dir: dir}, nil }
	y.o.Rehearsal = 7 * 24 * time.Hour
	y.open()
	y.rehearseDue(t.Context()) // there is no backup yet
	y.made(backups.BySchedule)
	for range 15 {
		y.rehearseDue(t.Context())
		y.now = y.now.Add(24 * time.Hour)
	}
	if held != 3 {
		t.Errorf("%d were held in 15 days", held)
	}
	y.Shelf.o.Rehearsal = 0
	y.now = y.now.Add(1000 * time.Hour)
	if y.rehearseDue(t.Context()); held != 3 {
		t.Error("one was held that nobody wants")
	}
}
