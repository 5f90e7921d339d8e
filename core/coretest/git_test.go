package coretest

import (
	"fmt"
	"testing"

	"berth/core"
)

// fakeHost puts the hosting side of a FakeGit behind GitHost.
type fakeHost struct {
	git  *FakeGit
	made int
}

func (h *fakeHost) Create(*testing.T) string {
	h.made++
	url := fmt.Sprintf("https://git.example.com/team/r%d.git", h.made)
	h.git.Create(url)
	return url
}

func (h *fakeHost) Push(_ *testing.T, url string, push GitPush) core.Commit {
	return h.git.Push(url, push)
}

func (h *fakeHost) DeleteBranch(_ *testing.T, url, branch string) { h.git.DeleteBranch(url, branch) }

func (h *fakeHost) Tag(_ *testing.T, url, tag string, commit core.Commit, _ bool) {
	h.git.Tag(url, tag, commit)
}

func (h *fakeHost) DeleteTag(_ *testing.T, url, tag string) { h.git.DeleteTag(url, tag) }

func (h *fakeHost) Point(_ *testing.T, url, branch string) { h.git.Point(url, branch) }

func (h *fakeHost) Protect(_ *testing.T, url, user, password string) {
	h.git.Protect(url, user, password)
}

func TestFakeGit(t *testing.T) {
	host := &fakeHost{git: NewFakeGit()}
	GitRemote(t, func(*testing.T) core.GitRemote { return host.git }, func(*testing.T) GitHost { return host })
}
