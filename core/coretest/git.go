package coretest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
)

// GitPush is one commit that a test puts on a branch of a Git host.
type GitPush struct {
	Branch     string            // empty: main, the default branch
	Files      map[string]string // content by path
	Executable []string          // those of Files that are executable
	Links      map[string]string // target of a symbolic link by path
	Submodules map[string]string // commit by path
	Delete     []string          // files or folders that go
	Message    string            // empty: "Change"
	Orphan     bool              // a commit without history, as after a force-push
}

// GitHost is what the contract of core.GitRemote needs of a Git host.
type GitHost interface {
	// Create makes an empty repository and returns its address, which ends in .git.
	Create(t *testing.T) string
	// Push puts a commit on a branch.
	Push(t *testing.T, url string, push GitPush) core.Commit
	// DeleteBranch removes a branch.
	DeleteBranch(t *testing.T, url, branch string)
	// Tag makes a tag point at a commit, or moves it there; an annotated one has a text of its own.
	Tag(t *testing.T, url, tag string, commit core.Commit, annotated bool)
	// DeleteTag removes a tag.
	DeleteTag(t *testing.T, url, tag string)
	// Point makes a branch the default one.
	Point(t *testing.T, url, branch string)
	// Protect demands this user and password from now on.
	Protect(t *testing.T, url, user, password string)
}

// GitLogins is a GitHost whose sources need more than an address: a host over SSH.
type GitLogins interface {
	// Login returns the source as whom Protect named by user and password; both empty: as somebody who may
	// read what is not protected.
	Login(t *testing.T, src core.GitSource, user, password string) core.GitSource
}

// GitRemote is the contract of core.GitRemote. newRemote returns one without mirrors
// that can reach the repositories of the host that host returns.
func GitRemote(t *testing.T, newRemote func(t *testing.T) core.GitRemote, host func(t *testing.T) GitHost) {
	cases := map[string]func(gitBench){
		"head is the branch's commit":                        headOfBranch,
		"G2 a missing branch is named":                       missingBranch,
		"G2 an empty repository is said to be empty":         emptyRepository,
		"G2 a missing repository is said to be missing":      missingRepository,
		"G2 a deleted branch leaves the mirror readable":     deletedBranch,
		"addresses and branches are checked first":           badSources,
		"a tag is followed, annotated or not":                followTag,
		"a tag that moves or goes is told apart":             movedTag,
		"of a range the highest version is followed":         followRange,
		"the default branch is followed when it is renamed":  renamedDefault,
		"a branch that is gone proposes the default one":     proposedDefault,
		"G1 rewritten history is told from continued one":    lineage,
		"a commit is readable once it was fetched":           fetchThenTree,
		"fetching again brings what is new":                  fetchAgain,
		"G1 a force-push to unrelated history is followed":   forcePush,
		"mirrors do not see each other":                      mirrorsApart,
		"a forgotten mirror is gone and can come back":       forget,
		"G12 credentials are accepted, refused and revoked":  credentials,
		"a cancelled call ends with the context's error":     cancelled,
		"commits are listed newest first":                    commitsListed,
		"files are read whole":                               readFiles,
		"R1 only regular files are read":                     readOthers,
		"a file over the limit is refused":                   readTooLarge,
		"files are listed in path order":                     listFiles,
		"listing what is no folder fails":                    listMissing,
		"a folder's hash tells whether anything below moved": hashes,
		"paths that leave or break out are refused":          badPaths,
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			run(gitBench{T: t, host: host(t), remote: newRemote(t)})
		})
	}
}

// gitBench is what each case works with.
type gitBench struct {
	*testing.T
	host   GitHost
	remote core.GitRemote
}

// repository makes a repository with one commit and returns where it is.
func (b gitBench) repository(files map[string]string) (core.GitSource, core.Commit) {
	b.Helper()
	src := b.empty()
	return src, b.host.Push(b.T, src.URL, GitPush{Files: files, Message: "First"})
}

// empty makes a repository without commits.
func (b gitBench) empty() core.GitSource {
	b.Helper()
	return b.login(core.GitSource{Repository: newRepositoryID(), URL: b.host.Create(b.T)}, "", "")
}

func newRepositoryID() core.RepositoryID {
	return core.RepositoryID(core.NewID(core.PrefixRepository, time.Unix(1_700_000_000, 0)))
}

// fetched makes a repository from a push, fetches it and opens the commit.
func (b gitBench) fetched(push GitPush) core.Tree {
	b.Helper()
	src := b.empty()
	b.host.Push(b.T, src.URL, push)
	return b.open(src, b.fetch(src))
}

func (b gitBench) fetch(src core.GitSource) core.Commit {
	b.Helper()
	head, err := b.remote.Fetch(b.Context(), src)
	if err != nil {
		b.Fatalf("fetch: %v", err)
	}
	return head.Commit
}

func (b gitBench) open(src core.GitSource, commit core.Commit) core.Tree {
	b.Helper()
	tree, err := b.remote.Tree(b.Context(), src.Repository, commit)
	if err != nil {
		b.Fatalf("open tree of %s: %v", commit.Short(), err)
	}
	b.Cleanup(func() {
		if err := tree.Close(); err != nil {
			b.Errorf("close tree: %v", err)
		}
	})
	return tree
}

func (b gitBench) read(tree core.Tree, path string) string {
	b.Helper()
	content, err := tree.Read(b.Context(), path, 1<<20)
	if err != nil {
		b.Fatalf("read %s: %v", path, err)
	}
	return string(content)
}

// refused checks a fault and that its text says what it must.
func (b gitBench) refused(err error, kind fault.Kind, code string, says ...string) {
	b.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind || f.Code != code {
		b.Errorf("got %v; want %v %s", err, kind, code)
		return
	}
	for _, text := range says {
		if !strings.Contains(f.Public, text) {
			b.Errorf("%q does not say %q", f.Public, text)
		}
	}
}

func (b gitBench) login(src core.GitSource, user, password string) core.GitSource {
	b.Helper()
	if host, ok := b.host.(GitLogins); ok {
		return host.Login(b.T, src, user, password)
	}
	src.Username, src.Password = user, secrets.NewValue(password)
	return src
}

func paths(entries []core.TreeEntry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Path
	}
	return slices.Clip(names)
}
