package hub

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/wire"
)

// follow makes the stand's repository follow something else than its branch.
func (s *stand) follow(c repositories.Change) {
	s.t.Helper()
	if _, err := s.store.EditRepository(s.t.Context(), s.repo, c, access.System); err != nil {
		s.t.Fatal(err)
	}
	s.hub.Nudge()
}

// looked asks for a look and waits until it is done.
func (s *stand) looked() repositories.Repository {
	s.t.Helper()
	s.look()
	s.eventually("the repository was looked at", func() bool { return s.repository().AskedAt.IsZero() })
	return s.repository()
}

// events returns what happened to the stand's repository, newest first.
func (s *stand) events() (all []repositories.Event) {
	s.t.Helper()
	list, err := s.store.RepositoryEvents(s.t.Context(), s.repo, core.Page{Limit: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

func (s *stand) lastEvent(kind repositories.EventKind, says string) {
	s.t.Helper()
	all := s.events()
	if len(all) == 0 || all[0].Kind != kind || !strings.Contains(all[0].Text, says) {
		s.t.Errorf("the events are %+v; want the newest to be %s and to say %q", all, kind, says)
	}
}

// headOf is where a branch of the stand's Git host points.
func (s *stand) headOf(branch string) core.Commit {
	s.t.Helper()
	head, err := s.git.Head(s.t.Context(), core.GitSource{Repository: s.repo, URL: repositoryURL, Branch: branch})
	if err != nil {
		s.t.Fatal(err)
	}
	return head.Commit
}

// undisturbed is a stack that runs, and how to check that it was left alone.
func (s *stand) undisturbed() (p *puppet, st stacks.Stack, untouched func()) {
	s.t.Helper()
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st = s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	st = s.stackIs(st.ID, stacks.StatusActive)
	return p, st, func() {
		s.t.Helper()
		now := s.stackIs(st.ID, stacks.StatusActive)
		if all := s.deployments(st.ID); len(all) != 1 || now.Revision != st.Revision {
			s.t.Errorf("revision %d became %d by %d deployments", st.Revision, now.Revision, len(all))
		}
	}
}

// Whatever happens to a repository is told where it is shown, and what runs stays as it is until it is well again.
func TestG2WhatHappensToARepositoryIsShownAndWhatRunsIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*stand)
		code    string
		says    string
		mended  func(*stand)
	}{
		"the branch is deleted": {func(s *stand) {
			s.git.Commit(repositoryURL, "other", nil)
			s.git.DeleteBranch(repositoryURL, "main")
		}, "git.branch_missing", `"main"`, func(s *stand) { s.commit(map[string]string{"web/compose.yaml": "service web\n"}) }},
		"the branch is renamed and the default": {func(s *stand) {
			s.git.Commit(repositoryURL, "trunk", nil)
			s.git.Point(repositoryURL, "trunk")
			s.git.DeleteBranch(repositoryURL, "main")
		}, "git.branch_missing", `default branch is "trunk"`, func(s *stand) {
			s.git.Push(repositoryURL, coretest.GitPush{Branch: "trunk", Files: map[string]string{"web/compose.yaml": "service web\n"}})
			s.follow(repositories.Change{Branch: new("trunk")})
		}},
		"the repository is emptied": {func(s *stand) { s.git.DeleteBranch(repositoryURL, "main") }, "git.branch_missing", "empty",
			func(s *stand) { s.commit(map[string]string{"web/compose.yaml": "service web\n"}) }},
		"the repository is deleted": {func(s *stand) {
			s.git.Fail(repositoryURL, fault.New(fault.NotFound, "git.repository_missing", "No Git repository answers."))
		}, "git.repository_missing", "No Git repository", func(s *stand) { s.git.Fail(repositoryURL, nil) }},
		"the credential is revoked": {func(s *stand) { s.git.Protect(repositoryURL, "deploy", "x") }, "git.credential_refused", "credential",
			func(s *stand) { s.git.Protect(repositoryURL, "", "") }},
		"the tag is not there": {func(s *stand) { s.follow(repositories.Change{Tag: new("live")}) }, "git.tag_missing", `"live"`,
			func(s *stand) { s.git.Tag(repositoryURL, "live", s.headOf("main")) }},
		"no tag is in the range": {func(s *stand) {
			s.git.Tag(repositoryURL, "v1.9.0", s.headOf("main"))
			s.follow(repositories.Change{Semver: new("^2")})
		}, "git.version_missing", "^2", func(s *stand) { s.git.Tag(repositoryURL, "v2.0.0", s.headOf("main")) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			_, _, untouched := s.undisturbed()
			c.happens(s)
			r := s.looked()
			if r.ErrorCode != c.code || !strings.Contains(r.Error, c.says) {
				t.Errorf("it shows %s: %s", r.ErrorCode, r.Error)
			}
			untouched()
			c.mended(s)
			if r = s.looked(); r.ErrorCode != "" || r.Error != "" {
				t.Errorf("once it is well again it shows %s: %s", r.ErrorCode, r.Error)
			}
			untouched()
		})
	}
}

func TestG1AForcePushDeploysTheNewHeadAndSaysThatHistoryWasRewritten(t *testing.T) {
	s := newStand(t)
	p, st, _ := s.undisturbed()
	s.commit(map[string]string{"other": "1"})
	s.looked()
	if all := s.events(); len(all) != 0 {
		t.Errorf("a plain commit is an event: %+v", all)
	}
	head := s.git.Push(repositoryURL, coretest.GitPush{Files: map[string]string{"web/compose.yaml": "service web2\n"}, Orphan: true})
	s.look()
	p.succeed(expect[wire.Command](p))
	s.eventually("the new head runs", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	s.lastEvent(repositories.EventRewritten, head.Short())
	if d := s.lastDecision(st.ID); !strings.Contains(d.Reason, "rewritten") {
		t.Errorf("the decision says %q", d.Reason)
	}
	if _, err := s.store.Revision(t.Context(), st.ID, 1); err != nil {
		t.Errorf("the revision before is gone: %v", err)
	}
}

func TestTheHighestVersionIsDeployedAndShown(t *testing.T) {
	s := newStand(t)
	p, st, untouched := s.undisturbed()
	first := s.headOf("main")
	s.git.Tag(repositoryURL, "v1.2.0", first)
	s.follow(repositories.Change{Semver: new("^1.2")})
	r := s.looked()
	if r.Branch != "" || r.Version() != "v1.2.0" || r.Head != first || r.Error != "" {
		t.Fatalf("it follows %s and is at %s (%s), %s", r.Follows(), r.Head, r.Ref, r.Error)
	}
	untouched()
	second := s.commit(map[string]string{"web/compose.yaml": "service web2\n"})
	s.git.Tag(repositoryURL, "v2.0.0", second)
	s.git.Tag(repositoryURL, "v1.3.0-rc.1", second)
	s.looked()
	untouched()
	s.git.Tag(repositoryURL, "v1.3.0", second)
	s.look()
	cmd := expect[wire.Command](p)
	p.succeed(cmd)
	s.eventually("the version runs", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	s.lastEvent(repositories.EventVersion, "v1.3.0")
	if d := s.lastDecision(st.ID); !strings.Contains(d.Reason, "tag v1.3.0") {
		t.Errorf("the decision says %q", d.Reason)
	}
	if log := s.log(s.deployments(st.ID)[0].ID); !strings.Contains(log, "tag v1.3.0") {
		t.Errorf("the log says %q", log)
	}
	s.git.DeleteTag(repositoryURL, "v1.3.0")
	if r = s.looked(); r.Version() != "v1.2.0" {
		t.Errorf("after the tag is gone it is at %s", r.Ref)
	}
}

func TestATagThatMovesIsFollowedAndSaid(t *testing.T) {
	s := newStand(t)
	p, st, untouched := s.undisturbed()
	s.git.Tag(repositoryURL, "live", s.headOf("main"))
	s.follow(repositories.Change{Tag: new("live")})
	s.looked()
	second := s.commit(map[string]string{"web/compose.yaml": "service web2\n"})
	s.looked()
	untouched()
	s.git.Tag(repositoryURL, "live", second)
	s.look()
	p.succeed(expect[wire.Command](p))
	s.eventually("what the tag names runs", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	s.lastEvent(repositories.EventTagMoved, second.Short())
	s.git.DeleteTag(repositoryURL, "live")
	if r := s.looked(); r.ErrorCode != "git.tag_missing" || r.Head != second || r.Version() != "live" {
		t.Errorf("after the tag is gone: %s, at %s %s", r.ErrorCode, r.Ref, r.Head)
	}
}

func TestARenamedDefaultBranchIsFollowedAndSaid(t *testing.T) {
	s := newStand(t)
	_, _, untouched := s.undisturbed()
	s.follow(repositories.Change{Branch: new("")})
	if r := s.looked(); r.Ref != "refs/heads/main" {
		t.Fatalf("it is at %s", r.Ref)
	}
	s.git.Push(repositoryURL, coretest.GitPush{Branch: "trunk", Files: map[string]string{"web/compose.yaml": "service web\n"}})
	s.git.Point(repositoryURL, "trunk")
	if r := s.looked(); r.Ref != "refs/heads/trunk" || r.Error != "" {
		t.Errorf("it is at %s, %s", r.Ref, r.Error)
	}
	s.lastEvent(repositories.EventDefaultBranch, "trunk now; before it was main")
	untouched()
}

func TestAMovedRepositoryNamesItsNewAddress(t *testing.T) {
	s := newStand(t)
	_, _, untouched := s.undisturbed()
	s.looked()
	s.git.Move(repositoryURL, "https://git.example/team/apps.git")
	for range 2 {
		if r := s.looked(); r.MovedTo != "https://git.example/team/apps.git" || r.Error != "" {
			t.Errorf("moved to %q, %s", r.MovedTo, r.Error)
		}
	}
	s.lastEvent(repositories.EventMoved, "https://git.example/team/apps.git")
	if n := len(s.events()); n != 1 {
		t.Errorf("it is told %d times", n)
	}
	untouched()
	s.git.Move(repositoryURL, "")
	if r := s.looked(); r.MovedTo != "" {
		t.Errorf("it is still shown as moved to %s", r.MovedTo)
	}
}
