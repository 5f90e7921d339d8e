package git

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"berth/core"
	"berth/local/stand/githost"
)

// served is a repository on a real Git host, and a Remote that can read it.
func served(b *testing.B, files int) (*Remote, *githost.Host, core.GitSource) {
	b.Helper()
	host := githost.New(b.TempDir())
	server := httptest.NewServer(host)
	b.Cleanup(server.Close)
	if err := host.Create("app"); err != nil {
		b.Fatal(err)
	}
	all := map[string]string{}
	for i := range files {
		all[fmt.Sprintf("d%02d/f%04d.yaml", i%50, i)] = strings.Repeat(fmt.Sprintln("line", i), 20)
	}
	if _, err := host.Commit("app", "main", all, "All"); err != nil {
		b.Fatal(err)
	}
	r, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	return r, host, core.GitSource{Repository: newID(), URL: server.URL + host.Path("app"), Branch: "main"}
}

// A poll of 1,000 repositories of which none has anything new, 16 at a time. The host runs two processes for each; this side none.
func BenchmarkPollOf1000Repositories(b *testing.B) {
	r, _, src := served(b, 1)
	for b.Loop() {
		var wait sync.WaitGroup
		room := make(gate, 16)
		for range 1000 {
			room <- struct{}{}
			wait.Go(func() {
				defer func() { <-room }()
				if _, err := r.Head(b.Context(), src); err != nil {
					b.Error(err)
				}
			})
		}
		wait.Wait()
	}
}

func BenchmarkFetchOfOneCommitIn5000Files(b *testing.B) {
	r, host, src := served(b, 5000)
	if _, err := r.Fetch(b.Context(), src); err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		want, err := host.Commit("app", "main", map[string]string{"d00/f0000.yaml": fmt.Sprintln(n)}, "One")
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if head, err := r.Fetch(b.Context(), src); err != nil || string(head.Commit) != want {
			b.Fatal(head, err)
		}
	}
}

// The highest of 10,000 tags: a range with an end asks the host for what can be in it alone.
func BenchmarkHeadOfARange(b *testing.B) {
	r, host, src := served(b, 1)
	head, err := r.Head(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n" + string(head.Commit) + " refs/heads/main\n")
	for i := range 10_000 {
		fmt.Fprintf(&packed, "%s refs/tags/v%d.%d.%d\n", head.Commit, 10+i/1000, 100+i/10%100, 100+i%10)
	}
	if err := os.WriteFile(filepath.Join(host.Dir("app"), "packed-refs"), []byte(packed.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	src.Branch = ""
	for _, text := range []string{"^11", "*"} {
		b.Run(text, func(b *testing.B) {
			src := src
			src.Semver = text
			for b.Loop() {
				if _, err := r.Head(b.Context(), src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
