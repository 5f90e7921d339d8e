package hub

import (
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/coretest"
	"berth/core/intake"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// unheard takes every nudge for nothing.
type unheard struct{}

func (unheard) Nudge() {}

// newFollowStand is a stand whose repository has some folders and is followed.
func newFollowStand(t *testing.T, change repositories.FollowingChange, folders ...string) *stand {
	s := newStandWith(t, func(o *Options) {
		kept := o.Store.(interface {
			stacks.Store
			jobs.Store
			intake.FollowStore
			intake.Finder
		})
		ofStacks, ofJobs := stacks.NewDesk(kept, unheard{}, o.Now), jobs.NewDesk(kept, nil, unheard{}, o.Now)
		o.Follower = intake.NewFollower(intake.NewDesk(kept, ofStacks, ofJobs), kept, ofStacks, ofJobs, o.Git)
	})
	s.change(folders, nil, false)
	s.following(change)
	return s
}

// change adds folders, whose names say whether they are jobs, and deletes others.
func (s *stand) change(add, remove []string, rewrite bool) {
	push := coretest.GitPush{Branch: "main", Files: map[string]string{"README": strings.Join(slices.Concat(add, remove), " ")}}
	for _, folder := range add {
		if strings.HasPrefix(folder, "jobs/") {
			push.Files[folder+"/job.yaml"] = hourly(jobFile{"description": folder}).text()
		} else {
			push.Files[folder+"/compose.yaml"] = "services: {" + folder + "}\n"
		}
	}
	for _, folder := range remove {
		file := "/compose.yaml"
		if strings.HasPrefix(folder, "jobs/") {
			file = "/job.yaml"
		}
		push.Delete = append(push.Delete, folder+file)
	}
	push.Orphan = rewrite
	s.git.Push(repositoryURL, push)
}

// following edits how the repository is followed, and waits until it was looked at.
func (s *stand) following(change repositories.FollowingChange) {
	s.t.Helper()
	if _, err := s.store.EditRepository(s.t.Context(), s.repo, repositories.Change{Following: &change}, access.System); err != nil {
		s.t.Fatal(err)
	}
	s.seen()
}

// seen waits until the newest commit was looked at, and nobody wants another look.
func (s *stand) seen() {
	s.t.Helper()
	s.look()
	s.eventually("the repository was looked at", func() bool {
		r := s.repository()
		if !r.AskedAt.IsZero() {
			s.hub.Nudge()
		}
		return r.AskedAt.IsZero()
	})
}

// there lists the stacks and jobs with what is proposed for them.
func (s *stand) there() string {
	s.t.Helper()
	known, err := s.store.FollowKnown(s.t.Context(), s.repo)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, t := range known.Things {
		all = append(all, string(t.Kind)+" "+t.Name)
	}
	for _, p := range known.Proposals {
		all = append(all, strings.TrimSpace("remove "+p.Name+"? "+p.MovedTo))
	}
	for _, f := range known.Folders {
		if f.Problem != "" {
			all = append(all, string(f.State)+" "+f.Path)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func following(what repositories.FollowWhat) repositories.FollowingChange {
	return repositories.FollowingChange{What: &what}
}

func existing() repositories.FollowingChange {
	c, yes := following(repositories.FollowAll), true
	c.Existing = &yes
	return c
}

func removing() repositories.FollowingChange {
	c, yes, no := existing(), true, false
	c.Remove, c.AutoSync = &yes, &no
	return c
}

func TestAFollowedRepository(t *testing.T) {
	for name, c := range map[string]struct {
		follow  repositories.FollowingChange
		first   []string
		add     []string
		remove  []string
		rewrite bool
		want    string
	}{
		"a new folder becomes a stack, and those from before do not": {follow: following(repositories.FollowStacks), first: []string{"old"}, add: []string{"web"}, want: "stack web"},
		"jobs are left alone when stacks are followed":               {follow: following(repositories.FollowStacks), add: []string{"jobs/nightly"}, want: ""},
		"a new folder becomes a job":                                 {follow: following(repositories.FollowAll), add: []string{"jobs/nightly"}, want: "job nightly"},
		"a name that is taken is told, and keeps nobody out":         {follow: following(repositories.FollowStacks), add: []string{"a/web", "b/web", "c"}, want: "refused b/web, stack c, stack web"},
		"what lost its folder is proposed":                           {follow: existing(), first: []string{"a", "b"}, remove: []string{"a"}, want: "remove a?, stack a, stack b"},
		"what lost its folder is removed when that is asked for":     {follow: removing(), first: []string{"a", "b"}, remove: []string{"a"}, want: "stack b"},
		"never the last of its kind":                                 {follow: removing(), first: []string{"a", "jobs/x", "jobs/y"}, remove: []string{"a", "jobs/x"}, want: "job y, remove a?, stack a"},
		"never all at once":                                          {follow: removing(), first: []string{"a", "b"}, remove: []string{"a", "b"}, want: "remove a?, remove b?, stack a, stack b"},
		"never after history was rewritten":                          {follow: removing(), first: []string{"a", "b"}, add: []string{"z"}, rewrite: true, want: "held z, remove a?, remove b?, stack a, stack b"},
		"a folder that is renamed is a proposal":                     {follow: removing(), first: []string{"a/web", "b"}, add: []string{"c/web"}, remove: []string{"a/web"}, want: "held c/web, remove web? c/web, stack b, stack web"},
		"what may be a rename is held":                               {follow: removing(), first: []string{"a", "b"}, add: []string{"c"}, remove: []string{"a"}, want: "held c, remove a?, stack a, stack b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFollowStand(t, c.follow, c.first...)
			s.change(c.add, c.remove, c.rewrite)
			s.seen()
			if got := s.there(); got != c.want {
				t.Errorf("there is %s\nwant     %s", got, c.want)
			}
		})
	}
}
