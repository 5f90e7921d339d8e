package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"berth/core/backups"
	"berth/core/fault"
	"berth/core/seal"
)

var made = backups.Head{Format: 1, Version: "1.2.3", Schema: 7, MadeAt: time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC), Reason: backups.ByHand}

const blob = "revisions/blobs/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func newKey(t testing.TB) seal.SecretKey {
	t.Helper()
	raw := make([]byte, 32)
	rand.Read(raw)
	key, err := seal.ParseSecretKey(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newArchive(t testing.TB) *Archive {
	t.Helper()
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return New(newKey(t), seal.SecretKey{}, ring)
}

// written is an archive with a database and a file.
func written(t testing.TB, a *Archive, database string) []byte {
	t.Helper()
	var to bytes.Buffer
	err := a.Write(&to, made, func(add Adder) error {
		return errors.Join(add(backups.Database, int64(len(database)), strings.NewReader(database)), add(blob, 4, strings.NewReader("test")))
	})
	if err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// unpacked reads an archive into a map.
func unpacked(a *Archive, from []byte) (map[string]string, backups.Head, error) {
	members := map[string]string{}
	head, err := a.Read(bytes.NewReader(from), func(m backups.Member, content io.Reader) error {
		text, err := io.ReadAll(content)
		members[m.Name] = string(text)
		return err
	})
	return members, head, err
}

func TestWhatWasWrittenComesBack(t *testing.T) {
	a := newArchive(t)
	database := strings.Repeat("a database of some size, ", 20_000)
	archive := written(t, a, database)
	members, head, err := unpacked(a, archive)
	if err != nil || head != made || !maps.Equal(members, map[string]string{backups.Database: database, blob: "test"}) {
		t.Errorf("%d members, %+v, %v", len(members), head, err)
	}
	if head, err := a.Head(bytes.NewReader(archive)); err != nil || head != made {
		t.Errorf("the head is %+v, %v", head, err)
	}
	if bytes.Contains(archive, []byte("database")) {
		t.Error("the archive shows what is in it")
	}
}

func TestOnlyTheSecretKeyOpensIt(t *testing.T) {
	a := newArchive(t)
	archive := written(t, a, "rows")
	other := newKey(t)
	for name, c := range map[string]struct {
		with *Archive
		code string
	}{
		"another key":              {New(other, seal.SecretKey{}, nil), "backup.other_key"},
		"the key, without a ring":  {New(a.key, seal.SecretKey{}, nil), ""},
		"it is the key before":     {New(other, a.key, nil), ""},
		"neither key is the right": {New(other, newKey(t), nil), "backup.other_key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unpacked(c.with, archive)
			if (err == nil) != (c.code == "") || err != nil && fault.CodeOf(err) != c.code {
				t.Fatalf("%v, want %q", err, c.code)
			}
			if err != nil && (!strings.Contains(fault.PublicOf(err), other.CheckValue()) || !strings.Contains(fault.PublicOf(err), a.key.CheckValue())) {
				t.Errorf("%q does not name both check values", fault.PublicOf(err))
			}
		})
	}
}

// TestWhatEarlierReleasesMadeOpens: an archive whose key the first data key has sealed, though a second was active.
func TestWhatEarlierReleasesMadeOpens(t *testing.T) {
	key, err := seal.ParseSecretKey("8f1d6c0b5a39e7426d91f0c4b8a3e57d2c6f90b1e4d8a7356f0c2b9e1d4a8c73")
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile("testdata/sealed_by_the_first_key.backup")
	if err != nil {
		t.Fatal(err)
	}
	members, head, err := unpacked(New(key, seal.SecretKey{}, nil), old)
	if err != nil || head != made || !maps.Equal(members, map[string]string{backups.Database: "rows", blob: "test"}) {
		t.Errorf("%v, %+v, %v", members, head, err)
	}
	if _, _, err := unpacked(newArchive(t), old); fault.CodeOf(err) != "backup.other_key" {
		t.Errorf("under another key: %v", err)
	}
	for i := range old {
		changed := slices.Clone(old)
		changed[i] ^= 1
		if _, _, err := unpacked(New(key, seal.SecretKey{}, nil), changed); !refused(err) {
			t.Fatalf("byte %d was changed: %v", i, err)
		}
	}
}

// TestWhoHasTheDataKeysOfBeforeOpensNoNewArchive: what a copy of the database told, before SECRET_KEY and the data key were
// changed, opens the archives of then alone.
func TestWhoHasTheDataKeysOfBeforeOpensNoNewArchive(t *testing.T) {
	a := newArchive(t)
	leaked := a.ring
	next, err := leaked.AddKey()
	if err != nil {
		t.Fatal(err)
	}
	a.key = newKey(t)
	a.ring = next
	archive := written(t, a, "rows")
	tried := 0
	knows := age.Identity(identity(func(s *age.Stanza) ([]byte, error) {
		tried++
		end := 4 + next.Len()*rowSize
		if key, err := leaked.Open(place, s.Body[end:]); err == nil {
			return key, nil
		}
		return openFirst(leaked, s.Body[:end], s.Body[end:])
	}))
	if _, err := age.Decrypt(bytes.NewReader(archive), knows); err == nil || tried != 1 {
		t.Errorf("it opens with the keys of before, or was not tried: %v, %d", err, tried)
	}
	if _, _, err := unpacked(New(a.key, seal.SecretKey{}, nil), archive); err != nil {
		t.Error(err)
	}
}

// identity opens file keys with what somebody knows.
type identity func(*age.Stanza) ([]byte, error)

// Unwrap implements age.Identity.
func (i identity) Unwrap(all []*age.Stanza) ([]byte, error) { return i(all[0]) }

// TestADataKeyMayBeAddedWhileArchivesAreMade: each opens, whichever was active when its key was sealed.
func TestADataKeyMayBeAddedWhileArchivesAreMade(t *testing.T) {
	a := newArchive(t)
	ended := make(chan error)
	go func() {
		for range 100 {
			newer, err := a.ring.AddKey()
			if err == nil {
				err = a.ring.Adopt(newer)
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for n := 0; ; n++ {
		if _, _, err := unpacked(a, written(t, a, "rows")); err != nil {
			t.Fatalf("archive %d, with %d data keys: %v", n, a.ring.Len(), err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

func TestEveryByteCounts(t *testing.T) {
	a := newArchive(t)
	archive := written(t, a, strings.Repeat("rows ", 100))
	for i := range archive {
		changed := slices.Clone(archive)
		changed[i] ^= 1
		if _, _, err := unpacked(a, changed); !refused(err) {
			t.Fatalf("byte %d was changed: %v", i, err)
		}
		if _, _, err := unpacked(a, archive[:i]); !refused(err) {
			t.Fatalf("cut off after %d bytes: %v", i, err)
		}
	}
	if _, _, err := unpacked(a, append(slices.Clone(archive), 0)); !refused(err) {
		t.Errorf("a byte was added: %v", err)
	}
}

func refused(err error) bool {
	code := fault.CodeOf(err)
	return code == "backup.damaged" || code == "backup.other_key"
}

// forged seals any gzip stream as an archive: by somebody who has the key.
func forged(t *testing.T, a *Archive, packed []byte) []byte {
	t.Helper()
	var to bytes.Buffer
	w, err := age.Encrypt(&to, sealer{a.key, a.ring})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(packed)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// entry is a member of a forged archive.
type entry struct {
	name, content string
	kind          byte
	link          string
}

func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var to bytes.Buffer
	zip := gzip.NewWriter(&to)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		if err := w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.content)), Typeflag: kind, Linkname: e.link, Mode: 0o777}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

func TestHostileArchives(t *testing.T) {
	a := newArchive(t)
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	head, database := entry{name: headName, content: string(text)}, entry{name: backups.Database, content: "rows"}
	const rows = "a5a75c0c1d7ad2ef6a5ee6a9c1d9bb3a2b3c4d5e6f708192a3b4c5d6e7f80910"
	manifest := func(members string) entry { return entry{name: manifestName, content: `{"members":[` + members + `]}`} }
	with := func(e entry) []entry { return []entry{head, database, e, manifest("")} }
	many := make([]entry, 0, 2000)
	for range 2000 {
		many = append(many, database)
	}
	million := append(make([]entry, 0, 1_000_003), head, database)
	for n := range 1_000_000 {
		million = append(million, entry{name: fmt.Sprintf("revisions/blobs/%064x", n)})
	}
	for name, entries := range map[string][]entry{
		"a million files that nobody named": append(million, manifest("")),
		"nothing":                           {},
		"no head":                           {database, manifest("")},
		"a head that is no JSON":            {{name: headName, content: "{"}, database, manifest("")},
		"a head of 1 MiB":                   {{name: headName, content: strings.Repeat(" ", 1<<20) + string(text)}, database, manifest("")},
		"no database":                       {head, manifest("")},
		"no manifest":                       {head, database},
		"a manifest that is no JSON":        {head, database, {name: manifestName, content: "no"}},
		"a manifest without the database":   {head, database, manifest("")},
		"a digest that is another's":        {head, database, manifest(`{"name":"database.sqlite","size":4,"sha256":"` + rows + `"}`)},
		"two databases":                     with(database),
		"two thousand databases":            append(append([]entry{head}, many...), manifest("")),
		"a file before the database":        {head, {name: blob, content: "test"}, database, manifest("")},
		"something after the manifest":      {head, database, manifest(""), {name: blob, content: "test"}},
		"an absolute path":                  with(entry{name: "/etc/passwd", content: "x"}),
		"a path that leads out":             with(entry{name: "revisions/../../etc/passwd", content: "x"}),
		"a path that leads out of blobs":    with(entry{name: "revisions/blobs/../x", content: "x"}),
		"a backslash":                       with(entry{name: `revisions\blobs\x`, content: "x"}),
		"a name without end":                with(entry{name: "revisions/blobs/" + strings.Repeat("a", 5000), content: "x"}),
		"a symbolic link":                   with(entry{name: blob, kind: tar.TypeSymlink, link: "/etc/passwd"}),
		"a hard link":                       with(entry{name: blob, kind: tar.TypeLink, link: "/etc/passwd"}),
		"a folder":                          with(entry{name: "revisions/blobs/", kind: tar.TypeDir}),
		"a device":                          with(entry{name: blob, kind: tar.TypeBlock}),
		"a pipe":                            with(entry{name: blob, kind: tar.TypeFifo}),
		"a stack that is none":              with(entry{name: "revisions/stk_x/1/compose.yaml", content: "x"}),
		"a revision 0":                      with(entry{name: "revisions/stk_0000000000000000000000000a/0/compose.yaml", content: "x"}),
		"another file of a revision":        with(entry{name: "revisions/stk_0000000000000000000000000a/1/run.sh", content: "x"}),
		"a digest in capitals":              with(entry{name: strings.ToUpper(blob), content: "test"}),
		"a name that is empty":              with(entry{name: "", content: "x"}),
		"a bomb":                            {head, {name: backups.Database, content: strings.Repeat("\x00", 300<<20)}, manifest("")},
	} {
		t.Run(name, func(t *testing.T) {
			var kept int64
			_, err := a.Read(bytes.NewReader(forged(t, a, packed(t, entries...))), func(m backups.Member, content io.Reader) error {
				n, err := io.Copy(io.Discard, content)
				kept += n
				return err
			})
			if fault.CodeOf(err) != "backup.damaged" {
				t.Errorf("Read = %v", err)
			}
			if kept > 200<<20 {
				t.Errorf("%d bytes were passed on", kept)
			}
		})
	}
	for name, content := range map[string][]byte{
		"no gzip":            []byte("rows and rows"),
		"two gzip streams":   append(packed(t, head, database, manifest("")), packed(t, head)...),
		"bytes after gzip":   append(packed(t, head, database, manifest("")), "more"...),
		"half a gzip stream": packed(t, head, database, manifest(""))[:60],
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := unpacked(a, forged(t, a, content)); fault.CodeOf(err) != "backup.damaged" {
				t.Errorf("Read = %v", err)
			}
		})
	}
}

func TestWhatKeepSaysComesBack(t *testing.T) {
	a := newArchive(t)
	full := errors.New("the disk is full")
	_, err := a.Read(bytes.NewReader(written(t, a, "rows")), func(backups.Member, io.Reader) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("Read = %v", err)
	}
}

func TestAMemberThatIsShorterThanSaidIsNoBackup(t *testing.T) {
	a := newArchive(t)
	err := a.Write(io.Discard, made, func(add Adder) error { return add(backups.Database, 5, strings.NewReader("rows")) })
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Write = %v", err)
	}
}

func FuzzRead(f *testing.F) {
	a := newArchive(f)
	f.Add(written(f, a, "rows"))
	f.Add([]byte("age-encryption.org/v1\n-> berth-data-key 000000\n\n--- \n"))
	f.Add([]byte("age-encryption.org/v1\n-> berth-secret-key 000000\n\n--- \n"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		_, _, err := unpacked(a, archive)
		if err != nil && !refused(err) {
			t.Errorf("Read = %v", err)
		}
	})
}
