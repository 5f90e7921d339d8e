package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/jobs"
	"berth/core/variables"
)

func TestHowAJobStandsIsSaidInWords(t *testing.T) {
	runs := sampleRuns(6)
	fresh, read := troubled()["new"], sampleJob()
	read.LastState = ""
	lost, skipped := sampleJob(), sampleJob()
	lost.LastState, skipped.LastState = jobs.RunLost, jobs.RunSkipped
	once := troubled()["missed"]
	once.Missed = 1
	for name, c := range map[string]struct {
		job  jobs.Job
		why  string
		head string
		href string
	}{
		"well":            {sampleJob(), "The last run ended well.", "The last run ended well.", ""},
		"broken":          {troubled()["broken"], "Its newest commit cannot be used. jobs/backup/job.yaml has 2 problems: cron: line 3: it has 4 fields; five are read: minute, hour, day of the month, month, day of the week. And 1 more.", "Its newest commit cannot be used.", ""},
		"failing":         {troubled()["failing"], "The last run failed. The container ended with exit code 3.", "The last run failed. The container ended with exit code 3.", "/job-runs/run_04"},
		"lost":            {lost, "Nobody knows how the last run ended.", "Nobody knows how the last run ended.", ""},
		"no worker came":  {skipped, "The last run did not begin.", "The last run did not begin.", ""},
		"missed":          {troubled()["missed"], "4 times were missed, and are not made up for: they were too long ago, or a newer one came.", "Some of its times were missed.", ""},
		"missed one":      {once, "One time was missed, and is not made up for: it was too long ago, or a newer one came.", "Some of its times were missed.", ""},
		"paused":          {troubled()["paused"], "It does not run by itself until somebody resumes it.", "It does not run by itself until somebody resumes it.", ""},
		"not read yet":    {fresh, "Its job.yaml was not read yet.", "Its job.yaml was not read yet.", ""},
		"has not run yet": {read, "It has not run yet.", "It has not run yet.", ""},
	} {
		head := jobHeadOf(c.job, runs, tabOverview)
		if got := whyJob(c.job, runs); got != c.why || head.Why != c.head || head.WhyHref != c.href {
			t.Errorf("%s: %q, at the top %q %q", name, got, head.Why, head.WhyHref)
		}
	}
}

// A list has no room for all that is wrong with a file.
func TestALongTextAmongOthersEndsBetweenTwoWords(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"short":          {"Line 2: wrong.", "Line 2: wrong."},
		"just so long":   {strings.Repeat("x", brief), strings.Repeat("x", brief)},
		"words":          {strings.Repeat("wrong; ", 50), strings.TrimSuffix(strings.Repeat("wrong; ", 34), "; ") + " …"},
		"one long word":  {strings.Repeat("x", brief+1), strings.Repeat("x", brief) + " …"},
		"between a rune": {"x" + strings.Repeat("é", brief), "x" + strings.Repeat("é", brief/2-1) + " …"},
	} {
		if got := briefly(c.text); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
	j := troubled()["broken"]
	j.Error = strings.Repeat("line 7: resources.timeout is required; ", 20)
	if why := whyJob(j, nil); len(why) > brief+60 || !strings.HasSuffix(why, " …") {
		t.Errorf("the list says %q", why)
	}
}

func TestHowOftenARunIsTriedAgainInWords(t *testing.T) {
	for want, r := range map[string]jobs.Retries{
		"it is not tried again":                        {},
		"tried again once, after 10 s":                 {Count: 1, Backoff: 10 * time.Second},
		"tried again up to 3 times, first after 1 min": {Count: 3, Backoff: time.Minute},
	} {
		if got := retryWords(r); got != want {
			t.Errorf("%+v: %q; want %q", r, got, want)
		}
	}
}

// A time of the job's zone is told as its clock shows it, also when that is changed between two of them.
func TestTheNextTimesAreToldByBothClocks(t *testing.T) {
	j := sampleJob()
	j.Definition.Cron = "30 2 * * *"
	beforeSpring := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	times := timesOf(j, beforeSpring)
	var there, iso []string
	for _, n := range times.Next {
		there, iso = append(there, n.There), append(iso, n.When.ISO)
	}
	// In the night of the 29th the hour from two to three is skipped: the time comes with its end.
	if want := []string{"Sat 28 Mar, 02:30 CET", "Sun 29 Mar, 03:00 CEST", "Mon 30 Mar, 02:30 CEST", "Tue 31 Mar, 02:30 CEST", "Wed 1 Apr, 02:30 CEST"}; !slices.Equal(there, want) {
		t.Errorf("by the job's clock they are %q", there)
	}
	if want := []string{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z", "2026-04-01T00:30:00Z"}; !slices.Equal(iso, want) {
		t.Errorf("in UTC they are %q", iso)
	}
	if times.Schedule == "" || times.UTC || times.Zone != "Europe/Zurich" {
		t.Errorf("the schedule is %+v", times)
	}
	for _, standing := range []string{"paused", "broken"} {
		if got := timesOf(troubled()[standing], sampleNow); len(got.Next) != 0 || got.Schedule == "" {
			t.Errorf("%s: %+v", standing, got)
		}
	}
	if got := jobLineOf(troubled()["paused"], nil, sampleNow, hubNotice{}); got.Next.ISO != "" || got.Ran || got.Paused {
		t.Errorf("a list says of a paused job %+v", got)
	}
	demand := sampleJob()
	demand.Definition.Cron = ""
	if got := scheduleWords(demand, timesOf(demand, sampleNow)); got != "on demand only" || scheduleWords(troubled()["new"], jobTimes{}) != "" {
		t.Errorf("without a cron text it says %q", got)
	}
}

func TestWhatARunWaitsFor(t *testing.T) {
	waiting := openRun(jobs.RunQueued)
	given, later, anywhere := waiting, waiting, waiting
	given.Command, later.NotBefore = "cmd_1", sampleNow.Add(time.Minute)
	anywhere.Definition.Tags = nil
	for name, c := range map[string]struct {
		run   jobs.Run
		ahead int
		want  string
	}{
		"it was given":          {given, 0, "It was given to its worker"},
		"another attempt":       {later, 3, "The attempt before failed."},
		"one is open":           {waiting, 1, "another run of the job is open"},
		"two are open":          {waiting, 2, "2 other runs of the job are open"},
		"nobody has the tags":   {waiting, 0, "has all the job's tags"},
		"nobody is online":      {anywhere, 0, "It waits for a worker that is online."},
		"its time has come now": {func() jobs.Run { r := later; r.NotBefore = sampleNow; return r }(), 0, "has all the job's tags"},
	} {
		if got := waitWords(c.run, c.ahead, sampleNow); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	ahead := sampleRuns(3)
	for i := range ahead {
		ahead[i].Fire, ahead[i].State = "run_00", jobs.RunRunning
	}
	waiting.Fire = "run_01"
	if p := sampleRunPage(waiting, ahead); p.Waits != "It waits for its turn: 3 other runs of the job are open." {
		t.Errorf("behind three it says %q", p.Waits)
	}
	for i := range ahead {
		ahead[i].Fire = waiting.Fire
	}
	if p := sampleRunPage(waiting, ahead); strings.Contains(p.Waits, "turn") {
		t.Errorf("behind runs of its own fire it says %q", p.Waits)
	}
}

func TestARunsPageLeadsToTheAttemptsAround(t *testing.T) {
	runs := sampleRuns(6)
	failed := sampleRunPage(runs[4], runs[:4])
	if failed.NextHref != "/job-runs/run_03" || !failed.Again || failed.Exit != "3" || failed.Trouble.Text != "The container ended with exit code 3." {
		t.Errorf("of the one that failed it says %+v", failed)
	}
	if again := sampleRunPage(runs[3], runs[:3]); again.BeforeHref != "/job-runs/run_04" || again.Cause != "Retry, attempt 2" || again.Again {
		t.Errorf("of the one after it says %+v", again)
	}
}

func TestARunOnAllWorkersNamesTheOthers(t *testing.T) {
	runs := sampleRuns(4)
	p := sampleRunPage(everywhere(runs[0]), besides(runs[1:]))
	if len(p.Others.Lines) != 2 || p.Others.Lines[0].Worker != "rack4-host2" || p.Others.Lines[1].Worker != "basement-nuc" {
		t.Errorf("beside it there are %+v", p.Others.Lines)
	}
	if p := sampleRunPage(runs[0], besides(runs[1:])); len(p.Others.Lines) != 0 {
		t.Errorf("a job of one worker has %+v beside it", p.Others.Lines)
	}
}

func TestTheClockOfARunStopsWithTheHub(t *testing.T) {
	away := hubNotice{Away: true}
	running, ended := openRun(jobs.RunRunning), sampleRuns(1)[0]
	for name, c := range map[string]struct {
		run  jobs.Run
		hub  hubNotice
		want string
	}{
		"it runs":                        {running, hubNotice{}, "50 s"},
		"it ran when the hub went away":  {running, away, notKnown},
		"it had ended when the hub left": {ended, away, "1 min 20 s"},
		"it waits":                       {openRun(jobs.RunQueued), away, ""},
	} {
		if got := runLineOf(c.run, sampleNow, c.hub).Took; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if p := pictureOf([]jobs.Run{running}, sampleNow, away); p.Top != "" || p.Text != "The only run so far: running." || p.Bars[0].H != barLeast {
		t.Errorf("it is drawn as %+v", p)
	}
}

func TestExitCodesAndLimitsInWords(t *testing.T) {
	for code, want := range map[int]string{0: "0", 3: "3", 127: "127, the command was not found", 137: "137, killed"} {
		if got := exitWords(jobs.Run{ExitCode: &code}); got != want {
			t.Errorf("%d is %q", code, got)
		}
	}
	for bytes, want := range map[int64]string{256 << 20: "256 MiB", 1 << 30: "1 GiB", 1536 << 20: "1536 MiB", 6_000_001: "6000001 bytes", 0: "0 bytes"} {
		if got := memoryWords(bytes); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
	if got := cpuWords(0.5) + cpuWords(2); got != "0.5 CPU2 CPU" {
		t.Errorf("processors are %q", got)
	}
}

func TestAVariableShowsWhoLoses(t *testing.T) {
	own := []variables.Variable{{ID: "var_1", Name: "B", Value: "1"}, {ID: "var_2", Name: "D"}}
	bound := []variables.Variable{{ID: "var_3", Name: "A"}, {ID: "var_4", Name: "B", Value: "2"}}
	var got []string
	for _, l := range seenLines(own, bound, "/jobs/job_1/variables", sampleNow) {
		got = append(got, l.Variable.Name+" "+l.From+" "+l.Loses+" "+l.Variable.Href)
	}
	if want := []string{"A global  /variables/var_3", "B this job  /jobs/job_1/variables/var_1", "B global this job /variables/var_4", "D this job  /jobs/job_1/variables/var_2"}; !slices.Equal(got, want) {
		t.Errorf("it is shown as %q", got)
	}
	for field, want := range map[string]variables.Owner{"stack-stk_1": variables.OfStack("stk_1"), "job-job_1": variables.OfJob("job_1"), "global-x": {}, "name": {}} {
		if o, is := ticked(field); is != (want != variables.Owner{}) || is && (o != want || tickOf(o) != field) {
			t.Errorf("the field %s is about %v, %t", field, o, is)
		}
	}
}
