package jobs

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
)

// begun is a run that began a minute before noon.
func begun(change func(*Run)) Run {
	r := opened("1+")[0]
	r.StartedAt, r.Actor, r.Overrides = noon.Add(-time.Minute), "ada", []string{"A"}
	r.Definition.Retries = Retries{Count: 2, Backoff: 10 * time.Second}
	if change != nil {
		change(&r)
	}
	return r
}

func TestSettle(t *testing.T) {
	three := 3
	for sentence, c := range map[string]struct {
		run   func(*Run)
		word  Word
		want  Outcome // without Run, Command and Retry
		retry bool
	}{
		"it ended well":                 {nil, Word{State: RunSucceeded, ExitCode: new(int), Ran: time.Minute}, Outcome{State: RunSucceeded, ExitCode: new(int), StartedAt: noon.Add(-time.Minute), At: noon}, false},
		"the word came late":            {nil, Word{State: RunSucceeded, ExitCode: new(int), Ran: 20 * time.Second}, Outcome{State: RunSucceeded, ExitCode: new(int), StartedAt: noon.Add(-time.Minute), At: noon.Add(-40 * time.Second)}, false},
		"its start was told late":       {nil, Word{State: RunSucceeded, ExitCode: new(int), Ran: time.Hour}, Outcome{State: RunSucceeded, ExitCode: new(int), StartedAt: noon.Add(-time.Hour), At: noon}, false},
		"its start was not told":        {func(r *Run) { r.StartedAt = time.Time{} }, Word{State: RunSucceeded, ExitCode: new(int), Ran: time.Second}, Outcome{State: RunSucceeded, ExitCode: new(int), StartedAt: noon.Add(-time.Second), At: noon}, false},
		"it failed":                     {nil, Word{State: RunFailed, Code: "run.exit", Error: "exit code 3", ExitCode: &three, Ran: time.Minute}, Outcome{State: RunFailed, ErrorCode: "run.exit", Error: "exit code 3", ExitCode: &three, StartedAt: noon.Add(-time.Minute), At: noon}, true},
		"it never began":                {func(r *Run) { r.StartedAt = time.Time{} }, Word{State: RunFailed, Code: "engine.image", Error: "no such image"}, Outcome{State: RunFailed, ErrorCode: "engine.image", Error: "no such image", At: noon}, true},
		"the policy forbids it":         {nil, Word{State: RunFailed, Code: "run.refused", Error: "x"}, Outcome{State: RunFailed, ErrorCode: "run.refused", Error: "x", At: noon}, false},
		"it failed for the last time":   {func(r *Run) { r.Attempt = 3 }, Word{State: RunFailed, Code: "run.exit", Error: "x"}, Outcome{State: RunFailed, ErrorCode: "run.exit", Error: "x", At: noon}, false},
		"it failed as it was stopped":   {func(r *Run) { r.Cancelling = true }, Word{State: RunFailed, Code: "run.exit", Error: "x"}, Outcome{State: RunFailed, ErrorCode: "run.exit", Error: "x", At: noon}, false},
		"it was stopped":                {func(r *Run) { r.Cancelling, r.CancelledBy = true, "bob" }, Word{State: RunCancelled, Error: "cancelled", Ran: time.Minute}, Outcome{State: RunCancelled, ErrorCode: "run.cancelled", Error: "cancelled", StartedAt: noon.Add(-time.Minute), At: noon, Actor: "bob"}, false},
		"a newer one took its place":    {func(r *Run) { r.Cancelling, r.CancelledBy = true, "system" }, Word{State: RunCancelled, Code: "command.cancelled", Error: "cancelled", Ran: time.Minute}, Outcome{State: RunCancelled, ErrorCode: "run.replaced", Error: "A newer run of the job took its place, as overlap: replace in job.yaml wants it, and its container was stopped.", StartedAt: noon.Add(-time.Minute), At: noon, Actor: "system"}, false},
		"nobody knows, and says why":    {nil, Word{State: RunLost, Error: "the host was lost"}, Outcome{State: RunLost, ErrorCode: "run.lost", Error: "the host was lost", At: noon}, false},
		"the word is none":              {nil, Word{State: "dancing"}, Outcome{State: RunLost, ErrorCode: "run.lost", Error: "Its worker was interrupted and found no container of it afterwards, so nobody can tell how it ended. Look at what it was to do before you run the job again.", At: noon}, false},
		"an end that is only under way": {nil, Word{State: RunRunning, Error: "x"}, Outcome{State: RunLost, ErrorCode: "run.lost", Error: "x", At: noon}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			r := begun(c.run)
			got := Settle(r, c.word, noon)
			if (got.Retry != nil) != c.retry {
				t.Errorf("it is followed by %+v", got.Retry)
			}
			c.want.Run, c.want.Command, c.want.Retry = r.ID, r.Command, got.Retry
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
			if !got.State.Ended() {
				t.Error("it has not ended")
			}
		})
	}
}

func TestFail(t *testing.T) {
	got := Fail(begun(nil), fault.New(fault.Unavailable, "secret.unresolved", "vault is away: A, B").Because(errors.New("hunter2")), noon)
	if got.State != RunFailed || got.ErrorCode != "secret.unresolved" || got.Error != "vault is away: A, B" || !got.At.Equal(noon) || got.Run != "run_01" || got.Retry == nil {
		t.Errorf("%+v", got)
	}
}

func TestRetry(t *testing.T) {
	for sentence, c := range map[string]struct {
		run   func(*Run)
		state RunState
		pause time.Duration // zero: none follows
	}{
		"after the first":                {nil, RunFailed, 10 * time.Second},
		"after the second":               {func(r *Run) { r.Attempt = 2 }, RunFailed, 20 * time.Second},
		"after the fifth":                {func(r *Run) { r.Attempt, r.Definition.Retries.Count = 5, 10 }, RunFailed, 160 * time.Second},
		"never more than an hour":        {func(r *Run) { r.Attempt, r.Definition.Retries = 10, Retries{10, time.Minute} }, RunFailed, time.Hour},
		"nor for a row that says more":   {func(r *Run) { r.Definition.Retries.Backoff = 200 * time.Hour }, RunFailed, time.Hour},
		"after the last that was asked":  {func(r *Run) { r.Attempt = 3 }, RunFailed, 0},
		"when none was asked for":        {func(r *Run) { r.Definition.Retries.Count = 0 }, RunFailed, 0},
		"when it ended well":             {nil, RunSucceeded, 0},
		"when it was cancelled":          {nil, RunCancelled, 0},
		"when it is lost":                {nil, RunLost, 0},
		"when it was skipped":            {nil, RunSkipped, 0},
		"when somebody wants it to stop": {func(r *Run) { r.Cancelling = true }, RunFailed, 0},
		"on all, with the same worker":   {func(r *Run) { r.Definition.Mode = ModeOnceAll }, RunFailed, 10 * time.Second},
	} {
		t.Run(sentence, func(t *testing.T) {
			r := begun(c.run)
			next := r.Retry(c.state, noon)
			if c.pause == 0 || next == nil {
				if next != nil || c.pause != 0 {
					t.Errorf("it is followed by %+v", next)
				}
				return
			}
			want := Run{ID: next.ID, Fire: r.Fire, Job: r.Job, State: RunQueued, Trigger: TriggerRetry, Actor: "ada", ScheduledAt: r.ScheduledAt, Commit: r.Commit, Definition: r.Definition, Overrides: r.Overrides,
				RetryOf: r.ID, Attempt: r.Attempt + 1, NotBefore: noon.Add(c.pause), QueuedAt: noon}
			if r.Definition.Mode == ModeOnceAll {
				want.Worker = r.Worker
			}
			if !reflect.DeepEqual(*next, want) || !core.ValidID(core.PrefixRun, string(next.ID)) {
				t.Errorf("got %+v\nwant %+v", *next, want)
			}
		})
	}
}
