package disk

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/jobs"
	"berth/handlers/api"
	"berth/hub/worker/runs"
	"berth/local/e2e/rig"
)

// TestD1FullDiskWhileJobsAreDue: times that come while there is no room fire once when there is, or are given up and counted;
// a run that is under way ends as it did, and no other is begun.
func TestD1FullDiskWhileJobsAreDue(t *testing.T) {
	t.Parallel()
	jobsOutOfRoom(t, newYard(t), (*coretest.Disk).Fill)
}

// TestD12NoInodesWhileJobsAreDue is the same for a disk that has room, and no file to put it in.
func TestD12NoInodesWhileJobsAreDue(t *testing.T) {
	t.Parallel()
	jobsOutOfRoom(t, newYard(t, "-N", "1024"), (*coretest.Disk).UseInodes)
}

func jobsOutOfRoom(t *testing.T, y *yard, use func(*coretest.Disk) string) {
	end := make(chan struct{})
	y.engine.OnRun = func(ctx context.Context, r runs.Spec, line func(string)) int {
		line("line 1")
		if r.Job == "long" {
			select {
			case <-end:
			case <-ctx.Done():
			}
		}
		return 0
	}
	file := "image: none\nresources: {cpu: 1, memory: 32m, timeout: 10m}\noverlap: queue\n"
	y.repository.Commit(map[string]string{"tick/job.yaml": "name: tick\ncron: '* * * * *'\n" + file, "long/job.yaml": "name: long\n" + file})
	long, tick := y.repository.Job("long").Read(), y.repository.Job("tick").Read()
	under := long.Begin(nil)
	long.UntilLog(under.ID, "line 1")
	first := *tick.Until("it is due", func(now api.JobAnswer) bool { return now.NextAt != nil && time.Until(*now.NextAt) > 10*time.Second }).NextAt
	before := fires(tick, first)
	used := use(y.disk)

	if p := y.Problem(http.StatusServiceUnavailable, http.MethodPost, "/api/custom/jobs/"+string(long.ID)+"/run", nil); p.Code != "store.disk_full" || !strings.Contains(p.Detail, "DATA_DIR") {
		t.Errorf("refused with %+v", p)
	}
	rig.Until(t, patience, "its time has come", func() (bool, string) { return time.Since(first) > 5*time.Second, fmt.Sprint(first) })
	close(end)
	if run := long.Ended(under.ID); run.State != jobs.RunSucceeded {
		t.Errorf("the run that was under way ended %s: %s", run.State, run.Error)
	}
	if now := tick.Now(); !now.NextAt.Equal(first) || len(fires(tick, first)) != len(before) {
		t.Errorf("it fired without room: %+v, %v", now, fires(tick, first))
	}
	if !y.Log.Has("level=ERROR", "disk is full") {
		t.Errorf("the log says nothing of it:\n%s", y.Log.Tail(20))
	}

	if err := os.RemoveAll(used); err != nil {
		t.Fatal(err)
	}
	rig.Until(t, patience, "each of its times fired once or was given up", func() (bool, string) {
		now, fired := tick.Now(), fires(tick, first)
		for at, n := range fired {
			if n != 1 {
				t.Fatalf("%v fired %d times", at, n)
			}
		}
		times := int(now.NextAt.Sub(first) / time.Minute)
		return times > 0 && len(fired)+now.Missed == times, fmt.Sprintf("%d times came, %v fired, %d missed", times, fired, now.Missed)
	})
	for _, run := range tick.Runs() {
		if now := tick.Ended(run.ID); now.State != jobs.RunSucceeded {
			t.Errorf("run %+v", now)
		}
	}
}

// fires returns how often each time of a job's schedule fired, from one on.
func fires(j *rig.Job, from time.Time) map[time.Time]int {
	fired := map[time.Time]int{}
	for _, run := range j.Runs() {
		if run.Trigger == jobs.TriggerCron && !run.ScheduledAt.Before(from) {
			fired[run.ScheduledAt]++
		}
	}
	return fired
}
