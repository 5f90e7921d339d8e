package backups_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/backups"
	"berth/core/fault"
	shelf "berth/hub/backups"
)

type archive struct {
	d   backups.OfDatabase
	err error
}

func (a archive) Look(context.Context) (backups.OfDatabase, error) { return a.d, a.err }

type databaseMeter struct{ safe []time.Time }

func (m *databaseMeter) KnowDatabase(safe time.Time, _ time.Duration) { m.safe = append(m.safe, safe) }

func TestTheNewestDumpIsFound(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	write := func(name, content string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, now, now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	write("old.dump", "PGDMP old", 3*time.Hour)
	write("new.dump", "PGDMP newer", 2*time.Hour)
	write("cut.dump", "PGD", time.Hour)                     // not written to its end
	write("text.dump", "-- PostgreSQL", time.Hour)          // in another format
	write("new.dump.part", "PGDMP unfinished", time.Minute) // being written
	if err := os.Mkdir(filepath.Join(dir, "folder.dump"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := shelf.Server{Archive: archive{}, Dir: dir, Every: 24 * time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	d, err := s.Look(t.Context())
	if err != nil || d.Dump != "new.dump" || d.DumpSize != 11 || d.Dumps != dir || d.Problem != "" {
		t.Errorf("Look = %+v, %v", d, err)
	}
	s.Dir = filepath.Join(dir, "none")
	if d, err := s.Look(t.Context()); err != nil || d.Dump != "" || d.Problem == "" {
		t.Errorf("where there is no folder: %+v, %v", d, err)
	}
}

func TestAServerThatDoesNotSay(t *testing.T) {
	s := shelf.Server{Archive: archive{err: errors.New("permission denied")}, Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	if d, err := s.Look(t.Context()); err != nil || d.Unread == "" || d.Problem == "" {
		t.Errorf("Look = %+v, %v", d, err)
	}
	s.Archive = archive{err: fault.New(fault.Unavailable, "store.away", "away")}
	if _, err := s.Look(t.Context()); fault.CodeOf(err) != "store.away" {
		t.Errorf("while it is away: %v", err)
	}
}

func TestFiguresOfADatabasesBackupsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &databaseMeter{}
		at := time.Unix(1_700_000_000, 0)
		s := shelf.Server{Archive: archive{d: backups.OfDatabase{Archiving: true, Archived: at}}, Dir: "/nowhere", Meter: m, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		ctx, end := context.WithTimeout(t.Context(), 150*time.Second)
		defer end()
		if err := s.Run(ctx); err != nil || len(m.safe) != 3 || !m.safe[2].Equal(at) {
			t.Errorf("%v, told was %v", err, m.safe)
		}
	})
}
