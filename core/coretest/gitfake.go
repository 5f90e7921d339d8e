package coretest

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// FakeGit is a core.GitRemote together with the Git hosts that it reaches, all in
// memory. Tests put commits into repositories by address; what Fetch has seen of them
// is then in the repository's mirror, as with the real one.
type FakeGit struct {
	mu      sync.Mutex
	hosted  map[string]*fakeRepository                        // by address
	mirrors map[core.RepositoryID]map[core.Commit]*fakeCommit // what was fetched
	heads   int
	fetches int
}

type fakeRepository struct {
	branches map[string]*fakeCommit
	user     string // empty: open to everyone
	password string
	failure  error // what Head and Fetch return, nil: they work
}

type fakeCommit struct {
	summary core.CommitSummary
	parent  *fakeCommit
	files   map[string]fakeFile
}

// NewFakeGit returns a fake without repositories.
func NewFakeGit() *FakeGit {
	return &FakeGit{hosted: map[string]*fakeRepository{}, mirrors: map[core.RepositoryID]map[core.Commit]*fakeCommit{}}
}

// defaultBranch is the one that an empty branch name stands for.
const defaultBranch = "main"

// Create makes an empty repository at an address. One that exists stays as it is.
func (g *FakeGit) Create(repo string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.repository(repo)
}

func (g *FakeGit) repository(repo string) *fakeRepository {
	if g.hosted[repo] == nil {
		g.hosted[repo] = &fakeRepository{branches: map[string]*fakeCommit{}}
	}
	return g.hosted[repo]
}

// Commit writes files on top of a branch and returns the new commit. Repository and
// branch are made if needed.
func (g *FakeGit) Commit(repo, branch string, files map[string]string) core.Commit {
	return g.Push(repo, GitPush{Branch: branch, Files: files})
}

// Push puts a commit on a branch and returns it. Repository and branch are made if needed.
func (g *FakeGit) Push(repo string, push GitPush) core.Commit {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repository(repo)
	branch := cmp.Or(push.Branch, defaultBranch)
	next := &fakeCommit{files: map[string]fakeFile{}}
	age := 0
	if parent := r.branches[branch]; parent != nil && !push.Orphan {
		next.parent = parent
		next.files = maps.Clone(parent.files)
		age = int(parent.summary.Time.Unix()) - fakeEpoch
	}
	push.apply(next.files)
	message := cmp.Or(push.Message, "Change")
	subject, _, _ := strings.Cut(message, "\n")
	next.summary = core.CommitSummary{Author: "Berth", Subject: subject, Time: time.Unix(int64(fakeEpoch+age+1), 0).UTC()}
	parent := ""
	if next.parent != nil {
		parent = string(next.parent.summary.Commit)
	}
	next.summary.Commit = core.Commit(fakeHash("commit", parent, message, folderHash(next.files, "")))
	r.branches[branch] = next
	return next.summary.Commit
}

// fakeEpoch is one second before the first commit of every repository.
const fakeEpoch = 1_700_000_000

// DeleteBranch removes a branch.
func (g *FakeGit) DeleteBranch(repo, branch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.repository(repo).branches, branch)
}

// Protect demands this user and password from now on; an empty user opens the repository.
func (g *FakeGit) Protect(repo, user, password string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repository(repo)
	r.user, r.password = user, password
}

// Fail makes Head and Fetch of a repository return err from now on; nil ends that.
func (g *FakeGit) Fail(repo string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.repository(repo).failure = err
}

// Calls returns how often Head and Fetch were called.
func (g *FakeGit) Calls() (heads, fetches int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.heads, g.fetches
}

// Head implements core.GitRemote.
func (g *FakeGit) Head(ctx context.Context, src core.GitSource) (core.Commit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heads++
	head, err := g.head(ctx, src)
	if err != nil {
		return "", err
	}
	return head.summary.Commit, nil
}

// Fetch implements core.GitRemote.
func (g *FakeGit) Fetch(ctx context.Context, src core.GitSource) (core.Commit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fetches++
	head, err := g.head(ctx, src)
	if err != nil {
		return "", err
	}
	if g.mirrors[src.Repository] == nil {
		g.mirrors[src.Repository] = map[core.Commit]*fakeCommit{}
	}
	for c := head; c != nil; c = c.parent {
		g.mirrors[src.Repository][c.summary.Commit] = c
	}
	return head.summary.Commit, nil
}

// head plays the Git host.
func (g *FakeGit) head(ctx context.Context, src core.GitSource) (*fakeCommit, error) {
	if ctx.Err() != nil {
		return nil, fault.New(fault.Unavailable, "git.unreachable", "The call was given up.").Because(ctx.Err())
	}
	if err := repositories.ValidAddress(src.URL); err != nil {
		return nil, err
	}
	if err := repositories.ValidBranch(src.Branch); err != nil {
		return nil, err
	}
	r := g.hosted[src.URL]
	switch {
	case r == nil:
		return nil, fault.New(fault.NotFound, "git.repository_missing", "No repository answers at %s.", src.URL)
	case r.failure != nil:
		return nil, r.failure
	case r.user != "" && (r.user != src.Username || r.password != src.Password.Reveal()):
		return nil, fault.New(fault.Unauthenticated, "git.credential_refused", "The credential of user %q was refused at %s.", src.Username, src.URL)
	case len(r.branches) == 0:
		return nil, fault.New(fault.NotFound, "git.branch_missing", "The repository at %s is empty.", src.URL)
	}
	branch := cmp.Or(src.Branch, defaultBranch)
	if r.branches[branch] == nil {
		return nil, fault.New(fault.NotFound, "git.branch_missing", "The repository at %s has no branch %q.", src.URL, branch)
	}
	return r.branches[branch], nil
}

// Tree implements core.GitRemote.
func (g *FakeGit) Tree(_ context.Context, repository core.RepositoryID, commit core.Commit) (core.Tree, error) {
	c, err := g.mirrored(repository, commit)
	if err != nil {
		return nil, err
	}
	return &fakeTree{files: c.files}, nil
}

// Commits implements core.GitRemote.
func (g *FakeGit) Commits(_ context.Context, repository core.RepositoryID, commit core.Commit, limit int) ([]core.CommitSummary, error) {
	c, err := g.mirrored(repository, commit)
	if err != nil {
		return nil, err
	}
	var list []core.CommitSummary
	for ; c != nil && len(list) < limit; c = c.parent {
		list = append(list, c.summary)
	}
	return list, nil
}

func (g *FakeGit) mirrored(repository core.RepositoryID, commit core.Commit) (*fakeCommit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.mirrors[repository][commit]; c != nil {
		return c, nil
	}
	return nil, fault.New(fault.NotFound, "git.commit_missing", "Commit %s is not in the mirror.", commit.Short())
}

// Forget implements core.GitRemote.
func (g *FakeGit) Forget(_ context.Context, repository core.RepositoryID) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.mirrors, repository)
	return nil
}

var _ core.GitRemote = (*FakeGit)(nil)
