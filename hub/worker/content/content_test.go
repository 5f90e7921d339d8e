package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core"
)

func openStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// contentOf makes a content out of path, text pairs; a path that ends in * is executable.
func contentOf(name string, pairs ...string) core.Content {
	c := core.Content{Digest: digestOf("content " + name), Source: name}
	for i := 0; i < len(pairs); i += 2 {
		p, exec := strings.CutSuffix(pairs[i], "*")
		c.Files = append(c.Files, core.ContentFile{Path: p, Digest: digestOf(pairs[i+1]), Size: int64(len(pairs[i+1])), Executable: exec})
	}
	return c
}

func put(t *testing.T, s *Store, text string) {
	t.Helper()
	b, err := s.NewBlob(Want{digestOf(text), int64(len(text))})
	if err != nil {
		t.Fatal(err)
	}
	half := len(text) / 2
	if err := errors.Join(b.Append(0, []byte(text[:half])), b.Append(int64(half), []byte(text[half:])), b.Commit()); err != nil {
		t.Fatal(err)
	}
}

func TestContentIsLaidOutReadOnly(t *testing.T) {
	s := openStore(t)
	c := contentOf("conf", "nginx.conf", "listen 80", "sites/a/b.conf", "server", "run.sh*", "#!/bin/sh", "same.txt", "listen 80", "empty", "")
	defer s.Hold([]core.Content{c})()
	if wants := s.Missing([]core.Content{c}); len(wants) != 4 {
		t.Fatalf("missing %+v, want four different blobs", wants)
	}
	for _, text := range []string{"listen 80", "server", "#!/bin/sh", ""} {
		put(t, s, text)
	}
	if wants := s.Missing([]core.Content{c}); len(wants) != 0 {
		t.Fatalf("still missing %+v", wants)
	}
	if err := s.Build(context.Background(), []core.Content{c, c}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.ContentDir(), c.Digest)
	for name, want := range map[string]struct {
		text string
		mode fs.FileMode
	}{"nginx.conf": {"listen 80", 0o444}, "sites/a/b.conf": {"server", 0o444}, "run.sh": {"#!/bin/sh", 0o555}, "same.txt": {"listen 80", 0o444}, "empty": {"", 0o444}} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(data) != want.text {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
		checkMode(t, filepath.Join(dir, name), want.mode)
	}
	for _, folder := range []string{"", "sites", "sites/a"} {
		checkMode(t, filepath.Join(dir, folder), 0o755)
	}
}

func checkMode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	stat, err := os.Stat(name)
	if err != nil || stat.Mode().Perm() != want {
		t.Errorf("%s has mode %v, %v; want %v", name, stat.Mode().Perm(), err, want)
	}
}

func TestBlobIsRefused(t *testing.T) {
	cases := map[string]func(b *Blob) error{
		"with other bytes":   func(b *Blob) error { return errors.Join(b.Append(0, []byte("wrong")), b.Commit()) },
		"when bytes miss":    func(b *Blob) error { return errors.Join(b.Append(0, []byte("he")), b.Commit()) },
		"when it is longer":  func(b *Blob) error { return b.Append(0, []byte("hello!")) },
		"with a gap":         func(b *Blob) error { return b.Append(1, []byte("ello")) },
		"when it goes back":  func(b *Blob) error { return errors.Join(b.Append(0, []byte("hel")), b.Append(0, []byte("lo"))) },
		"when nothing comes": func(b *Blob) error { return b.Commit() },
	}
	for name, play := range cases {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			b, err := s.NewBlob(Want{digestOf("hello"), 5})
			if err != nil {
				t.Fatal(err)
			}
			if err := play(b); !errors.Is(err, ErrDamaged) {
				t.Errorf("err = %v, want ErrDamaged", err)
			}
			b.Discard()
			if left := tree(t, s, blobsDir); len(left) != 0 {
				t.Errorf("the store keeps %v", left)
			}
		})
	}
}

func TestContentWithPathsThatLeaveIsNotBuilt(t *testing.T) {
	for _, p := range []string{"../x", "/etc/x", "a/../../x", ".", "", "a//b", "./a"} {
		s := openStore(t)
		put(t, s, "x")
		c := contentOf("evil", p, "x")
		if err := s.Build(context.Background(), []core.Content{c}); err == nil {
			t.Errorf("%q was built", p)
		}
		if left := tree(t, s, contentDir); len(left) != 0 {
			t.Errorf("%q left %v", p, left)
		}
	}
}

func TestContentIsCompleteOrAbsent(t *testing.T) {
	s := openStore(t)
	put(t, s, "one")
	for name, c := range map[string]core.Content{
		"a blob is missing":             contentOf("c", "a", "one", "b", "two"),
		"a file is in a folder's place": contentOf("d", "a", "one", "a/b", "one"),
		"a file stands there twice":     contentOf("e", "a", "one", "a", "one"),
	} {
		if err := s.Build(context.Background(), []core.Content{c}); err == nil {
			t.Errorf("%s: it was built", name)
		}
		if left := tree(t, s, contentDir); len(left) != 0 {
			t.Errorf("%s: it left %v", name, left)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Build(ended, []core.Content{contentOf("f", "a", "one")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Build after the end of its context: %v", err)
	}
}

func TestCollectKeepsWhatIsInUse(t *testing.T) {
	s := openStore(t)
	for _, text := range []string{"kept", "shared", "gone", "held", "script"} {
		put(t, s, text)
	}
	keep, drop := contentOf("keep", "a", "kept", "s", "shared"), contentOf("drop", "g", "gone", "s", "shared", "x*", "script")
	held := contentOf("held", "h", "held")
	release := s.Hold([]core.Content{held})
	if err := s.Build(context.Background(), []core.Content{keep, drop}); err != nil {
		t.Fatal(err)
	}
	if err := s.Collect(map[string]bool{keep.Digest: true}); err != nil {
		t.Fatal(err)
	}
	checkBlobs(t, s, "kept", "shared", "held")
	if got := tree(t, s, contentDir); !slices.Equal(got, []string{keep.Digest + "/a", keep.Digest + "/s"}) {
		t.Errorf("content left: %v", got)
	}
	release()
	if err := s.Collect(nil); err != nil {
		t.Fatal(err)
	}
	checkBlobs(t, s)
}

func checkBlobs(t *testing.T, s *Store, texts ...string) {
	t.Helper()
	var want []string
	for _, text := range texts {
		want = append(want, strings.TrimPrefix(blobPath(digestOf(text)), blobsDir+"/"))
	}
	slices.Sort(want)
	if got := tree(t, s, blobsDir); !slices.Equal(got, want) {
		t.Errorf("blobs left: %v, want %v", got, want)
	}
}

func TestOpenRemovesWhatACrashLeft(t *testing.T) {
	s := openStore(t)
	if _, err := s.NewBlob(Want{digestOf("x"), 1}); err != nil {
		t.Fatal(err)
	}
	put(t, s, "kept")
	again, err := Open(s.base)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	checkBlobs(t, again, "kept")
}

func TestStateFolderSurvivesUntilItIsRemoved(t *testing.T) {
	s := openStore(t)
	dir, err := s.StateDir("stk_1")
	if err != nil || !strings.HasSuffix(dir, "/state/stk_1/") {
		t.Fatalf("StateDir = %q, %v", dir, err)
	}
	if err := os.WriteFile(dir+"data", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := s.StateDir("stk_1"); err != nil || again != dir {
		t.Fatalf("StateDir again = %q, %v", again, err)
	}
	checkMode(t, dir, 0o755)
	if err := s.RemoveState("stk_1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// tree lists the files below dir.
func tree(t *testing.T, s *Store, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(s.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
