package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
)

// opened fetches a repository with this content and opens it.
func opened(t *testing.T, push coretest.GitPush) core.Tree {
	t.Helper()
	b := newBench(t)
	r := open(t, Options{})
	src := core.GitSource{Repository: newID(), URL: b.Create(t)}
	commit := b.Push(t, src.URL, push)
	if _, err := r.Fetch(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(t.Context(), src.Repository, commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func TestG11TooManyFilesAreNotListed(t *testing.T) {
	files := make(map[string]string, maxEntries+1)
	for i := range maxEntries + 1 {
		files[fmt.Sprintf("d%02d/%05d", i%50, i)] = ""
	}
	tree := opened(t, coretest.GitPush{Files: files})
	_, err := tree.List(t.Context(), "")
	coretest.WantFault(t, err, fault.TooLarge, "git.too_large", "100,000")
	if below, err := tree.List(t.Context(), "d00"); err != nil || len(below) != 2001 {
		t.Errorf("one folder has %d files, %v", len(below), err)
	}
}

func TestG11FolderWithTooManyEntriesIsNotRead(t *testing.T) {
	files := map[string]string{}
	for i := range maxFolder / 4000 {
		files[fmt.Sprintf("%04000d", i)] = ""
	}
	files["a/b"] = ""
	tree := opened(t, coretest.GitPush{Files: files})
	_, err := tree.Hashes(t.Context(), []string{"a/b"})
	coretest.WantFault(t, err, fault.TooLarge, "git.too_large", "too many entries")
}

func TestG11NamesOfEveryKind(t *testing.T) {
	long := strings.Repeat("0123456789abcde/", 255) + "0123456789abcdef"
	files := map[string]string{long: "l", "nfc/\u00e9": "c", "nfc/e\u0301": "d", "say \"x\"\t$(y)`z`": "q", "line\nbreak": "n", "\xff\xfe": "b", "Case": "1", "case": "2"}
	tree := opened(t, coretest.GitPush{Files: files})
	entries, err := tree.List(t.Context(), "")
	if err != nil || len(entries) != len(files) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		content, err := tree.Read(t.Context(), e.Path, 10)
		if strings.Contains(e.Path, "\n") {
			coretest.WantFault(t, err, fault.Invalid, "git.path", "newline")
		} else if err != nil || string(content) != files[e.Path] {
			t.Errorf("%.40q has %q, %v", e.Path, content, err)
		}
	}
}

func TestG11FolderNamedLikeGitsOwnIsRefused(t *testing.T) {
	b := newBench(t)
	src := core.GitSource{Repository: newID(), URL: b.Create(t)}
	b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"x/.GIT/config": "[core]"}})
	_, err := open(t, Options{}).Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.Invalid, "git.objects_refused", "git fsck")
}

func TestTreeForgetsFoldersInTime(t *testing.T) {
	opened := opened(t, coretest.GitPush{Files: map[string]string{"a/b": "", "c/d": ""}}).(*tree)
	hash := func(path string) {
		t.Helper()
		if found, err := opened.Hashes(t.Context(), []string{path}); err != nil || found[path] == "" {
			t.Fatal(found, err)
		}
	}
	hash("a/b")
	if len(opened.folders) != 2 || opened.cached != 3 {
		t.Fatalf("%d folders with %d entries", len(opened.folders), opened.cached)
	}
	opened.cached = maxCached
	hash("c/d")
	if len(opened.folders) != 1 || opened.cached != 1 {
		t.Errorf("%d folders with %d entries", len(opened.folders), opened.cached)
	}
}

func TestReadThatHangsEndsWithItsContext(t *testing.T) {
	opened := opened(t, coretest.GitPush{Files: map[string]string{"a": "1"}}).(*tree)
	if err := syscall.Kill(opened.objects.cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := opened.Read(ctx, "a", 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if opened.mirror.damaged.Load() {
		t.Error("slowness was taken for damage")
	}
	if got, err := opened.Read(t.Context(), "a", 10); err != nil || string(got) != "1" {
		t.Errorf("after that: %q, %v", got, err)
	}
}

func TestLongSubjectsAreCut(t *testing.T) {
	got, err := parseSummary(strings.Repeat("a", 40) + "\n1700000000\nMe\n" + strings.Repeat("ü", 1000))
	if err != nil || len(got.Subject) != maxSubject || strings.Trim(got.Subject, "ü") != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTreeAfterCloseAndAfterCancel(t *testing.T) {
	tree := opened(t, coretest.GitPush{Files: map[string]string{"a": "1", "b/c": "2"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Read(ctx, "a", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled read: %v", err)
	}
	if _, err := tree.List(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled list: %v", err)
	}
	if got, err := tree.Read(t.Context(), "b/c", 10); err != nil || string(got) != "2" {
		t.Errorf("after that: %q, %v", got, err)
	}
	for range 2 {
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := tree.Read(t.Context(), "a", 10)
	coretest.WantFault(t, err, fault.Internal, "git.tree_closed")
}

func TestGateLetsInAsManyAsItHasRoomFor(t *testing.T) {
	g := make(gate, 1)
	leave, err := g.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error)
	go func() {
		_, err := g.enter(ctx)
		refused <- err
	}()
	cancel()
	if err := <-refused; !errors.Is(err, context.Canceled) {
		t.Errorf("a full gate answered %v", err)
	}
	leave()
	if leave, err = g.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave()
}

func TestBoundedReaderFailsInsteadOfEnding(t *testing.T) {
	for limit, want := range map[int64]error{4: errTooMuch, 5: errTooMuch, 6: nil} {
		_, err := io.ReadAll(&bounded{strings.NewReader("12345"), limit})
		if !errors.Is(err, want) {
			t.Errorf("limit %d gave %v", limit, err)
		}
	}
}
