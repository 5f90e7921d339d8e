package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// put dispatches and ends a deployment of a revision.
func (y *yard) put(id core.StackID, rev stacks.Revision) int {
	y.t.Helper()
	d := y.start(y.queue(wish(id)))
	rev.Stack = id
	number, err := y.Dispatch(y.t.Context(), rev, y.command(d), stacks.Progress{Deployment: d.ID, Commit: rev.Commit}, nil)
	y.must(err)
	y.end(d.ID, stacks.DeploymentSucceeded)
	return number
}

func TestARevisionIsStoredWhole(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	m := stacks.DefaultManifest()
	m.Files, m.Timeout, m.RemoveOrphans = []string{"a.yaml"}, time.Hour, false
	rev := stacks.Revision{Commit: "c1", Digest: "d1", Manifest: m, Services: []core.ComposeService{{Name: "web", Image: "nginx", Variables: []string{"A"}}},
		Content:   []core.Content{{Digest: "aa", Source: "web/conf", Files: []core.ContentFile{{Path: "x", Digest: "bb", Size: 3, Executable: true}}}},
		Variables: []stacks.Fingerprint{{Name: "A", Fingerprint: "ff"}}, Watch: []string{"shared"}}
	if number := y.put(id, rev); number != 1 {
		t.Fatalf("the first revision has number %d", number)
	}
	got, err := y.Revision(t.Context(), id, 1)
	rev.Stack, rev.Number, rev.CreatedAt, rev.VerifiedAt = id, 1, got.CreatedAt, got.VerifiedAt
	if err != nil || !reflect.DeepEqual(got, rev) || got.CreatedAt.IsZero() {
		t.Errorf("got %+v, %v\nwant %+v", got, err, rev)
	}
	for _, c := range []struct {
		id     core.StackID
		number int
	}{{id, 2}, {id, 0}, {"stk_none", 1}} {
		_, err := y.Revision(t.Context(), c.id, c.number)
		y.refused(fmt.Sprint(c), err, "revision.not_found")
	}
}

func TestTheSameDigestIsTheSameRevision(t *testing.T) {
	y := openYard(t)
	a, b := y.add("a"), y.add("b")
	number := func(id core.StackID, digest string, want int, wantKnown bool) {
		t.Helper()
		got, known, err := y.RevisionNumber(t.Context(), id, digest)
		if err != nil || got != want || known != wantKnown {
			t.Errorf("%s: %d, known %v, %v; want %d, %v", digest, got, known, err, want, wantKnown)
		}
	}
	number(a, "d1", 1, false)
	for i, c := range []struct {
		digest string
		want   int
	}{{"d1", 1}, {"d2", 2}, {"d1", 1}, {"d3", 3}, {"d2", 2}} {
		if got := y.put(a, stacks.Revision{Commit: core.Commit(fmt.Sprint("c", i)), Digest: c.digest}); got != c.want || y.stack(a).Revision != c.want {
			t.Errorf("deployment %d is of revision %d, want %d", i, got, c.want)
		}
	}
	number(a, "d2", 2, true)
	number(a, "d4", 4, false)
	number(b, "d1", 1, false)
	if got := y.put(b, stacks.Revision{Commit: "c", Digest: "d1", Number: 1}); got != 1 {
		t.Errorf("another stack's first revision is %d", got)
	}
	if rev, err := y.Revision(t.Context(), a, 1); err != nil || rev.Commit != "c0" {
		t.Errorf("revision 1 is of %s, %v; it never changes", rev.Commit, err)
	}
}

func TestRevisionsAreListedBackwards(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	for i := range 7 {
		y.put(id, stacks.Revision{Digest: fmt.Sprint(i)})
	}
	var got []int
	for before := 0; ; {
		page, err := y.Revisions(t.Context(), id, before, 3)
		y.must(err)
		for _, r := range page {
			got = append(got, r.Number)
		}
		if len(page) < 3 {
			break
		}
		before = page[2].Number
	}
	if !slices.Equal(got, []int{7, 6, 5, 4, 3, 2, 1}) {
		t.Errorf("listed are %v", got)
	}
	if page, err := y.Revisions(t.Context(), "stk_none", 0, 3); err != nil || page == nil || len(page) != 0 {
		t.Errorf("of nothing: %v, %v", page, err)
	}
}

func TestWatchedIsWhatTheLastDeploymentRead(t *testing.T) {
	y := openYard(t)
	a, b, c := y.add("a"), y.add("b"), y.add("c")
	watched := func(want map[core.StackID][]string) {
		t.Helper()
		if got, err := y.Watched(t.Context(), "rep_1"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("watched are %v, %v; want %v", got, err, want)
		}
	}
	watched(map[core.StackID][]string{})
	y.put(a, stacks.Revision{Digest: "one", Watch: []string{"shared"}})
	y.put(b, stacks.Revision{Digest: "one"})
	y.put(c, stacks.Revision{Digest: "one", Watch: []string{"x"}})
	y.put(c, stacks.Revision{Digest: "two"})
	watched(map[core.StackID][]string{a: {"shared"}})
	y.put(a, stacks.Revision{Digest: "two", Watch: []string{"shared", "more"}})
	y.put(c, stacks.Revision{Digest: "one"}) // a commit was taken back: revision 1 runs again, and reads x again
	watched(map[core.StackID][]string{a: {"shared", "more"}, c: {"x"}})
	y.queue(wish(c)) // one that was not dispatched says nothing
	watched(map[core.StackID][]string{a: {"shared", "more"}, c: {"x"}})
	if got, err := y.Watched(t.Context(), "rep_2"); err != nil || len(got) != 0 {
		t.Errorf("of another repository: %v, %v", got, err)
	}
}
