package git

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/local/stand/githost"
)

// stacks makes a repository of 1,000 files in 200 folders, and returns it fetched.
func stacks(b *testing.B) (*Remote, core.GitSource, core.Commit, []string) {
	b.Helper()
	host := githost.New(b.TempDir())
	server := httptest.NewServer(host)
	b.Cleanup(server.Close)
	if err := host.Create("stacks"); err != nil {
		b.Fatal(err)
	}
	files, folders := map[string]string{}, make([]string, 200)
	for i := range folders {
		folders[i] = fmt.Sprintf("apps/s%03d", i)
		for _, file := range []string{"compose.yaml", "wireops.yaml", "a.conf", "b.conf", "c/d.txt"} {
			files[folders[i]+"/"+file] = fmt.Sprintf("stack %d %s\n", i, file)
		}
	}
	if _, err := host.Commit("stacks", "main", files, "All"); err != nil {
		b.Fatal(err)
	}
	r, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	src := core.GitSource{Repository: core.RepositoryID(core.NewID(core.PrefixRepository, time.Unix(0, 0))), URL: server.URL + host.Path("stacks")}
	head, err := r.Fetch(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	return r, src, head.Commit, folders
}

// One no-op sync of 200 stacks, once the commit is there: open, hashes, close.
func BenchmarkHashesOf200Folders(b *testing.B) {
	r, src, commit, folders := stacks(b)
	for b.Loop() {
		tree, err := r.Tree(b.Context(), src.Repository, commit)
		if err != nil {
			b.Fatal(err)
		}
		if hashes, err := tree.Hashes(b.Context(), folders); err != nil || hashes[folders[199]] == "" {
			b.Fatal(hashes, err)
		}
		tree.Close()
	}
}

func BenchmarkHead(b *testing.B) {
	r, src, _, _ := stacks(b)
	for b.Loop() {
		if _, err := r.Head(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}

// What a Head costs here: the host's answers are canned.
func BenchmarkHeadWithoutTheHostsWork(b *testing.B) {
	hash := strings.Repeat("a", 40)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			io.WriteString(w, "000eversion 2\n0015agent=git/2.39.5\n0013ls-refs=unborn\n0000")
			return
		}
		io.WriteString(w, "0032"+hash+" HEAD\n003d"+hash+" refs/heads/main\n0000")
	}))
	b.Cleanup(server.Close)
	r, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	src := core.GitSource{Repository: "rep", URL: server.URL + "/a.git", Branch: "main"}
	for b.Loop() {
		if head, err := r.Head(b.Context(), src); err != nil || string(head.Commit) != hash {
			b.Fatal(head, err)
		}
	}
}

func BenchmarkFetchOfNothingNew(b *testing.B) {
	r, src, _, _ := stacks(b)
	for b.Loop() {
		if _, err := r.Fetch(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFirstFetch(b *testing.B) {
	r, src, _, _ := stacks(b)
	for b.Loop() {
		if err := r.Forget(b.Context(), src.Repository); err != nil {
			b.Fatal(err)
		}
		if _, err := r.Fetch(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}
