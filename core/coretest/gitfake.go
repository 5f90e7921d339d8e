package coretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
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
	tags     map[string]*fakeCommit
	normal   string // the default branch
	moved    string // the address to which it redirects; empty: it does not
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
		g.hosted[repo] = &fakeRepository{branches: map[string]*fakeCommit{}, tags: map[string]*fakeCommit{}, normal: defaultBranch}
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

// Tag makes a tag point at a commit of the repository, or moves it there.
func (g *FakeGit) Tag(repo, tag string, commit core.Commit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repository(repo)
	for _, head := range r.branches {
		for c := head; c != nil; c = c.parent {
			if c.summary.Commit == commit {
				r.tags[tag] = c
			}
		}
	}
}

// DeleteTag removes a tag.
func (g *FakeGit) DeleteTag(repo, tag string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.repository(repo).tags, tag)
}

// Point makes a branch the default one.
func (g *FakeGit) Point(repo, branch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.repository(repo).normal = branch
}

// Move makes a repository redirect to another address of its host from now on.
func (g *FakeGit) Move(repo, to string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.repository(repo).moved = to
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
func (g *FakeGit) Head(ctx context.Context, src core.GitSource) (core.GitHead, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heads++
	_, found, err := g.head(ctx, src)
	return found, err
}

// Fetch implements core.GitRemote.
func (g *FakeGit) Fetch(ctx context.Context, src core.GitSource) (core.GitHead, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fetches++
	head, found, err := g.head(ctx, src)
	if err != nil {
		return core.GitHead{}, err
	}
	if g.mirrors[src.Repository] == nil {
		g.mirrors[src.Repository] = map[core.Commit]*fakeCommit{}
	}
	for c := head; c != nil; c = c.parent {
		g.mirrors[src.Repository][c.summary.Commit] = c
	}
	return found, nil
}

// Lineage implements core.GitRemote.
func (g *FakeGit) Lineage(_ context.Context, repository core.RepositoryID, earlier, later core.Commit) (core.Lineage, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.mirrors[repository]
	if known[earlier] == nil || known[later] == nil {
		return core.LineageUnknown, nil
	}
	for c := known[later]; c != nil; c = c.parent {
		if c.summary.Commit == earlier {
			return core.LineageContinued, nil
		}
	}
	return core.LineageRewritten, nil
}

// head plays the Git host.
func (g *FakeGit) head(ctx context.Context, src core.GitSource) (*fakeCommit, core.GitHead, error) {
	r, err := g.answering(ctx, src)
	if err != nil {
		return nil, core.GitHead{}, err
	}
	missing := func(code, text string, name string) (*fakeCommit, core.GitHead, error) {
		return nil, core.GitHead{}, fault.New(fault.NotFound, code, text, src.URL, name)
	}
	branch := cmp.Or(src.Branch, r.normal)
	commit, ref := r.branches[branch], "refs/heads/"+branch
	switch {
	case src.Tag != "":
		if commit, ref = r.tags[src.Tag], "refs/tags/"+src.Tag; commit == nil {
			return missing("git.tag_missing", "The repository at %s has no tag %q.", src.Tag)
		}
	case src.Semver != "":
		versions, err := repositories.ParseVersions(src.Semver)
		if err != nil {
			return nil, core.GitHead{}, err
		}
		best, found := versions.Best(slices.Collect(maps.Keys(r.tags)))
		if !found {
			return missing("git.version_missing", "No tag of the repository at %s is a version in %s.", src.Semver)
		}
		commit, ref = r.tags[best], "refs/tags/"+best
	case commit == nil && r.branches[r.normal] != nil:
		return missing("git.branch_missing", "The repository at %s has no branch %q; its default branch is \""+r.normal+"\".", branch)
	case commit == nil:
		return missing("git.branch_missing", "The repository at %s has no branch %q.", branch)
	}
	return commit, core.GitHead{Commit: commit.summary.Commit, Ref: ref, Moved: r.moved}, nil
}

// answering finds the repository of a source that can be read and has commits.
func (g *FakeGit) answering(ctx context.Context, src core.GitSource) (*fakeRepository, error) {
	if ctx.Err() != nil {
		return nil, fault.New(fault.Unavailable, "git.unreachable", "The call was given up.").Because(ctx.Err())
	}
	if err := repositories.ValidAddress(src.URL); err != nil {
		return nil, err
	}
	if err := repositories.ValidSource(src); err != nil {
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
	return r, nil
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
