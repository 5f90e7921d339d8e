package jobs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// noon is now in these tests: a Wednesday.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// hourly is a job that is due at noon, with a change.
func hourly(change func(*Job)) Job {
	j := Job{ID: "job_1", Commit: "c1", NextAt: noon, FiredAt: noon.Add(-time.Hour), Configs: []ConfigFile{{Target: "/a"}},
		Definition: leastRead(func(d *Definition) { d.Cron = "@hourly" })}
	if change != nil {
		change(&j)
	}
	return j
}

// crew are workers of which each has one open run more than the one before it.
func crew(names ...string) *Roster {
	var all []Candidate
	for i, name := range names {
		id, tags, _ := strings.Cut(name, ":")
		all = append(all, Candidate{Worker: core.WorkerID(id), Tags: strings.Fields(tags), Open: i})
	}
	return NewRoster(all)
}

func TestFire(t *testing.T) {
	for sentence, c := range map[string]struct {
		job    func(*Job)
		now    time.Time
		at     time.Time // that fires; zero: nothing does
		missed int
		next   time.Time
		fired  time.Time // FiredAt; zero: as stored
	}{
		"on time":                                               {nil, noon, noon, 0, noon.Add(time.Hour), noon},
		"a moment late":                                         {nil, noon.Add(time.Second), noon, 0, noon.Add(time.Hour), noon},
		"before its time":                                       {nil, noon.Add(-time.Second), time.Time{}, 0, noon, time.Time{}},
		"never due by itself":                                   {func(j *Job) { j.NextAt = time.Time{} }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"as late as it may be":                                  {func(j *Job) { j.Definition.Cron = "0 12 * * *" }, noon.Add(time.Hour), noon, 0, noon.Add(24 * time.Hour), noon},
		"later than it may be":                                  {func(j *Job) { j.Definition.Cron = "0 12 * * *" }, noon.Add(time.Hour + 1), time.Time{}, 1, noon.Add(24 * time.Hour), noon},
		"the newest of eight hours":                             {nil, noon.Add(8*time.Hour + time.Minute), noon.Add(8 * time.Hour), 8, noon.Add(9 * time.Hour), noon.Add(8 * time.Hour)},
		"the newest of a year":                                  {nil, noon.AddDate(1, 0, 0), noon.AddDate(1, 0, 0), MaxMissed - 1, noon.AddDate(1, 0, 0).Add(time.Hour), noon.AddDate(1, 0, 0)},
		"a yearly job, months late":                             {func(j *Job) { j.Definition.Cron = "0 12 4 3 *" }, noon.AddDate(0, 5, 0), time.Time{}, 1, noon.AddDate(1, 0, 0), noon},
		"a yearly job, three years late":                        {func(j *Job) { j.Definition.Cron = "0 12 4 3 *" }, noon.AddDate(3, 0, 0).Add(time.Minute), noon.AddDate(3, 0, 0), 3, noon.AddDate(4, 0, 0), noon.AddDate(3, 0, 0)},
		"while it is paused":                                    {func(j *Job) { j.Paused = true }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"while its file is broken":                              {func(j *Job) { j.ErrorCode = "job.invalid" }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"before it was read":                                    {func(j *Job) { j.Commit = "" }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"with a cron that is none":                              {func(j *Job) { j.Definition.Cron = "x" }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"on demand only by now":                                 {func(j *Job) { j.Definition.Cron = "" }, noon, time.Time{}, 0, time.Time{}, time.Time{}},
		"the clock was set back an hour":                        {func(j *Job) { j.FiredAt = noon.Add(time.Hour) }, noon, time.Time{}, 0, noon.Add(2 * time.Hour), time.Time{}},
		"the clock was set back two days":                       {func(j *Job) { j.FiredAt = noon.Add(48 * time.Hour) }, noon, time.Time{}, 0, noon.Add(49 * time.Hour), time.Time{}},
		"it fired in a year to come, by a clock that was wrong": {func(j *Job) { j.FiredAt = noon.AddDate(1, 0, 0) }, noon, noon, 0, noon.Add(time.Hour), noon},
	} {
		t.Run(sentence, func(t *testing.T) {
			j := hourly(c.job)
			f := Fire(j, nil, crew("wrk_1"), c.now)
			if !f.At.Equal(c.at) || f.Missed != c.missed || !f.Next.Equal(c.next) || !f.FiredAt.Equal(c.fired) {
				t.Errorf("it fires %s, misses %d, is due %s, and %s is done with\nwant %s, %d, %s, %s", f.At, f.Missed, f.Next, f.FiredAt, c.at, c.missed, c.next, c.fired)
			}
			if wants := !c.at.IsZero(); wants != (len(f.Runs) == 1) || len(f.Replace) != 0 {
				t.Fatalf("runs %+v, replaced %v", f.Runs, f.Replace)
			} else if !wants {
				return
			}
			want := Run{ID: f.Runs[0].Run.ID, Fire: f.Runs[0].Run.ID, Job: "job_1", State: RunQueued, Trigger: TriggerCron, Actor: "system", ScheduledAt: f.At, Commit: "c1", Definition: j.Definition, Configs: j.Configs,
				Worker: "wrk_1", Command: f.Runs[0].Run.Command, Attempt: 1, QueuedAt: c.now}
			cmd := f.Runs[0].Command
			if !reflect.DeepEqual(f.Runs[0].Run, want) || !core.ValidID(core.PrefixRun, string(want.ID)) || !core.ValidID(core.PrefixCommand, string(want.Command)) {
				t.Errorf("the run is %+v\nwant %+v", f.Runs[0].Run, want)
			}
			if cmd == nil || !reflect.DeepEqual(*cmd, stacks.Command{ID: want.Command, Attempt: 1, Worker: "wrk_1", Kind: stacks.CommandRun, Run: want.ID, State: stacks.CommandQueued, CreatedAt: c.now,
				Body: stacks.CommandBody{Seconds: 25 * 60}}) {
				t.Errorf("the command is %+v", cmd)
			}
		})
	}
}

func TestAJobIsDueAfterItWasReadAgain(t *testing.T) {
	for sentence, c := range map[string]struct {
		job  func(*Job)
		want time.Time
	}{
		"a new one is due next":                       {func(j *Job) { j.NextAt, j.FiredAt = time.Time{}, time.Time{} }, noon.Add(time.Hour)},
		"what is due now stays due":                   {nil, noon},
		"what came and did not fire yet stays due":    {func(j *Job) { j.NextAt, j.FiredAt = noon.Add(-2*time.Hour), noon.Add(-3*time.Hour) }, noon.Add(-2 * time.Hour)},
		"what fired already is not due again":         {func(j *Job) { j.FiredAt = noon }, noon.Add(time.Hour)},
		"what the new schedule does not have is gone": {func(j *Job) { j.Definition.Cron = "30 * * * *" }, noon.Add(30 * time.Minute)},
		"a time to come is looked for anew":           {func(j *Job) { j.NextAt = noon.AddDate(1, 0, 0) }, noon.Add(time.Hour)},
		"not before what fired by a clock set back":   {func(j *Job) { j.FiredAt = noon.Add(5 * time.Hour) }, noon.Add(6 * time.Hour)},
		"a clock that was a year ahead is forgotten":  {func(j *Job) { j.FiredAt, j.NextAt = noon.AddDate(1, 0, 0), noon.AddDate(1, 0, 0).Add(time.Hour) }, noon.Add(time.Hour)},
		"paused": {func(j *Job) { j.Paused = true }, time.Time{}},
		"resumed, it does not make up for what it missed": {func(j *Job) { j.NextAt, j.FiredAt = time.Time{}, noon.AddDate(0, 0, -3) }, noon.Add(time.Hour)},
		"broken":                                 {func(j *Job) { j.ErrorCode = "job.invalid" }, time.Time{}},
		"not read":                               {func(j *Job) { j.Commit = "" }, time.Time{}},
		"on demand only":                         {func(j *Job) { j.Definition.Cron = "" }, time.Time{}},
		"with a zone that is not there any more": {func(j *Job) { j.Definition.Timezone = "Europe/Atlantis" }, time.Time{}},
	} {
		if got := hourly(c.job).Due(noon); !got.Equal(c.want) {
			t.Errorf("%s: due %s, want %s", sentence, got, c.want)
		}
	}
}

// opened are open runs of fires in that order; "+" says that a run has its command, and "!" that it is being stopped.
func opened(marks ...string) (open []Run) {
	for _, mark := range marks {
		id := core.RunID("run_0" + strings.TrimRight(mark, "+!"))
		r := Run{ID: id, Fire: id, Job: "job_1", State: RunQueued, Trigger: TriggerManual, ScheduledAt: noon.Add(-time.Minute), Commit: "c1", Attempt: 1, Definition: hourly(nil).Definition}
		if strings.Contains(mark, "+") {
			r.State, r.Command, r.Worker = RunRunning, "cmd_0", "wrk_1"
		}
		r.Cancelling = strings.Contains(mark, "!")
		open = append(open, r)
	}
	return open
}

func TestWhatIsOpenWhenATimeComes(t *testing.T) {
	many := make([]string, MaxWaiting)
	for i := range many {
		many[i] = strings.Repeat("a", i+1)
	}
	for sentence, c := range map[string]struct {
		overlap Overlap
		open    []Run
		state   RunState
		code    string
		begins  bool
		replace []core.RunID
	}{
		"nothing, and runs may not overlap":  {OverlapSkip, nil, RunQueued, "", true, nil},
		"nothing, and runs wait":             {OverlapQueue, nil, RunQueued, "", true, nil},
		"nothing, and runs replace":          {OverlapReplace, nil, RunQueued, "", true, nil},
		"skip while one runs":                {OverlapSkip, opened("1+"), RunSkipped, "run.overlap", false, nil},
		"skip while one waits":               {OverlapSkip, opened("1"), RunSkipped, "run.overlap", false, nil},
		"skip while one is being stopped":    {OverlapSkip, opened("1+!"), RunSkipped, "run.overlap", false, nil},
		"queue behind one that runs":         {OverlapQueue, opened("1+"), RunQueued, "", false, nil},
		"queue behind 99 that wait":          {OverlapQueue, opened(append(many[:99:99], "z+")...), RunQueued, "", false, nil},
		"queue behind 100 that wait":         {OverlapQueue, opened(many...), RunSkipped, "run.queue_full", false, nil},
		"replace one that runs":              {OverlapReplace, opened("1+"), RunQueued, "", false, []core.RunID{"run_01"}},
		"replace all that is open":           {OverlapReplace, opened("1+", "2", "3"), RunQueued, "", false, []core.RunID{"run_01", "run_02", "run_03"}},
		"replace what is being stopped only": {OverlapReplace, opened("1+!"), RunQueued, "", false, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			f := Fire(hourly(func(j *Job) { j.Definition.Overlap = c.overlap }), c.open, crew("wrk_1"), noon)
			if len(f.Runs) != 1 || !f.At.Equal(noon) || !slices.Equal(f.Replace, c.replace) {
				t.Fatalf("%+v", f)
			}
			r := f.Runs[0].Run
			if r.State != c.state || r.ErrorCode != c.code || (f.Runs[0].Command != nil) != c.begins || (r.Command != "") != c.begins || (r.Worker != "") != c.begins {
				t.Errorf("the run is %s %s with the command %v", r.State, r.ErrorCode, f.Runs[0].Command)
			}
			if r.State.Ended() != (r.FinishedAt.Equal(noon) && r.Error != "") {
				t.Errorf("it ended at %s: %s", r.FinishedAt, r.Error)
			}
		})
	}
}

func TestTheWorkersOfAFire(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*Definition)
		roster *Roster
		want   string
	}{
		"once goes to the one with the fewest runs": {nil, crew("wrk_1", "wrk_2", "wrk_3"), "wrk_1"},
		"once goes to one with all tags":            {func(d *Definition) { d.Tags = []string{"eu", "ssd"} }, crew("wrk_1:eu", "wrk_2:ssd", "wrk_3:ssd eu x"), "wrk_3"},
		"on all goes to each with all tags":         {func(d *Definition) { d.Mode, d.Tags = ModeOnceAll, []string{"eu"} }, crew("wrk_1:eu", "wrk_2:us", "wrk_3:eu"), "wrk_1 wrk_3"},
		"on all goes to everyone":                   {func(d *Definition) { d.Mode = ModeOnceAll }, crew("wrk_3", "wrk_2", "wrk_1"), "wrk_1 wrk_2 wrk_3"},
		"nobody has the tags":                       {func(d *Definition) { d.Tags = []string{"eu"} }, crew("wrk_1:us"), ""},
		"nobody is there":                           {nil, crew(), ""},
		"nobody is there for all":                   {func(d *Definition) { d.Mode = ModeOnceAll }, crew(), ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			f := Fire(hourly(func(j *Job) {
				if c.change != nil {
					c.change(&j.Definition)
				}
			}), nil, c.roster, noon)
			var workers []string
			ids := map[core.RunID]bool{}
			for _, start := range f.Runs {
				ids[start.Run.ID] = true
				if start.Run.Fire != f.Runs[0].Run.ID {
					t.Errorf("run %s is of the fire %s", start.Run.ID, start.Run.Fire)
				}
				if (start.Command == nil) != (start.Run.Worker == "") || start.Command != nil && (start.Command.Worker != start.Run.Worker || start.Command.Run != start.Run.ID) {
					t.Errorf("run %+v has the command %+v", start.Run, start.Command)
				}
				workers = append(workers, string(start.Run.Worker))
			}
			if got := strings.Join(workers, " "); got != c.want || len(ids) != len(f.Runs) {
				t.Errorf("it goes to %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatThePolicyRefusesByNowDoesNotBegin(t *testing.T) {
	f := Fire(hourly(func(j *Job) { j.Definition.Image = "--privileged" }), nil, crew("wrk_1"), noon)
	if len(f.Runs) != 1 || f.Runs[0].Command != nil || f.Runs[0].Run.State != RunFailed || f.Runs[0].Run.ErrorCode != "run.refused" || !strings.Contains(f.Runs[0].Run.Error, "image: ") {
		t.Errorf("%+v", f.Runs)
	}
}
