package store_test

import (
	"fmt"
	"slices"
	"testing"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

func TestManyNamesAreReadAtOnce(t *testing.T) {
	y := openYard(t)
	var ids []core.StackID
	for i := range 203 {
		ids = append(ids, y.add(fmt.Sprintf("stack-%03d", i)))
	}
	job := y.addJob("nightly")
	names, err := y.StackNames(t.Context(), append(slices.Clone(ids), ids[0], "", "stk_gone"))
	y.must(err)
	if len(names) != len(ids) || names[ids[0]] != "stack-000" || names[ids[202]] != "stack-202" {
		t.Errorf("%d names: %v", len(names), names)
	}
	ofJobs, err := y.JobNames(t.Context(), []core.JobID{job})
	y.must(err)
	ofRepositories, err := y.RepositoryNames(t.Context(), []core.RepositoryID{"rep_1"})
	y.must(err)
	if ofJobs[job] != "nightly" || ofRepositories["rep_1"] == "" {
		t.Errorf("they are called %v and %v", ofJobs, ofRepositories)
	}
	first, second := y.queue(wish(ids[0])), y.queue(wish(ids[1]))
	last, err := y.LastDeployments(t.Context(), ids)
	y.must(err)
	if len(last) != 2 || last[ids[0]].ID != first.ID || last[ids[1]].ID != second.ID {
		t.Errorf("the last deployments are %v", last)
	}
	none, err := y.StackNames(t.Context(), nil)
	y.must(err)
	if len(none) != 0 {
		t.Errorf("nothing was asked for: %v", none)
	}
}

// TestWorkersAreNamedAsTheyAre: as the whole row tells it.
func TestWorkersAreNamedAsTheyAre(t *testing.T) {
	y := openYard(t)
	namesake := y.worker(t, "web-1")
	y.exec(t, `UPDATE workers SET connected_at = 2, left_at = 1 WHERE id = ?`, string(y.other.ID))
	y.exec(t, `UPDATE workers SET revoked = 1 WHERE id = ?`, string(namesake.ID))
	got, err := y.WorkersNamed(t.Context(), []core.WorkerID{y.w.ID, y.other.ID, namesake.ID, "wrk_gone"})
	y.must(err)
	if len(got) != 3 {
		t.Fatalf("there are %+v", got)
	}
	for _, w := range got {
		whole, err := y.Worker(t.Context(), w.ID)
		y.must(err)
		if w.Label() != whole.Label() || w.Online != whole.Online || w.Unheard != whole.Unheard || w.Revoked != whole.Revoked {
			t.Errorf("%+v is %+v", w, whole)
		}
	}
}

func TestBriefsAreOfOneRepository(t *testing.T) {
	y := openYard(t)
	b, a, job := y.add("b"), y.add("a"), y.addJob("nightly")
	y.exec(t, `UPDATE stacks SET deleting = 1, status = 'error' WHERE id = ?`, string(b))
	found, err := y.StackBriefs(t.Context(), "rep_1")
	y.must(err)
	if want := []stacks.Brief{{ID: a, Name: "a", Path: "a", Status: stacks.StatusNew}, {ID: b, Name: "b", Path: "b", Status: stacks.StatusError, Deleting: true}}; !slices.Equal(found, want) {
		t.Errorf("the stacks are %+v, want %+v", found, want)
	}
	ofJobs, err := y.JobBriefs(t.Context(), "rep_1")
	y.must(err)
	if want := []jobs.Brief{{ID: job, Name: "nightly", Path: "nightly", Standing: y.job(job).Standing()}}; !slices.Equal(ofJobs, want) {
		t.Errorf("the jobs are %+v, want %+v", ofJobs, want)
	}
	other, err := y.StackBriefs(t.Context(), "rep_other")
	y.must(err)
	if len(other) != 0 {
		t.Errorf("another repository has %+v", other)
	}
}
