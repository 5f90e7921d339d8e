package durable

import (
	"os"
	"testing"
)

func openRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestWriteReplacesAndLeavesNothingBehind(t *testing.T) {
	root := openRoot(t)
	for _, content := range []string{"one", "two"} {
		if err := Write(root, "file", []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := root.ReadFile("file")
		if err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	stat, err := root.Stat("file")
	if err != nil || stat.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	checkNames(t, root, "file")
}

func TestFailedWriteLeavesTheOldContent(t *testing.T) {
	root := openRoot(t)
	if err := root.MkdirAll("taken/by-a-folder", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "taken", []byte("x"), 0o600); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	checkNames(t, root, "taken")
}

func TestWriteStaysBelowItsRoot(t *testing.T) {
	root := openRoot(t)
	for _, name := range []string{"../out", "/tmp/out"} {
		if err := Write(root, name, []byte("x"), 0o600); err == nil {
			t.Errorf("wrote %s", name)
		}
	}
}

func TestRemoveTempsTakesOnlyWhatACrashLeft(t *testing.T) {
	root := openRoot(t)
	if err := root.Mkdir(Temp("."), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Temp("."), "kept"} {
		if err := root.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveTemps(root, "."); err != nil {
		t.Fatal(err)
	}
	checkNames(t, root, "kept")
	if err := RemoveTemps(root, "no-such-folder"); err != nil {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

func checkNames(t *testing.T, root *os.Root, want string) {
	t.Helper()
	dir, err := root.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil || len(names) != 1 || names[0] != want {
		t.Errorf("the folder holds %v, %v; want %s alone", names, err, want)
	}
}
