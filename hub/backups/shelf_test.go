package backups

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/backups"
	"berth/core/fault"
	"berth/core/seal"
	"berth/hub/adapter/archive"
)

type meter struct {
	ok, failed int
	last       []backups.Backup
	copied     map[bool]int
	standing   backups.Standing
	rehearsed  backups.Rehearsal
}

func (m *meter) BackedUp(ok bool, _ time.Duration) {
	if ok {
		m.ok++
	} else {
		m.failed++
	}
}

func (m *meter) KnowBackups(all []backups.Backup, _ time.Duration) { m.last = all }

func (m *meter) CopiedAway(ok bool) { m.copied[ok]++ }

func (m *meter) Rehearsed(r backups.Rehearsal) { m.rehearsed = r }

func (m *meter) KnowOffsite(s backups.Standing) { m.standing = s }

// yard is a shelf over a database that is a text.
type yard struct {
	t        *testing.T
	o        Options
	meter    *meter
	now      time.Time
	snapshot func(to string) error
	*Shelf
}

func newYard(t *testing.T) *yard {
	t.Helper()
	raw := make([]byte, 32)
	rand.Read(raw)
	key, err := seal.ParseSecretKey(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{t: t, meter: &meter{copied: map[bool]int{}}, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	y.snapshot = func(to string) error { return os.WriteFile(to, []byte("rows"), 0o600) }
	y.o = Options{Dir: filepath.Join(t.TempDir(), "backups"), Archive: archive.New(key, seal.SecretKey{}, ring), Version: "1.0", Schema: 3, Every: 24 * time.Hour,
		Snapshot: func(_ context.Context, to string) error { return y.snapshot(to) }, Files: func(func(string, []byte) error) error { return nil },
		Keep: backups.Keep{Newest: 2}, Now: func() time.Time { return y.now }, Meter: y.meter, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	y.open()
	return y
}

func (y *yard) open() {
	y.t.Helper()
	var err error
	if y.Shelf, err = Open(y.o); err != nil {
		y.t.Fatal(err)
	}
}

// names are the files in the folder, but for the one that says which were read.
func (y *yard) names() (names []string) {
	y.t.Helper()
	entries, err := os.ReadDir(y.o.Dir)
	if err != nil {
		y.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != wholeName {
			names = append(names, e.Name())
		}
	}
	return names
}

func (y *yard) all() []backups.Backup {
	y.t.Helper()
	all, err := y.All(y.t.Context())
	if err != nil {
		y.t.Fatal(err)
	}
	return all
}

func (y *yard) made(why backups.Reason) backups.Backup {
	y.t.Helper()
	b, err := y.Make(y.t.Context(), why)
	if err != nil {
		y.t.Fatal(err)
	}
	return b
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*yard)
		code  string
	}{
		"the database cannot be copied": {func(y *yard) { y.snapshot = func(string) error { return errors.New("damaged") } }, "backup.failed"},
		"the disk is full":              {func(y *yard) { y.snapshot = func(string) error { return syscall.ENOSPC } }, "backup.disk_full"},
		"a file cannot be read": {func(y *yard) {
			y.Shelf.o.Files = func(func(string, []byte) error) error { return os.ErrPermission }
		}, "backup.failed"},
		"what was written is not what is read": {func(y *yard) { y.Shelf.o.Archive = forgetful{y.o.Archive} }, "backup.failed"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			c.spoil(y)
			_, err := y.Make(t.Context(), backups.ByHand)
			if fault.CodeOf(err) != c.code || y.meter.failed != 1 || y.meter.ok != 0 {
				t.Errorf("Make = %v, %d failed", err, y.meter.failed)
			}
			if names := y.names(); len(names) > 0 {
				t.Errorf("there is %v", names)
			}
		})
	}
}

// forgetful writes archives that break off.
type forgetful struct{ Archive }

func (f forgetful) Write(to io.Writer, head backups.Head, fill func(func(string, int64, io.Reader) error) error) error {
	var all bytes.Buffer
	err := f.Archive.Write(&all, head, fill)
	_, werr := to.Write(all.Bytes()[:all.Len()-1])
	return errors.Join(err, werr)
}

func TestWhatACrashLeftIsRemoved(t *testing.T) {
	y := newYard(t)
	b := y.made(backups.ByHand)
	for _, name := range []string{partPrefix + "1", filepath.Join(workPrefix+"2", "database.sqlite")} {
		path := filepath.Join(y.o.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("half"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if all := y.all(); len(all) != 1 {
		t.Errorf("half a backup is listed: %v", all)
	}
	y.open()
	if names := y.names(); len(names) != 1 || names[0] != b.Name {
		t.Errorf("there is %v", names)
	}
}

func TestOneThingAtATime(t *testing.T) {
	y := newYard(t)
	name := y.made(backups.ByHand).Name
	begun, goOn := make(chan struct{}), make(chan struct{})
	y.snapshot = func(to string) error { close(begun); <-goOn; return os.WriteFile(to, []byte("rows"), 0o600) }
	ended := make(chan error)
	go func() { _, err := y.Make(t.Context(), backups.ByHand); ended <- err }()
	<-begun
	for name, act := range map[string]func() error{
		"make":   func() error { _, err := y.Make(t.Context(), backups.ByHand); return err },
		"delete": func() error { return y.Delete(t.Context(), name, false) },
		"restore": func() error {
			_, err := y.Prepare(t.Context(), name, "ada", noted)
			return err
		},
	} {
		if err := act(); fault.CodeOf(err) != "backup.busy" {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func noted() error { return nil }

// TestASlowUploadHoldsUpNothing: while archives come in, backups are made and deleted; only so many come in at once.
func TestASlowUploadHoldsUpNothing(t *testing.T) {
	y := newYard(t)
	ended := make(chan error)
	var ends []*io.PipeWriter
	for range maxTakes {
		from, to := io.Pipe()
		ends = append(ends, to)
		go func() { _, err := y.Take(t.Context(), from, 1<<20); ended <- err }()
		if _, err := to.Write([]byte("an archive that does not end")); err != nil { // it is being received
			t.Fatal(err)
		}
	}
	if _, err := y.Take(t.Context(), strings.NewReader("x"), 10); fault.CodeOf(err) != "backup.busy" {
		t.Errorf("one more: %v", err)
	}
	b := y.made(backups.ByHand)
	if err := y.Delete(t.Context(), b.Name, false); err != nil {
		t.Error(err)
	}
	for _, to := range ends {
		to.CloseWithError(errors.New("the client is gone"))
		if err := <-ended; fault.CodeOf(err) != "request.broken_off" {
			t.Errorf("Take = %v", err)
		}
	}
	if _, err := y.Take(t.Context(), strings.NewReader("x"), 10); fault.CodeOf(err) != "backup.damaged" {
		t.Errorf("when they are over: %v", err)
	}
	if names := y.names(); len(names) > 0 {
		t.Errorf("there is %v", names)
	}
}

// stuck is an archive whose head does not come until it is let go.
type stuck struct {
	Archive
	reading, goOn chan struct{}
}

func (s stuck) Head(from io.Reader) (backups.Head, error) {
	s.reading <- struct{}{}
	<-s.goOn
	return s.Archive.Head(from)
}

// TestABackupThatIsSlowToReadHoldsUpNoOther: a disk that hangs on one file leaves what is known of the others.
func TestABackupThatIsSlowToReadHoldsUpNoOther(t *testing.T) {
	y := newYard(t)
	first, second := y.made(backups.ByHand), y.made(backups.ByHand)
	slow := stuck{y.o.Archive, make(chan struct{}), make(chan struct{})}
	y.o.Archive = slow
	y.open()
	ended := make(chan error)
	for _, name := range []string{first.Name, second.Name} {
		go func() { _, err := y.look(name); ended <- err }()
		<-slow.reading // the second too, while the first is under way
	}
	close(slow.goOn)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// staged is a restore of which nothing but its end is known.
type staged struct{ ready, dropped int }

func (s *staged) Keep(backups.Member, io.Reader) error { return nil }
func (s *staged) Build(context.Context) error          { return nil }
func (s *staged) Ready(string, string, string) error   { s.ready++; return nil }
func (s *staged) Drop()                                { s.dropped++ }

func TestARestoreThatIsNotRecordedIsNotSetOut(t *testing.T) {
	for name, c := range map[string]struct {
		note           error
		ready, dropped int
	}{
		"it is recorded": {nil, 1, 0},
		"it is not":      {errors.New("the disk is full"), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			b, stage := y.made(backups.ByHand), &staged{}
			y.Shelf.o.Stage = func() (Stage, error) { return stage, nil }
			_, err := y.Prepare(t.Context(), b.Name, "ada", func() error {
				if stage.ready > 0 {
					t.Error("it was set out before anybody took note")
				}
				return c.note
			})
			if !errors.Is(err, c.note) || stage.ready != c.ready || stage.dropped != c.dropped {
				t.Errorf("Prepare = %v, set out %d times, dropped %d times", err, stage.ready, stage.dropped)
			}
		})
	}
}

func TestTheScheduleMakesOneADayAndDeletesOldOnes(t *testing.T) {
	y := newYard(t)
	byHand := y.made(backups.ByHand)
	for range 5 {
		if next := y.round(t.Context()); next != again { // nothing is due for a day, so it is only looked
			t.Errorf("next in %v", next)
		}
		y.round(t.Context())
		y.now = y.now.Add(24 * time.Hour)
	}
	all := y.all()
	if len(all) != 3 || all[2].Name != byHand.Name || all[0].Head.MadeAt.Sub(all[1].Head.MadeAt) != 24*time.Hour {
		t.Errorf("there are %v", all)
	}
	if y.meter.ok != 6 || len(y.meter.last) == 0 {
		t.Errorf("%d were counted, %d are known", y.meter.ok, len(y.meter.last))
	}
}

func TestAScheduleThatFailsIsTriedAgain(t *testing.T) {
	y := newYard(t)
	whole := y.snapshot
	y.snapshot = func(string) error { return syscall.ENOSPC }
	if next := y.round(t.Context()); next != again || y.meter.failed != 1 {
		t.Errorf("next in %v after %d failures", next, y.meter.failed)
	}
	y.snapshot = whole
	y.round(t.Context())
	if len(y.all()) != 1 {
		t.Error("it was not made")
	}
}

func TestWhatIsBroughtIsReadFirst(t *testing.T) {
	y := newYard(t)
	b := y.made(backups.ByHand)
	archive, err := os.ReadFile(filepath.Join(y.o.Dir, b.Name))
	if err != nil {
		t.Fatal(err)
	}
	newer := newYard(t)
	newer.o.Archive, newer.o.Schema = y.o.Archive, 4
	newer.open()
	future, err := os.ReadFile(filepath.Join(newer.o.Dir, newer.made(backups.ByHand).Name))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		from  io.Reader
		limit int64
		code  string
	}{
		"a whole one":              {bytes.NewReader(archive), int64(len(archive)), ""},
		"one byte too much":        {bytes.NewReader(archive), int64(len(archive)) - 1, "backup.too_large"},
		"half of one":              {bytes.NewReader(archive[:len(archive)/2]), 1 << 20, "backup.damaged"},
		"nothing":                  {strings.NewReader(""), 1 << 20, "backup.damaged"},
		"of a newer release":       {bytes.NewReader(future), 1 << 20, "backup.newer"},
		"the connection broke off": {io.MultiReader(bytes.NewReader(archive[:10]), broken{}), 1 << 20, "request.broken_off"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(y.names())
			got, err := y.Take(t.Context(), c.from, c.limit)
			if c.code == "" {
				if err != nil || got.Head.Reason != backups.Uploaded || got.Head.Version != "1.0" || len(y.names()) != before+1 {
					t.Errorf("Take = %+v, %v", got, err)
				}
				return
			}
			if fault.CodeOf(err) != c.code || len(y.names()) != before {
				t.Errorf("Take = %v, there is %v", err, y.names())
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhatCannotBeRestoredSaysWhy(t *testing.T) {
	y := newYard(t)
	b := y.made(backups.ByHand)
	y.o.Archive = newYard(t).o.Archive
	y.open()
	all := y.all()
	if len(all) != 1 || !strings.Contains(all[0].Problem, "another SECRET_KEY") {
		t.Errorf("there is %+v", all)
	}
	if _, err := y.Prepare(t.Context(), b.Name, "ada", noted); fault.CodeOf(err) != "backup.other_key" {
		t.Errorf("Prepare = %v", err)
	}
}

func TestANameThatLeadsElsewhereIsNone(t *testing.T) {
	y := newYard(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	const link = "berth-20261122T120000Z-manual-000000.backup"
	if err := os.Symlink(victim, filepath.Join(y.o.Dir, link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, "../victim", victim, ""} {
		if _, _, err := y.Get(t.Context(), name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if all := y.all(); len(all) > 0 {
		t.Errorf("there is %v", all)
	}
}

func TestTheScheduleWaitsUntilAStartIsOver(t *testing.T) {
	y := newYard(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		y.Shelf.busy = make(chan struct{}, 1) // made in here, so that the clock of the test goes on
		y.Shelf.busy <- struct{}{}
		ended := make(chan error)
		go func() { ended <- y.Run(ctx) }()
		time.Sleep(calm - time.Second)
		if len(y.names()) > 0 {
			t.Error("a backup was made during the start")
		}
		time.Sleep(2 * time.Second)
		if len(y.all()) != 1 {
			t.Error("none was made after it")
		}
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
