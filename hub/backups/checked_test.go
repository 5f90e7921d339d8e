package backups

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/backups"
)

// TestWhatSomebodyPutsIntoTheFolderIsReadBeforeItCountsAsGood: by its name alone a file is no good backup, and not copied off site.
func TestWhatSomebodyPutsIntoTheFolderIsReadBeforeItCountsAsGood(t *testing.T) {
	y := newYard(t)
	y.o.Every = 0
	y.open()
	y.snapshot = func(to string) error { // of more than one piece, so that the head tells nothing of the end
		rows := make([]byte, 300_000)
		rand.Read(rows)
		return os.WriteFile(to, rows, 0o600)
	}
	good := y.made(backups.ByHand)
	content, err := os.ReadFile(filepath.Join(y.o.Dir, good.Name))
	if err != nil {
		t.Fatal(err)
	}
	changed := append([]byte(nil), content...)
	changed[len(changed)-20] ^= 1
	for name, c := range map[string]struct {
		content []byte
		problem string // once it was read; empty: it is good
	}{
		"berth-20261122T130000Z-manual-000001.backup": {content, ""},
		"berth-20261122T130000Z-manual-000002.backup": {content[:len(content)-1], "damaged"},
		"berth-20261122T130000Z-manual-000003.backup": {changed, "damaged"},
	} {
		path := filepath.Join(y.o.Dir, name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if b := y.one(name); b.Checked || b.Problem != "" || len(missing(y.all(), backups.Keep{}, y.now)) != 1 {
			t.Errorf("%s: at first %+v", name, b)
		}
		y.round(t.Context())
		if b := y.one(name); b.Checked != (c.problem == "") || !strings.Contains(b.Problem, c.problem) || (b.Problem == "") != (c.problem == "") {
			t.Errorf("%s: then %+v", name, b)
		}
		y.open()
		if b := y.one(name); b.Checked != (c.problem == "") {
			t.Errorf("%s: after a start %+v", name, b)
		}
		if !y.one(good.Name).Checked {
			t.Errorf("%s: what was read before is forgotten", name)
		}
		if err := y.Delete(t.Context(), name, false); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAGoodBackupThatChangesIsNoneUntilItWasRead again.
func TestAGoodBackupThatChangesIsNoneUntilItWasRead(t *testing.T) {
	y := newYard(t)
	y.o.Every = 0
	y.open()
	b := y.made(backups.ByHand)
	if !y.one(b.Name).Checked || !b.Checked {
		t.Fatal("what was made and read is not good")
	}
	path := filepath.Join(y.o.Dir, b.Name)
	if err := os.Truncate(path, b.Size-1); err != nil {
		t.Fatal(err)
	}
	if now := y.one(b.Name); now.Checked {
		t.Errorf("it lost its end and is %+v", now)
	}
	y.round(t.Context())
	if now := y.one(b.Name); now.Checked || now.Problem == "" {
		t.Errorf("it was read and is %+v", now)
	}
	if err := y.Delete(t.Context(), b.Name, false); err != nil {
		t.Error(err)
	}
}

func TestAListOfWhatWasReadThatCannotBeReadVouchesForNothing(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "{", "nothing": "null", "a list": "[]"} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.o.Every = 0
			b := y.made(backups.ByHand)
			if err := os.WriteFile(filepath.Join(y.o.Dir, wholeName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			y.open()
			if y.one(b.Name).Checked {
				t.Error("it is taken for read")
			}
			y.round(t.Context())
			if !y.one(b.Name).Checked {
				t.Error("it was not read again")
			}
		})
	}
}

// growing is an archive whose file grows while it is read.
type growing struct {
	Archive
	path string
}

func (g growing) Read(from io.Reader, keep func(backups.Member, io.Reader) error) (backups.Head, error) {
	head, err := g.Archive.Read(from, keep)
	file, oerr := os.OpenFile(g.path, os.O_APPEND|os.O_WRONLY, 0)
	if oerr != nil {
		return head, oerr
	}
	_, werr := file.Write([]byte("more"))
	return head, errors.Join(err, werr, file.Close())
}

func TestAFileThatIsStillWrittenIsNotGoodYet(t *testing.T) {
	y := newYard(t)
	b := y.made(backups.ByHand)
	if err := os.Remove(filepath.Join(y.o.Dir, wholeName)); err != nil {
		t.Fatal(err)
	}
	y.o.Archive = growing{y.o.Archive, filepath.Join(y.o.Dir, b.Name)}
	y.open()
	y.check(context.Background(), y.all())
	if now := y.one(b.Name); now.Checked {
		t.Errorf("it is %+v", now)
	}
}

// one is the backup of a name, as it is listed.
func (y *yard) one(name string) backups.Backup {
	y.t.Helper()
	for _, b := range y.all() {
		if b.Name == name {
			return b
		}
	}
	y.t.Fatalf("%s is not listed", name)
	return backups.Backup{}
}
