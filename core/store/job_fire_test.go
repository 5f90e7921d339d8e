package store_test

import (
	"reflect"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

func TestATimeFiresOnceWithItsRunAndItsCommand(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	at := y.job(id).NextAt
	r := y.fired(id)
	j := y.job(id)
	if !j.NextAt.Equal(at.Add(time.Hour)) || !j.FiredAt.Equal(at) || j.Missed != 0 || !j.MissedAt.IsZero() {
		t.Errorf("the job is %+v", j)
	}
	if r.State != jobs.RunQueued || !r.ScheduledAt.Equal(at) || r.Worker != y.w.ID || !reflect.DeepEqual(r.Definition, j.Definition) || !reflect.DeepEqual(r.Configs, j.Configs) {
		t.Errorf("the run is %+v", r)
	}
	c, err := y.Command(t.Context(), y.w.ID, r.Command)
	if err != nil || c.Run != r.ID || c.Kind != stacks.CommandRun || c.State != stacks.CommandQueued {
		t.Errorf("the command is %+v, %v", c, err)
	}
	again, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(jobs.Job, []jobs.Run) jobs.Firing {
		t.Error("a job that is not due is asked about")
		return jobs.Firing{}
	})
	if err != nil || len(again) != 0 {
		t.Errorf("it fires again: %+v, %v", again, err)
	}
}
