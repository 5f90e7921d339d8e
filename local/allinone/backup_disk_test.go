package allinone_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/coretest"
)

// leftOver is what a backup or restore that failed has left, in any folder.
func leftOver(t *testing.T, dirs ...string) (left []string) {
	t.Helper()
	for _, dir := range dirs {
		for _, pattern := range []string{".part-*", ".work-*", "restore.json*", ".restored", ".replaced", ".unpacked"} {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, found...)
		}
	}
	return left
}

// refused asks for something that has no room, and looks at what is told of it.
func (b *person) refused(path, body, code string, words ...string) {
	b.p.t.Helper()
	got := b.ask(503, "POST", path, body)
	text, _ := got["detail"].(string)
	if got["code"] != code {
		b.p.t.Errorf("%s: %v\n%s", path, got, b.p.log)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			b.p.t.Errorf("%s: %q does not name %s", path, text, w)
		}
	}
}

// TestD1NoRoomForBackups and what follows: a backup, an upload, a rehearsal and a restore that find no room change nothing
// and leave nothing, the server goes on, what is there can be had and deleted, and with room again all of it works.
func TestD1NoRoomForBackups(t *testing.T) { noRoomForBackups(t, (*coretest.Disk).Fill) }

func TestD12NoInodesForBackups(t *testing.T) {
	noRoomForBackups(t, (*coretest.Disk).UseInodes, "-N", "64")
}

func noRoomForBackups(t *testing.T, use func(*coretest.Disk) string, options ...string) {
	disk, dir := coretest.NewDisk(t, 24<<20, options...), t.TempDir()
	p := embedded(t, dir, freshKey(), map[string]string{"BACKUP_DIR": disk.Dir})
	ada := p.person()
	ada.setUp()
	ada.add("BEFORE", "kept")
	name, second := ada.ask(201, "POST", "/backups", "")["name"].(string), ada.ask(201, "POST", "/backups", "")["name"].(string)
	archive := string(ada.raw(200, "GET", "/backups/"+name, "", nil))
	ada.add("NOW", "too")
	used := use(disk)

	ada.refused("/backups", "", "backup.disk_full", disk.Dir, "full")
	ada.refused("/backups/upload", archive, "backup.disk_full", disk.Dir)
	ada.refused("/backups/"+name+"/restore", "", "backup.disk_full", disk.Dir)
	if got := ada.ask(200, "POST", "/backups/rehearse", ""); got["ok"] != false || !strings.Contains(got["problem"].(string), disk.Dir) {
		t.Errorf("the rehearsal: %v", got)
	}
	list := ada.ask(200, "GET", "/backups", "")
	if failing, _ := list["failing"].(string); len(list["items"].([]any)) != 2 || !strings.Contains(failing, "full") {
		t.Errorf("the list: %v", list)
	}
	if left := leftOver(t, disk.Dir, filepath.Join(dir, "db_data"), filepath.Join(dir, "stacks")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	ada.add("WHILE", "the disk of backups is full")
	if got := string(ada.raw(200, "GET", "/backups/"+name, "", nil)); got != archive {
		t.Error("the archive cannot be had")
	}
	ada.raw(204, "DELETE", "/backups/"+second, "", nil)

	if err := os.RemoveAll(used); err != nil {
		t.Fatal(err)
	}
	ada.ask(201, "POST", "/backups", "")
	if got := ada.ask(200, "POST", "/backups/rehearse", ""); got["ok"] != true {
		t.Errorf("the rehearsal with room: %v", got)
	}
	ada.ask(202, "POST", "/backups/"+name+"/restore", "")
	p.opens()
	ada.signIn()
	if got := ada.names(); got != "BEFORE" {
		t.Errorf("there are the variables %s", got)
	}
}

// TestD1NoRoomForWhatIsRestored: the disk of the database has no room for a second one.
func TestD1NoRoomForWhatIsRestored(t *testing.T) {
	disk, dir := coretest.NewDisk(t, 24<<20), t.TempDir()
	p := embedded(t, dir, freshKey(), map[string]string{"DB_DATA_DIR": disk.Dir})
	ada := p.person()
	ada.setUp()
	ada.add("BEFORE", "kept")
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.add("NOW", "too")
	used := disk.Fill()
	ada.refused("/backups/"+name+"/restore", "", "backup.disk_full", disk.Dir)
	if left := leftOver(t, disk.Dir, filepath.Join(dir, "backups")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if got := ada.names(); got != "BEFORE NOW" {
		t.Errorf("there are the variables %s", got)
	}
	ada.ask(200, "POST", "/backups/rehearse", "") // which is held elsewhere
	if err := os.Remove(used); err != nil {
		t.Fatal(err)
	}
	ada.ask(202, "POST", "/backups/"+name+"/restore", "")
	p.opens()
	ada.signIn()
	if got := ada.names(); got != "BEFORE" {
		t.Errorf("there are the variables %s", got)
	}
}

// TestD7AFileOfARevisionThatTheDiskHasDamaged is named, with what to do, and keeps a backup from being made that could not be
// restored; one that is missing does not.
func TestD7AFileOfARevisionThatTheDiskHasDamaged(t *testing.T) {
	dir := t.TempDir()
	p := embedded(t, dir, freshKey(), nil)
	ada := p.person()
	ada.setUp()
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"
	path := filepath.Join(dir, "db_data", "stacks", "blobs", digest[:2], digest)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("tesu"), 0o600)); err != nil {
		t.Fatal(err)
	}
	ada.refused("/backups", "", "backup.failed", path, "delete the file")
	if got := ada.ask(200, "GET", "/backups", ""); len(got["items"].([]any)) > 0 || !strings.Contains(got["failing"].(string), path) {
		t.Errorf("the list: %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.ask(202, "POST", "/backups/"+name+"/restore", "")
	p.opens()
}

// TestD5BackupsOnAReadOnlyDisk: what is there can be listed and had, nothing new is stored, and the server goes on and starts.
func TestD5BackupsOnAReadOnlyDisk(t *testing.T) {
	disk, dir, key := coretest.NewDisk(t, 24<<20), t.TempDir(), freshKey()
	p := embedded(t, dir, key, map[string]string{"BACKUP_DIR": disk.Dir})
	ada := p.person()
	ada.setUp()
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	disk.ReadOnly()
	for range 2 {
		ada.refused("/backups", "", "backup.storage", disk.Dir, "BACKUP_DIR")
		ada.refused("/backups/"+name+"/restore", "", "backup.storage", disk.Dir)
		if got := ada.ask(200, "GET", "/backups", "")["items"].([]any); len(got) != 1 {
			t.Errorf("there are %v", got)
		}
		ada.raw(200, "GET", "/backups/"+name, "", nil)
		if left := leftOver(t, filepath.Join(dir, "db_data")); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		p = embedded(t, dir, key, map[string]string{"BACKUP_DIR": disk.Dir})
		ada = p.person()
		ada.signIn()
	}
}
