package sqlite

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/store"
)

// keep opens a keeper of a database whose work the test does step by step.
func keep(t *testing.T, db *store.DB, dir string) (*Keeper, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	k, err := Keep(t.Context(), db, dir, slog.New(slog.NewTextHandler(&log, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k, &log
}

// grow writes about this many bytes to the write-ahead log, a hundredth in each commit.
func grow(t *testing.T, db *store.DB, bytes int) {
	t.Helper()
	for range 100 {
		write(t, db, `INSERT INTO settings (name, value) VALUES (lower(hex(randomblob(16))), hex(zeroblob(?)))`, bytes/200)
	}
}

// TestD6LongReader: a read that does not end stands in the way of the log of writes. It is ended when
// the log has got too long, and the log is short again.
func TestD6LongReader(t *testing.T) {
	dir := t.TempDir()
	db := filled(t, dir)
	k, log := keep(t, db, dir)
	k.much, k.limit = 2<<20, 4<<20
	under, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.Read(t.Context(), func(tx *store.Tx) error {
			if _, err := store.Texts(tx, `SELECT name FROM settings`); err != nil {
				return err
			}
			close(under)
			for { // one that goes on and on
				if _, err := store.Texts(tx, `SELECT name FROM settings LIMIT 1`); err != nil {
					return err
				}
			}
		})
	}()
	<-under
	most := int64(0)
	for cut := false; !cut; {
		grow(t, db, 1<<19)
		k.shorten(t.Context())
		most = max(most, k.size())
		if strings.Contains(log.String(), "somebody reads for too long") {
			// The read is younger than what may be ended without asking; it has not ten seconds here.
			if n := db.CutReads(0); n != 1 {
				t.Fatalf("%d reads were under way", n)
			}
			cut = true
		}
		if most > 2*k.limit {
			t.Fatalf("the log has %d bytes and nobody was warned", most)
		}
	}
	if err := <-ended; fault.CodeOf(err) != "store.read_cut" || !fault.Is(err, fault.Unavailable) {
		t.Errorf("the read ended with %v", err)
	}
	k.shorten(t.Context())
	grow(t, db, 1<<20)
	if now := k.size(); now >= most {
		t.Errorf("the log still has %d bytes of %d", now, most)
	}
	if got := read(t, db, `SELECT count(*) FROM settings WHERE name = 'kept'`); got[0] != "1" {
		t.Errorf("a read afterwards: %q", got)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, log)
	}
}

func TestTheLogOfWritesIsBounded(t *testing.T) {
	dir := t.TempDir()
	db := filled(t, dir)
	k, _ := keep(t, db, dir)
	for range 20 {
		grow(t, db, 1<<19)
		k.keep(t.Context())
		if size := k.size(); size > 4<<20 {
			t.Fatalf("it has %d bytes", size)
		}
	}
}

func TestOnlyLongReadsAreEnded(t *testing.T) {
	db := filled(t, t.TempDir())
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		if n := db.CutReads(time.Hour); n != 0 {
			t.Errorf("%d reads were ended", n)
		}
		_, err := store.Texts(tx, `SELECT name FROM settings`)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := db.CutReads(0); n != 0 {
		t.Errorf("%d reads were under way that had ended", n)
	}
}

// TestD1Reserve: on a full disk what goes on is stored and what is new is refused, until there
// is room again.
func TestD1Reserve(t *testing.T) {
	disk := coretest.NewDisk(t, 24<<20)
	db := filled(t, disk.Dir)
	k, log := keep(t, db, disk.Dir)
	begin := func() error {
		return db.WriteNew(t.Context(), func(tx *store.Tx) error {
			_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (lower(hex(randomblob(16))), 'new')`)
			return err
		})
	}
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		ballast := disk.Fill()
		if err := begin(); fault.CodeOf(err) != "store.disk_full" || !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.PublicOf(err), "nothing new is begun") {
			t.Fatalf("round %d: on a full disk something new: %v", round, err)
		}
		k.keep(t.Context())
		for range 3 { // more than fits without the reserve
			grow(t, db, 300_000)
		}
		if _, err := os.Stat(filepath.Join(disk.Dir, ReserveFile)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("round %d: the reserve was not given up: %v", round, err)
		}
		k.keep(t.Context())
		if err := begin(); fault.CodeOf(err) != "store.disk_full" {
			t.Errorf("round %d: something new got what is left: %v", round, err)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		k.keep(t.Context())
		if err := begin(); err != nil {
			t.Fatalf("round %d: with room again: %v", round, err)
		}
		if info, err := os.Stat(filepath.Join(disk.Dir, ReserveFile)); err != nil || info.Size() != reserveSize {
			t.Errorf("round %d: the reserve is not there again: %v", round, err)
		}
		write(t, db, `DELETE FROM settings WHERE name <> 'kept'`)
	}
	text := log.String()
	if strings.Count(text, "the disk is full") != 2 || strings.Count(text, "there is room on the disk again") != 2 || strings.Contains(text, "level=WARN") {
		t.Errorf("log:\n%s", text)
	}
	if got := read(t, db, `PRAGMA integrity_check`); got[0] != "ok" {
		t.Errorf("the database is damaged: %q", got)
	}
}

// TestD12Inodes: without inodes nothing new is begun either, and what goes on is stored.
func TestD12Inodes(t *testing.T) {
	disk := coretest.NewDisk(t, 24<<20, "-N", "128")
	db := filled(t, disk.Dir)
	k, _ := keep(t, db, disk.Dir)
	many := disk.UseInodes()
	err := db.WriteNew(t.Context(), func(*store.Tx) error { return nil })
	if fault.CodeOf(err) != "store.disk_full" {
		t.Errorf("something new: %v", err)
	}
	grow(t, db, 1<<20)
	if err := os.RemoveAll(many); err != nil {
		t.Fatal(err)
	}
	k.keep(t.Context())
	if err := db.WriteNew(t.Context(), func(*store.Tx) error { return nil }); err != nil {
		t.Errorf("with inodes again: %v", err)
	}
}

func TestAKeeperOnAFullDiskMakesDoWithoutReserve(t *testing.T) {
	disk := coretest.NewDisk(t, 8<<20)
	db := filled(t, disk.Dir)
	ballast := disk.Fill()
	k, log := keep(t, db, disk.Dir)
	if k.reserve.Room() || k.reserve.GiveWay() || !strings.Contains(log.String(), "the disk is full") {
		t.Errorf("it takes the disk to have room:\n%s", log)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
}

func TestAKeeperRunsUntilItIsToldToEnd(t *testing.T) {
	dir := t.TempDir()
	told := make(chan bool, 100)
	db := filled(t, dir)
	k, err := Keep(t.Context(), db, dir, slog.New(slog.DiscardHandler), func(room bool) { told <- room })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	for range 2 {
		if !<-told {
			t.Error("it tells that there is no room")
		}
	}
	cancel()
	if err := errors.Join(<-done, k.Close()); err != nil {
		t.Error(err)
	}
}
