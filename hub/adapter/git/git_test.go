package git

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/local/stand/githost"
)

// bench is a real Git host behind a real HTTP server.
type bench struct {
	host   *githost.Host
	server *httptest.Server
	made   int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	host := githost.New(t.TempDir())
	b := &bench{host: host, server: httptest.NewServer(host)}
	t.Cleanup(b.server.Close)
	return b
}

func (b *bench) Create(t *testing.T) string {
	t.Helper()
	return b.server.URL + b.host.Path(b.create(t))
}

func (b *bench) create(t *testing.T) (name string) {
	t.Helper()
	b.made++
	name = fmt.Sprintf("r%d", b.made)
	if err := b.host.Create(name); err != nil {
		t.Fatal(err)
	}
	return name
}

func name(url string) string {
	return strings.TrimSuffix(url[strings.LastIndex(url, "/")+1:], ".git")
}

func (b *bench) Push(t *testing.T, url string, push coretest.GitPush) core.Commit {
	t.Helper()
	branch := push.Branch
	if branch == "" {
		branch = "main"
	}
	hash, err := b.host.Apply(name(url), branch, githost.Change{Files: push.Files, Executable: push.Executable, Links: push.Links,
		Submodules: push.Submodules, Delete: push.Delete, Message: push.Message, Orphan: push.Orphan})
	if err != nil {
		t.Fatal(err)
	}
	return core.Commit(hash)
}

func (b *bench) DeleteBranch(t *testing.T, url, branch string) {
	t.Helper()
	if err := b.host.DeleteBranch(name(url), branch); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) Tag(t *testing.T, url, tag string, commit core.Commit, annotated bool) {
	t.Helper()
	if err := b.host.Tag(name(url), tag, string(commit), annotated); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) DeleteTag(t *testing.T, url, tag string) {
	t.Helper()
	if err := b.host.DeleteTag(name(url), tag); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) Point(t *testing.T, url, branch string) {
	t.Helper()
	if err := b.host.Point(name(url), branch); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) Protect(_ *testing.T, url, user, password string) {
	b.host.Protect(name(url), user, password)
}

func open(t *testing.T, opts Options) *Remote {
	t.Helper()
	r, err := Open(t.TempDir(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func newID() core.RepositoryID {
	return core.RepositoryID(core.NewID(core.PrefixRepository, time.Unix(1_700_000_000, 0)))
}

func TestContract(t *testing.T) {
	coretest.GitRemote(t,
		func(t *testing.T) core.GitRemote { return open(t, Options{}) },
		func(t *testing.T) coretest.GitHost { return newBench(t) })
}
