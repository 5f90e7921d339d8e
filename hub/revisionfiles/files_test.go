package revisionfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
)

func openFiles(t *testing.T) (*Files, string) {
	t.Helper()
	dir := t.TempDir()
	files, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files, dir
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestBlobsAreStoredOnceByDigest(t *testing.T) {
	files, dir := openFiles(t)
	digest := digestOf("hello")
	for range 2 {
		if err := files.PutBlob(t.Context(), digest, []byte("hello")); err != nil {
			t.Fatal(err)
		}
	}
	blob, err := files.OpenBlob(digest)
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	if content, err := io.ReadAll(blob); err != nil || string(content) != "hello" {
		t.Errorf("read %q, %v", content, err)
	}
	if err := files.PutBlob(t.Context(), digestOf("other"), []byte("hello")); err == nil {
		t.Error("content was stored under another's digest")
	}
	left, err := filepath.Glob(filepath.Join(dir, "blobs", "*", ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("half-written files stay behind: %v, %v", left, err)
	}
}

func TestOpenBlobRefuses(t *testing.T) {
	files, _ := openFiles(t)
	for name, test := range map[string]struct {
		digest string
		kind   fault.Kind
	}{
		"one that is not stored": {digestOf("nothing"), fault.NotFound},
		"a path":                 {"../../../../etc/passwd", fault.Invalid},
		"too short":              {"abcd", fault.Invalid},
		"nothing":                {"", fault.Invalid},
	} {
		if _, err := files.OpenBlob(test.digest); !fault.Is(err, test.kind) {
			t.Errorf("%s: %v, want kind %s", name, err, test.kind)
		}
	}
}

func TestComposeFilesGoWithTheirStack(t *testing.T) {
	files, dir := openFiles(t)
	stack := core.StackID(core.NewID(core.PrefixStack, time.Now()))
	for _, text := range []string{"first", "again"} { // an attempt that did not end is replaced
		if err := files.PutCompose(t.Context(), stack, 1, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := files.Compose(stack, 1); err != nil || string(content) != "again" {
		t.Errorf("read %q, %v", content, err)
	}
	if _, err := files.Compose(stack, 2); !fault.Is(err, fault.NotFound) {
		t.Errorf("a revision that is not stored: %v", err)
	}
	if err := files.PutCompose(t.Context(), stack, 2, []byte(strings.Repeat("x", maxCompose+1))); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a file over the limit: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, string(stack), "1", "compose.yaml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info, err)
	}
	if err := files.RemoveStack(t.Context(), "../elsewhere"); err == nil {
		t.Error("a path was taken for a stack")
	}
	if err := files.RemoveStack(t.Context(), stack); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Compose(stack, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("after removal: %v", err)
	}
}
