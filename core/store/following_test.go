package store_test

import (
	"fmt"
	"testing"

	"berth/core"
	"berth/core/intake"
	"berth/core/repositories"
	"berth/core/stacks"
)

// followed edits how rep_1 is followed, and returns it.
func (y *yard) followed(what repositories.FollowWhat) repositories.Repository {
	y.t.Helper()
	r, err := y.EditRepository(y.t.Context(), "rep_1", repositories.Change{Following: &repositories.FollowingChange{What: &what}}, someone)
	y.must(err)
	return r
}

// proposed shows what is proposed of rep_1, and of all, and what waits.
func (y *yard) proposed() string {
	y.t.Helper()
	one, err := y.FolderProposals(y.t.Context(), "rep_1", 10)
	y.must(err)
	all, err := y.FolderProposals(y.t.Context(), "", 10)
	y.must(err)
	waiting, err := y.WaitingFolders(y.t.Context(), "rep_1")
	y.must(err)
	text := fmt.Sprintf("%d of %d:", len(one), len(all))
	for _, p := range one {
		text += " " + p.Name + " " + p.MovedTo
	}
	for _, f := range waiting {
		text += " " + string(f.State) + " " + f.Path
	}
	return text
}

func TestWhatFollowingKnows(t *testing.T) {
	y := openYard(t)
	web, job := y.add("web"), y.addJob("nightly")
	r := y.followed(repositories.FollowAll)
	if !r.Following.AutoSync || r.FollowBegun || r.AskedAt.IsZero() {
		t.Fatalf("it is %+v", r)
	}
	found := intake.Followed{Note: []intake.Folder{{Kind: "stack", Path: "a", State: intake.FolderRefused, Problem: "p"}, {Kind: "stack", Path: "b", State: intake.FolderHeld, Problem: "p"}, {Kind: "stack", Path: "c", State: intake.FolderKnown}},
		Proposals: []intake.Proposal{{Kind: "stack", ID: string(web), Path: "web", MovedTo: "b", Commit: "c1"}, {Kind: "job", ID: string(job), Path: "nightly", Commit: "c1"}, {Kind: "stack", ID: "stk_gone", Path: "x"}},
		Events:    []repositories.Event{{Kind: repositories.EventGone, Text: "gone", Commit: "c1"}}}
	y.must(y.SetFollowed(t.Context(), r, found))
	if got := y.proposed(); got != "2 of 2: nightly  web b refused a held b" && got != "2 of 2: web b nightly  refused a held b" {
		t.Errorf("it is %q", got)
	}
	if p, ok, err := y.FolderProposal(t.Context(), string(web)); err != nil || !ok || p.Name != "web" || p.Commit != "c1" {
		t.Errorf("the stack's is %+v, %v, %v", p, ok, err)
	}
	if known, err := y.FollowKnown(t.Context(), "rep_1"); err != nil || len(known.Things) != 2 || len(known.Folders) != 3 || len(known.Proposals) != 2 {
		t.Errorf("known is %+v, %v", known, err)
	}
	y.must(y.ClearAsked(t.Context(), "rep_1", r.AskedAt))
	path := "b"
	_, err := y.UpdateStack(t.Context(), web, stacks.Change{Path: &path}, someone)
	y.must(err)
	y.must(y.DeleteJob(t.Context(), job, someone))
	if got := y.proposed(); got != "0 of 0: refused a held b" {
		t.Errorf("after both were dealt with it is %q", got)
	}
	if now, err := y.Repository(t.Context(), "rep_1"); err != nil || now.AskedAt.IsZero() || !now.FollowBegun {
		t.Errorf("nobody looks at what waited: %+v, %v", now, err)
	}
	y.must(y.SetFollowed(t.Context(), r, intake.Followed{Void: []string{string(web)}, Forget: []intake.Folder{{Kind: "stack", Path: "a"}}}))
	y.followed(repositories.FollowOff)
	y.must(y.SetFollowed(t.Context(), r, found)) // of a look that began before
	if got := y.proposed(); got != "0 of 0:" {
		t.Errorf("once it is not followed any more it is %q", got)
	}
	_, err = y.EditRepository(t.Context(), "rep_1", repositories.Change{Following: &repositories.FollowingChange{What: ptr(repositories.FollowStacks), Worker: ptr(core.WorkerID("wrk_none"))}}, someone)
	y.refused("a worker that is not there", err, "input.reference")
}

func ptr[T any](v T) *T { return &v }
