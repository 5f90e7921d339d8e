package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// given deploys a stack whose command gives these secret values.
func (y *yard) given(id core.StackID, commit core.Commit, prints map[string]string) stacks.Deployment {
	y.t.Helper()
	d := y.start(y.queue(wish(id)))
	cmd := y.send(d, commit)
	y.must(y.MarkDelivering(y.t.Context(), cmd.ID, prints))
	if !y.end(d.ID, stacks.DeploymentSucceeded) {
		y.t.Fatal("the deployment did not end")
	}
	return d
}

func (y *yard) held() []stacks.Delivered {
	y.t.Helper()
	all, err := y.Delivered(y.t.Context(), "", 100)
	y.must(err)
	return all
}

func TestWhatContainersWereGivenIsKept(t *testing.T) {
	y := openYard(t)
	web, blog := y.add("web"), y.add("blog")
	y.given(web, "c1", map[string]string{"A": "p1", "B": "p2"})
	y.deploy(blog, "c1")
	all := y.held()
	if len(all) != 1 || all[0].Stack != web || all[0].Name != "web" || all[0].Revision != 1 || !reflect.DeepEqual(all[0].Prints, map[string]string{"A": "p1", "B": "p2"}) {
		t.Fatalf("given %+v", all)
	}
	y.end(y.start(y.queue(wish(web))).ID, stacks.DeploymentFailed)
	if again := y.held(); !reflect.DeepEqual(again, all) {
		t.Errorf("after a failure %+v", again)
	}
	// The worker has the command with the values that it came with.
	d := y.start(y.queue(wish(web)))
	cmd := y.send(d, "c2")
	y.must(y.MarkDelivering(t.Context(), cmd.ID, map[string]string{"A": "first"}))
	_, err := y.MarkSent(t.Context(), y.w.ID, cmd.ID, 1)
	y.must(err)
	y.must(y.MarkAccepted(t.Context(), y.w.ID, cmd.ID, 1, 1))
	y.must(y.MarkDelivering(t.Context(), cmd.ID, map[string]string{"A": "second"}))
	y.end(d.ID, stacks.DeploymentSucceeded)
	if all := y.held(); len(all) != 1 || all[0].Prints["A"] != "first" || all[0].Revision != 2 {
		t.Errorf("given %+v", all)
	}
	y.deploy(web, "c3")
	if all := y.held(); len(all) != 0 {
		t.Errorf("nothing secret was given, and it says %+v", all)
	}
}

func TestARotationIsStoredForWhatWasCompared(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	y.given(id, "c1", map[string]string{"A": "p1"})
	d := y.held()[0]
	r := stacks.Rotation{Stale: []string{"A"}, Since: time.Unix(5, 0).UTC(), Seen: "s1"}
	set := func(d stacks.Delivered, redeploy, want bool) {
		t.Helper()
		queued, err := y.SetRotation(t.Context(), d, r, redeploy)
		y.must(err)
		if queued != want {
			t.Errorf("queued is %v", queued)
		}
	}
	kept := func() stacks.Rotation {
		t.Helper()
		kept, err := y.Rotation(t.Context(), id)
		y.must(err)
		return kept
	}
	set(d, false, false)
	if got := kept(); !slices.Equal(got.Stale, r.Stale) || !got.Since.Equal(r.Since) || got.Seen != "" {
		t.Errorf("kept %+v", got)
	}
	old := d
	old.Prints = map[string]string{"A": "p0"}
	set(old, true, false) // another deployment put something in place since
	open := y.queue(wish(id))
	set(d, true, false) // what is open brings the newest values
	y.end(open.ID, stacks.DeploymentCancelled)
	set(d, true, true)
	if got := kept(); got.Seen != "s1" {
		t.Errorf("kept %+v", got)
	}
	history := y.history(id)
	if last := history[len(history)-1]; last.Trigger != stacks.TriggerRotation || last.Aim.Revision != 1 {
		t.Errorf("queued %+v", last)
	}
	if none, err := y.Rotation(t.Context(), y.add("blog")); err != nil || !reflect.DeepEqual(none, stacks.Rotation{}) {
		t.Errorf("of a stack without secrets: %+v, %v", none, err)
	}
	if _, err := y.SetRotation(t.Context(), stacks.Delivered{Stack: "stk_none"}, r, true); err == nil {
		t.Error("a stack that is gone")
	}
}
