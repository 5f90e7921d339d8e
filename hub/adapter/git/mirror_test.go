package git

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
)

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s matches %v, %v", pattern, found, err)
	}
	return found
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// damages are what a crash, a full disk or a bad one does to a mirror.
var damages = map[string]func(t *testing.T, dir string){
	"locks and half packs are left": func(t *testing.T, dir string) {
		for _, left := range []string{"index.lock", "shallow.lock", "HEAD.lock", "config.lock", "refs/berth/head.lock", "objects/pack/tmp_pack_x", "gc.pid"} {
			write(t, filepath.Join(dir, left), "")
		}
	},
	"packs are cut off": func(t *testing.T, dir string) {
		for _, pack := range glob(t, dir, "objects/pack/*.pack") {
			if err := os.Chmod(pack, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(pack, 40); err != nil {
				t.Fatal(err)
			}
		}
	},
	"packs are gone": func(t *testing.T, dir string) {
		for _, pack := range glob(t, dir, "objects/pack/*") {
			if err := os.Remove(pack); err != nil {
				t.Fatal(err)
			}
		}
	},
	"the index of a pack is rubbish": func(t *testing.T, dir string) {
		for _, index := range glob(t, dir, "objects/pack/*.idx") {
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
			write(t, index, "rubbish")
		}
	},
	"the head is empty":        func(t *testing.T, dir string) { write(t, filepath.Join(dir, headRef), "") },
	"the head is rubbish":      func(t *testing.T, dir string) { write(t, filepath.Join(dir, headRef), "rubbish\n") },
	"the shallow list is bad":  func(t *testing.T, dir string) { write(t, filepath.Join(dir, "shallow"), "rubbish\n") },
	"the settings are rubbish": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "config"), "[core\n") },
	"HEAD is missing": func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, "HEAD")); err != nil {
			t.Fatal(err)
		}
	},
}

func TestG5DamagedMirrorRepairsItself(t *testing.T) {
	for what, damage := range damages {
		t.Run(what, func(t *testing.T) {
			b := newBench(t)
			r := open(t, Options{})
			src, first := source(t, b, b.server.URL)
			mirror := filepath.Join(r.root, string(src.Repository)+".git")

			mustFetch(t, r, src, first)
			damage(t, mirror)
			made := stat(t, mirror)
			second := b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"b": "2"}})
			mustFetch(t, r, src, second)
			if what == "locks and half packs are left" && !os.SameFile(made, stat(t, mirror)) {
				t.Error("the mirror was made anew, where a clean-up would do")
			}

			damage(t, mirror)
			again, err := Open(r.root, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			mustFetch(t, again, src, second)
		})
	}
}

func TestG5ReaderThatFindsDamageHasTheMirrorMadeAnew(t *testing.T) {
	for _, what := range []string{"packs are cut off", "packs are gone"} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t)
			r := open(t, Options{})
			src, commit := source(t, b, b.server.URL)
			mustFetch(t, r, src, commit)
			damages[what](t, filepath.Join(r.root, string(src.Repository)+".git"))
			if tree, err := r.Tree(t.Context(), src.Repository, commit); err == nil {
				tree.Close()
				t.Fatal("the damage was not seen")
			}
			mustFetch(t, r, src, commit)
			made := stat(t, filepath.Join(r.root, string(src.Repository)+".git"))
			commit = b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "2"}})
			mustFetch(t, r, src, commit)
			if !os.SameFile(made, stat(t, filepath.Join(r.root, string(src.Repository)+".git"))) {
				t.Error("a sound mirror was made anew")
			}
		})
	}
}

// A missing object must never look like a missing path: a stack would seem deleted.
func TestG5MissingFolderObjectIsNoMissingPath(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{})
	url := b.Create(t)
	src := core.GitSource{Repository: newID(), URL: url}
	commit := b.Push(t, url, coretest.GitPush{Files: map[string]string{"apps/one/a": "1"}})
	mustFetch(t, r, src, commit)
	m, err := r.mirror(src.Repository)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(t.Context(), src.Repository, commit)
	if err != nil {
		t.Fatal(err)
	}
	found, err := tree.Hashes(t.Context(), []string{"apps/one"})
	if err != nil {
		t.Fatal(err)
	}
	tree.Close()

	// Loose objects, without the folder apps/one.
	pack := glob(t, m.dir, "objects/pack/*.pack")[0]
	moved := filepath.Join(t.TempDir(), "pack")
	if err := os.Rename(pack, moved); err != nil {
		t.Fatal(err)
	}
	content, err := os.Open(moved)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	unpack := r.git.command(t.Context(), m.dir, nil, "unpack-objects", "-q")
	unpack.Stdin = content
	if err := unpack.Run(); err != nil {
		t.Fatal(err)
	}
	hash := found["apps/one"]
	if err := os.Remove(filepath.Join(m.dir, "objects", hash[:2], hash[2:])); err != nil {
		t.Fatal(err)
	}

	tree, err = r.Tree(t.Context(), src.Repository, commit)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	_, err = tree.Hashes(t.Context(), []string{"apps/one/a"})
	coretest.WantFault(t, err, fault.Unavailable, "git.mirror", "next sync")
	_, err = tree.Read(t.Context(), "apps/one/a", 10)
	coretest.WantFault(t, err, fault.Unavailable, "git.mirror")
	_, err = tree.List(t.Context(), "")
	coretest.WantFault(t, err, fault.Unavailable, "git.mirror")
	mustFetch(t, r, src, commit)
}

func TestLeftoversOfACrashAreRemovedAtOpen(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".fresh-1/objects", ".old-2/mirror", "rep_x.git"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != "rep_x.git" {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestHeadThatTheMirrorHasCostsNoProcess(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{})
	src, commit := source(t, b, b.server.URL)
	mustFetch(t, r, src, commit)
	r.git.path = filepath.Join(t.TempDir(), "none")
	if got, err := r.Fetch(t.Context(), src); err != nil || got.Commit != commit {
		t.Errorf("fetched %q, %v", got, err)
	}
}

func TestFetchesOfOneRepositoryWaitForEachOther(t *testing.T) {
	b := newBench(t)
	var running, most, all atomic.Int32
	base := between(t, b, func(w http.ResponseWriter, r *http.Request, body string) bool {
		if !isFetch(body) {
			return false
		}
		most.Store(max(most.Load(), running.Add(1)))
		all.Add(1)
		r.Body = http.NoBody
		running.Add(-1)
		return false
	})
	r := open(t, Options{})
	src, commit := source(t, b, base)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if got, err := r.Fetch(t.Context(), src); err != nil || got.Commit != commit {
				t.Errorf("fetched %q, %v", got, err)
			}
		})
	}
	wait.Wait()
	if most.Load() != 1 || all.Load() != 1 {
		t.Errorf("git fetched %d times, %d at once", all.Load(), most.Load())
	}
}

func TestHistoryIsShallow(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{})
	src, head := source(t, b, b.server.URL)
	for i := range 60 {
		head = b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": strings.Repeat("x", i)}})
	}
	mustFetch(t, r, src, head)
	list, err := r.Commits(t.Context(), src.Repository, head, 1000)
	if err != nil || len(list) != 50 || list[0].Commit != head {
		t.Fatalf("%d commits, %v", len(list), err)
	}
	head = b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "new"}})
	mustFetch(t, r, src, head)
	if list, err := r.Commits(t.Context(), src.Repository, head, 1000); err != nil || len(list) != 50 {
		t.Fatalf("%d commits after one more, %v", len(list), err)
	}
}

func TestUpkeepPutsPacksTogether(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{})
	src, head := source(t, b, b.server.URL)
	mustFetch(t, r, src, head)
	dir := filepath.Join(r.root, string(src.Repository)+".git")
	pack := glob(t, dir, "objects/pack/*.pack")[0]
	content, err := os.ReadFile(strings.TrimSuffix(pack, ".pack") + ".pack")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(strings.TrimSuffix(pack, ".pack") + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxPacks {
		base := filepath.Join(dir, "objects/pack/pack-"+strings.Repeat("0", 36)+string(rune('a'+i%6))+string(rune('a'+i/6%6))+string(rune('a'+i/36))+"0")
		write(t, base+".pack", string(content))
		write(t, base+".idx", string(index))
	}
	old, err := r.Tree(t.Context(), src.Repository, head)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	rewritten := b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "2"}, Orphan: true})
	mustFetch(t, r, src, rewritten)
	if packs := glob(t, dir, "objects/pack/*.pack"); len(packs) > 2 {
		t.Errorf("%d packs are left", len(packs))
	}
	again, err := r.Tree(t.Context(), src.Repository, head)
	if err != nil {
		t.Fatalf("the commit before the force-push is gone at once: %v", err)
	}
	defer again.Close()
	for what, tree := range map[string]core.Tree{"open before": old, "opened after": again} {
		if got, err := tree.Read(t.Context(), "a", 10); err != nil || string(got) != "1" {
			t.Errorf("the tree that was %s reads %q, %v", what, got, err)
		}
	}
}

func TestIdentifiersThatAreNoneReachNoPath(t *testing.T) {
	r := open(t, Options{})
	for _, id := range []core.RepositoryID{"", "../x", "rep_../../../../../../../../etc", "stk_00000000000000000000000000"} {
		_, err := r.Fetch(t.Context(), core.GitSource{Repository: id, URL: "http://127.0.0.1:1/a"})
		coretest.WantFault(t, err, fault.Internal, "git.repository_id")
		coretest.WantFault(t, r.Forget(t.Context(), id), fault.Internal, "git.repository_id")
	}
}
