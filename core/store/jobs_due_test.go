package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
)

func TestWhenJobsAreDueIsSetAnew(t *testing.T) {
	y := openYard(t)
	moved, stays, bad, busy := y.dueJob("moved"), y.dueJob("stays"), y.dueJob("bad"), y.dueJob("busy")
	before := y.at
	y.exec(t, `UPDATE jobs SET definition = '[' WHERE id = ?`, bad)
	then := before.Add(time.Hour).Truncate(time.Second)
	asked := map[core.JobID]int{}
	y.must(y.SetDue(t.Context(), func(j jobs.Job) time.Time {
		if asked[j.ID]++; j.ID == stays {
			return j.NextAt
		}
		if j.ID == busy { // somebody pauses it at the same time
			y.exec(t, `UPDATE jobs SET next_at = 0 WHERE id = ?`, busy)
		}
		return then
	}))
	if got := y.job(moved).NextAt; !got.Equal(then) {
		t.Errorf("it is due at %s, want %s", got, then)
	}
	if got := y.job(stays).NextAt; got.Equal(then) || got.IsZero() {
		t.Errorf("what is right was set to %s", got)
	}
	if got := y.job(busy).NextAt; !got.IsZero() {
		t.Errorf("what somebody changed meanwhile was set to %s", got)
	}
	y.exec(t, `UPDATE jobs SET definition = '{}' WHERE id = ?`, bad)
	if got := y.job(bad).NextAt; got.Equal(then) {
		t.Error("what cannot be read was set")
	}
}

func TestAllOfManyJobsAreSetAnew(t *testing.T) {
	y := openYard(t)
	for i := range 501 {
		y.addJob(fmt.Sprintf("job-%d", i))
	}
	y.must(y.SetDue(t.Context(), func(jobs.Job) time.Time { return y.at }))
	due, _, err := y.DueJobs(t.Context(), y.at, 1000)
	if err != nil || len(due) != 501 {
		t.Errorf("%d jobs are due, %v", len(due), err)
	}
}
