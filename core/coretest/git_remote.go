package coretest

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

func headOfBranch(b gitBench) {
	src, main := b.repository(map[string]string{"a": "1"})
	side := b.host.Push(b.T, src.URL, GitPush{Branch: "side/way", Files: map[string]string{"b": "1"}})
	for branch, want := range map[string]core.Commit{"": main, "main": main, "side/way": side} {
		src.Branch = branch
		if got, err := b.remote.Head(b.Context(), src); err != nil || got.Commit != want || got.Ref != "refs/heads/"+cmp.Or(branch, "main") {
			b.Errorf("head of branch %q is %v, %v; want %s", branch, got, err, want)
		}
		if got := b.fetch(src); got != want {
			b.Errorf("fetch of branch %q gave %s; want %s", branch, got, want)
		}
	}
}

// asked returns what Head and Fetch say about a source that has no commit.
func asked(b gitBench, src core.GitSource) map[string]error {
	_, head := b.remote.Head(b.Context(), src)
	_, fetch := b.remote.Fetch(b.Context(), src)
	return map[string]error{"head": head, "fetch": fetch}
}

func (b gitBench) allRefused(answers map[string]error, kind fault.Kind, code string, says ...string) {
	b.Helper()
	for _, err := range answers {
		b.refused(err, kind, code, says...)
	}
}

func missingBranch(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	src.Branch = "mai"
	b.allRefused(asked(b, src), fault.NotFound, "git.branch_missing", `"mai"`)
}

func emptyRepository(b gitBench) {
	src := b.empty()
	b.allRefused(asked(b, src), fault.NotFound, "git.branch_missing", "empty")
	src.Branch = "main"
	b.allRefused(asked(b, src), fault.NotFound, "git.branch_missing", "empty")
}

func missingRepository(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	src.URL = strings.Replace(src.URL, ".git", "-none.git", 1)
	b.allRefused(asked(b, src), fault.NotFound, "git.repository_missing", src.URL)
}

func deletedBranch(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	src.Branch = "gone"
	commit := b.host.Push(b.T, src.URL, GitPush{Branch: "gone", Files: map[string]string{"a": "kept"}})
	b.fetch(src)
	b.host.DeleteBranch(b.T, src.URL, "gone")
	b.allRefused(asked(b, src), fault.NotFound, "git.branch_missing", `"gone"`)
	if got := b.read(b.open(src, commit), "a"); got != "kept" {
		b.Errorf("the mirror has %q", got)
	}
}

func badSources(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	for _, url := range []string{"git://host/a", "ssh://-oProxyCommand=id/a", "git@host:-x", "ext::sh -c id", "--upload-pack=id", "file:///etc", "https://u:hunter2@host/a"} {
		bad := src
		bad.URL = url
		b.allRefused(asked(b, bad), fault.Invalid, "git.address", fault.PublicOf(repositories.ValidAddress(url)))
	}
	for _, branch := range []string{"--all", "a:b", "a..b", "refs/heads/main"} {
		bad := src
		bad.Branch = branch
		b.allRefused(asked(b, bad), fault.Invalid, "git.branch")
	}
}

func fetchThenTree(b gitBench) {
	src, commit := b.repository(map[string]string{"a": "1"})
	_, err := b.remote.Tree(b.Context(), src.Repository, commit)
	b.refused(err, fault.NotFound, "git.commit_missing", commit.Short())
	if got := b.fetch(src); got != commit {
		b.Fatalf("fetched %s; want %s", got, commit)
	}
	if got := b.read(b.open(src, commit), "a"); got != "1" {
		b.Errorf("read %q", got)
	}
	for _, none := range []core.Commit{core.Commit(strings.Repeat("0", 39) + "1"), "main", "--help", "", commit[:10]} {
		_, err := b.remote.Tree(b.Context(), src.Repository, none)
		b.refused(err, fault.NotFound, "git.commit_missing")
	}
}

func fetchAgain(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	b.fetch(src)
	if got := b.fetch(src); got != first {
		b.Errorf("nothing new gave %s", got)
	}
	old := b.open(src, first)
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	if got := b.fetch(src); got != second {
		b.Errorf("fetched %s; want %s", got, second)
	}
	if got := b.read(b.open(src, second), "a"); got != "2" {
		b.Errorf("the new commit has %q", got)
	}
	if got := b.read(old, "a"); got != "1" {
		b.Errorf("the open old commit has %q", got)
	}
}

func forcePush(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	b.fetch(src)
	rewritten := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"b": "new"}, Delete: []string{"a"}, Orphan: true})
	if got := b.fetch(src); got != rewritten {
		b.Fatalf("fetched %s; want %s", got, rewritten)
	}
	if got := b.read(b.open(src, rewritten), "b"); got != "new" {
		b.Errorf("read %q", got)
	}
}

func mirrorsApart(b gitBench) {
	one, commit := b.repository(map[string]string{"a": "1"})
	two, _ := b.repository(map[string]string{"b": "2"})
	b.fetch(one)
	b.fetch(two)
	_, err := b.remote.Tree(b.Context(), two.Repository, commit)
	b.refused(err, fault.NotFound, "git.commit_missing")
}

func forget(b gitBench) {
	src, commit := b.repository(map[string]string{"a": "1"})
	b.fetch(src)
	for range 2 {
		if err := b.remote.Forget(b.Context(), src.Repository); err != nil {
			b.Fatalf("forget: %v", err)
		}
	}
	_, err := b.remote.Tree(b.Context(), src.Repository, commit)
	b.refused(err, fault.NotFound, "git.commit_missing")
	b.fetch(src)
	b.open(src, commit)
}

func credentials(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	b.host.Protect(b.T, src.URL, "deploy", "p:ss word")
	b.allRefused(asked(b, src), fault.Unauthenticated, "git.credential_refused", src.URL)
	named := `"deploy"`
	if repositories.OverSSH(src.URL) {
		named = src.URL // which says as whom
	}
	for name, err := range asked(b, b.login(src, "deploy", "hunter2")) {
		b.refused(err, fault.Unauthenticated, "git.credential_refused", named)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			b.Errorf("%s tells the password: %v", name, err)
		}
	}
	good := b.login(src, "deploy", "p:ss word")
	if got, err := b.remote.Head(b.Context(), good); err != nil || got.Commit != first {
		b.Errorf("head is %v, %v; want %s", got, err, first)
	}
	b.fetch(good)
	b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	b.host.Protect(b.T, src.URL, "deploy", "renewed")
	b.allRefused(asked(b, good), fault.Unauthenticated, "git.credential_refused", named)
	if got := b.read(b.open(src, first), "a"); got != "1" {
		b.Errorf("the mirror has %q", got)
	}
}

func cancelled(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	if _, err := b.remote.Head(ctx, src); !errors.Is(err, context.Canceled) {
		b.Errorf("head: %v", err)
	}
	if _, err := b.remote.Fetch(ctx, src); !errors.Is(err, context.Canceled) {
		b.Errorf("fetch: %v", err)
	}
}

func commitsListed(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}, Message: "Second\n\nWhy it was made."})
	third := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "3"}, Message: "Dritter: \"ü\""})
	b.fetch(src)
	for limit, want := range map[int][]core.Commit{1: {third}, 2: {third, second}, 9: {third, second, first}} {
		got, err := b.remote.Commits(b.Context(), src.Repository, third, limit)
		if err != nil || len(got) != len(want) {
			b.Errorf("limit %d gave %v, %v", limit, got, err)
			continue
		}
		subjects := map[core.Commit]string{first: "First", second: "Second", third: "Dritter: \"ü\""}
		for i, c := range got {
			if c.Commit != want[i] || c.Subject != subjects[c.Commit] || c.Author == "" || c.Time.IsZero() || c.Time.After(time.Now().Add(time.Minute)) {
				b.Errorf("limit %d, place %d: %+v", limit, i, c)
			}
		}
	}
	_, err := b.remote.Commits(b.Context(), src.Repository, core.Commit(strings.Repeat("1", 40)), 5)
	b.refused(err, fault.NotFound, "git.commit_missing")
	_, err = b.remote.Commits(b.Context(), newRepositoryID(), third, 5)
	b.refused(err, fault.NotFound, "git.commit_missing")
}
