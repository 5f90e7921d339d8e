package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// TestJobs proves what the program promises of jobs, each on its own repository but all on one server with two workers.
func TestJobs(t *testing.T) {
	t.Parallel()
	server := rig.Start(t, rig.Options{})
	workers := []*rig.Worker{server.Worker("left", "both"), server.Worker("right", "both")}
	for sentence, prove := range map[string]func(*testing.T, *rig.Server){
		"variables, secrets, files and words reach the container as they are": runGetsItsValues,
		"a new commit changes the next run, not the one that runs":            commitChangesTheNextRun,
		"a job fires at its time, once":                                       jobFires,
		"a run is cancelled, times out, or takes too much memory":             runIsEnded,
		"runs that overlap are skipped, wait, or replace each other":          runsOverlap,
		"a run that failed is tried again, with a pause":                      runIsTriedAgain,
		"a job runs on the worker with its tags, or on all of them":           jobRunsByTags,
		"R14: what looks like an option is a word":                            optionsAreWords,
		"a broken job.yaml is named with its line, and does not run":          brokenJob,
		"what a run is to use and is not there is named":                      whatIsMissing,
		"a volume is kept from one run to the next":                           volumeIsKept,
		"a deployment waits for the jobs of its stack":                        deploymentWaits,
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			prove(t, server.For(t))
		})
	}
	t.Cleanup(func() {
		for _, w := range workers {
			if !t.Failed() && w.Log.Has("panicked") {
				t.Errorf("a worker's log tells of a defect:\n%s", w.Log.Tail(50))
			}
		}
	})
}

// job is a job.yaml for the image of the tests, with more lines.
func job(t *testing.T, more ...string) string {
	t.Helper()
	lines := []string{"name: test", "image: " + rig.Image(t), "network: none", "resources: {cpu: 0.5, memory: 64m, timeout: 10m}"}
	for _, line := range more {
		key, _, _ := strings.Cut(line, ":")
		lines = append(withoutEarlier(lines, key, len(lines)), line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// shell is the line of a job.yaml that has a script run.
func shell(script string) string { return "command: [sh, -c, " + strconv.Quote(script) + "]" }

// until makes a script wait for a file, which release makes.
const waitForRelease = "while [ ! -e /tmp/released ]; do sleep 0.05; done"

func release(t *testing.T, run core.RunID) {
	t.Helper()
	rig.Docker(t, "exec", jobs.ContainerName(run), "sh", "-c", "mkdir -p /tmp; touch /tmp/released")
}

func wantRun(t *testing.T, run api.RunAnswer, state jobs.RunState, code string, exit int) {
	t.Helper()
	if run.State != state || run.ErrorCode != code || (run.ExitCode != nil) != (exit >= 0) || exit >= 0 && *run.ExitCode != exit {
		t.Errorf("the run is %+v; want %s %q, exit code %d", run, state, code, exit)
	}
}

func runGetsItsValues(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"nightly/job.yaml": job(t, shell("cat /etc/app.conf; echo \"secret: $SECRET_0\"; echo \"given: $GIVEN\"; "+waitForRelease),
		"configs: [{file: ../shared/app.conf, target: /etc/app.conf}]"), "shared/app.conf": "color = blue\n"})
	j := repository.Job("nightly").Read()
	want := map[string]string{}
	set := func(name, value string, secret bool) {
		want[name] = value
		j.Set(name, value, secret)
	}
	for i, value := range awkward {
		set(fmt.Sprintf("PLAIN_%d", i), value, false)
		if value != "" {
			set(fmt.Sprintf("SECRET_%d", i), value+"-hidden", true)
		}
	}
	set("REPLACED", "as stored", false)
	global := rig.Post[api.VariableAnswer](s.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeGlobal, Name: "GLOBAL_" + strings.ToUpper(strings.ReplaceAll(j.Name, "-", "_")), Value: "global value"}, http.StatusCreated)
	if answer := s.Ask(http.MethodPut, "/api/custom/jobs/"+string(j.ID)+"/global-variables", api.BindVariablesRequest{IDs: []core.VariableID{global.ID}}); answer.Status != http.StatusOK {
		t.Fatalf("bind: %d %s", answer.Status, answer.Body)
	}
	want[global.Name], want["REPLACED"], want["GIVEN"] = "global value", "for this run alone", "$given `value`"

	run := j.Running(j.Begin(map[string]string{"REPLACED": want["REPLACED"], "GIVEN": want["GIVEN"]}).ID)
	c, found := rig.RunContainer(t, run.ID)
	if !found {
		t.Fatal("the run has no container")
	}
	got := map[string]string{}
	for _, entry := range c.Config.Env {
		name, value, _ := strings.Cut(entry, "=")
		got[name] = value
	}
	delete(got, "PATH")
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s arrived as %q, it is %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d variables arrived, want %d", len(got), len(want))
	}
	if c.Config.Labels["dev.berth.run"] != string(run.ID) || c.Config.Labels["dev.berth.job"] != string(j.ID) || c.Config.Labels["dev.berth.commit"] != string(run.Commit) {
		t.Errorf("labels %v", c.Config.Labels)
	}
	release(t, run.ID)
	run = j.Ended(run.ID)
	wantRun(t, run, jobs.RunSucceeded, "", 0)
	if !slices.Equal(run.Overrides, []string{"GIVEN", "REPLACED"}) || run.Trigger != jobs.TriggerAPI || run.DurationMS == nil {
		t.Errorf("the run is shown as %+v", run)
	}
	log := j.LogOf(run.ID)
	for _, text := range []string{"color = blue\n", "secret: [secret]\n", "given: [secret]\n"} {
		if text != "given: [secret]\n" && !strings.Contains(log, text) {
			t.Errorf("the log lacks %q: %s", text, log)
		}
	}
	rig.Until(t, rig.Soon, "the container is removed", func() (bool, string) {
		_, found := rig.RunContainer(t, run.ID)
		return !found, ""
	})
	if now := j.Now(); now.LastSuccessAt == nil || now.LastState == nil || *now.LastState != jobs.RunSucceeded {
		t.Errorf("the job is shown as %+v", now)
	}
}

func commitChangesTheNextRun(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"job.yaml": job(t, shell("echo first; "+waitForRelease+"; cat /conf"), "configs: [{file: conf, target: /conf}]"), "conf": "one\n"})
	j := repository.Job("").Read()
	first := j.Running(j.Begin(nil).ID)
	commit := repository.Commit(map[string]string{"job.yaml": job(t, shell("echo second; cat /conf"), "configs: [{file: conf, target: /conf}]", "overlap: queue"), "conf": "two\n"})
	j.At(commit)
	release(t, first.ID)
	wantRun(t, j.Ended(first.ID), jobs.RunSucceeded, "", 0)
	if log := j.LogOf(first.ID); !strings.Contains(log, "first\n") || !strings.Contains(log, "one\n") || strings.Contains(log, "two") {
		t.Errorf("the run of the commit before said %q", log)
	}
	second := j.Run(nil)
	if log := j.LogOf(second.ID); second.Commit != commit || !strings.HasSuffix(log, "second\ntwo\n") {
		t.Errorf("the next run, %+v, said %q", second, log)
	}
}

func jobFires(t *testing.T, s *rig.Server) {
	j := s.Repository(map[string]string{"job.yaml": job(t, "cron: '* * * * *'", "timezone: Europe/Madrid", shell("echo on time"))}).Job("").Read()
	due := j.Until("the job is due", func(now api.JobAnswer) bool { return now.NextAt != nil }).NextAt
	if due.Second() != 0 || len(j.Now().NextTimes) == 0 {
		t.Errorf("it is due at %v", due)
	}
	var run api.RunAnswer
	rig.Until(t, 2*rig.Soon, "the job has fired", func() (bool, string) {
		for _, r := range j.Runs() {
			if r.ScheduledAt.Equal(*due) {
				run = r
			}
		}
		return run.ID != "" && run.State.Ended(), fmt.Sprintf("%+v", run)
	})
	wantRun(t, run, jobs.RunSucceeded, "", 0)
	if late := run.QueuedAt.Sub(run.ScheduledAt); run.Trigger != jobs.TriggerCron || run.Actor != "system" || late < 0 || late > 30*time.Second || !strings.Contains(j.LogOf(run.ID), "on time\n") {
		t.Errorf("the run, %v late, is %+v", late, run)
	}
	times := map[time.Time]int{}
	for _, r := range j.Runs() {
		times[r.ScheduledAt]++
	}
	for at, n := range times {
		if n != 1 {
			t.Errorf("%v fired %d times", at, n)
		}
	}
}

func runIsEnded(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{
		"cancel/job.yaml":  job(t, shell("trap 'echo stopping; exit 9' TERM; echo up; while :; do sleep 0.05; done")),
		"timeout/job.yaml": job(t, shell("trap 'echo too slow; exit 0' TERM; echo up; while :; do sleep 0.05; done"), "resources: {cpu: 0.5, memory: 64m, timeout: 2s}"),
		"memory/job.yaml":  job(t, shell("sleep 1; tail /dev/zero; code=$?; sleep 1; exit $code"), "resources: {cpu: 0.5, memory: 8m, timeout: 1m}"), // the engine hears of it before and as long as the container lives
	})
	cancelled := repository.Job("cancel").Read()
	run := cancelled.Begin(nil)
	cancelled.UntilLog(run.ID, "up\n")
	run = cancelled.Cancel(run.ID)
	wantRun(t, run, jobs.RunCancelled, "run.cancelled", 9)
	if log := cancelled.LogOf(run.ID); !strings.Contains(log, "stopping\n") || run.CancelledBy == "" {
		t.Errorf("by %q; the log is %q", run.CancelledBy, log)
	}
	slow := repository.Job("timeout").Read()
	run = slow.Run(nil)
	wantRun(t, run, jobs.RunFailed, "run.timeout", 0)
	if log := slow.LogOf(run.ID); !strings.Contains(log, "too slow\n") || !strings.Contains(run.Error, "timeout of 2s") {
		t.Errorf("%+v; the log is %q", run, log)
	}
	wantRun(t, repository.Job("memory").Read().Run(nil), jobs.RunFailed, "run.out_of_memory", 137)
}

func runsOverlap(t *testing.T, s *rig.Server) {
	long := shell("echo $GIVEN; " + waitForRelease)
	repository := s.Repository(map[string]string{
		"skip/job.yaml": job(t, long), "queue/job.yaml": job(t, long, "overlap: queue"), "replace/job.yaml": job(t, long, "overlap: replace"),
	})
	skip := repository.Job("skip").Read()
	first := skip.Running(skip.Begin(nil).ID)
	wantRun(t, skip.Run(nil), jobs.RunSkipped, "run.overlap", -1)
	release(t, first.ID)
	wantRun(t, skip.Ended(first.ID), jobs.RunSucceeded, "", 0)

	queue := repository.Job("queue").Read()
	first = queue.Running(queue.Begin(nil).ID)
	second := queue.Begin(nil)
	if _, found := rig.RunContainer(t, second.ID); found || queue.UntilRun(second.ID, "the second run waits", func(r api.RunAnswer) bool { return r.State == jobs.RunQueued }).StartedAt != nil {
		t.Error("the second run did not wait")
	}
	release(t, first.ID)
	wantRun(t, queue.Ended(first.ID), jobs.RunSucceeded, "", 0)
	queue.Running(second.ID)
	release(t, second.ID)
	wantRun(t, queue.Ended(second.ID), jobs.RunSucceeded, "", 0)

	replace := repository.Job("replace").Read()
	first = replace.Running(replace.Begin(nil).ID)
	second = replace.Begin(map[string]string{"GIVEN": "the newer one"})
	replaced := replace.Ended(first.ID)
	wantRun(t, replaced, jobs.RunCancelled, "run.replaced", 143)
	running := replace.Running(second.ID)
	if running.StartedAt.Before(*replaced.FinishedAt) {
		t.Errorf("the newer run began at %v, before the older one had ended at %v", running.StartedAt, replaced.FinishedAt)
	}
	release(t, second.ID)
	wantRun(t, replace.Ended(second.ID), jobs.RunSucceeded, "", 0)
}

func runIsTriedAgain(t *testing.T, s *rig.Server) {
	j := s.Repository(map[string]string{"job.yaml": job(t, shell("echo trying; exit 3"), "retries: {count: 2, backoff: 1s}")}).Job("").Read()
	first := j.Run(nil)
	wantRun(t, first, jobs.RunFailed, "run.exit", 3)
	var all []api.RunAnswer
	rig.Until(t, rig.Soon, "three attempts", func() (bool, string) {
		all = j.Runs()
		return len(all) == 3 && all[0].State.Ended(), fmt.Sprintf("%+v", all)
	})
	slices.Reverse(all)
	for i, run := range all {
		wantRun(t, run, jobs.RunFailed, "run.exit", 3)
		if run.Attempt != i+1 || !run.ScheduledAt.Equal(first.ScheduledAt) || run.FireID != first.ID || i > 0 && (run.RetryOf != all[i-1].ID || run.StartedAt.Sub(*all[i-1].FinishedAt) < time.Duration(i)*time.Second) {
			t.Errorf("attempt %d is %+v", i+1, run)
		}
	}
}

func jobRunsByTags(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"left/job.yaml": job(t, "tags: [left]", shell("true")), "right/job.yaml": job(t, "tags: [both, right]", shell("true")),
		"all/job.yaml": job(t, "tags: [both]", "mode: once_all", shell("true")), "nobody/job.yaml": job(t, "tags: [nobody]", "start_deadline: 2s", shell("true"))})
	left, right := repository.Job("left").Read().Run(nil), repository.Job("right").Read().Run(nil)
	if left.WorkerID == "" || right.WorkerID == "" || left.WorkerID == right.WorkerID {
		t.Errorf("they ran on %q and %q", left.WorkerID, right.WorkerID)
	}
	all := repository.Job("all").Read()
	first := all.Run(nil)
	var runs []api.RunAnswer
	rig.Until(t, rig.Soon, "it ran on both", func() (bool, string) {
		runs = all.Runs()
		return len(runs) == 2 && runs[0].State.Ended() && runs[1].State.Ended(), fmt.Sprintf("%+v", runs)
	})
	for _, run := range runs {
		wantRun(t, run, jobs.RunSucceeded, "", 0)
		if run.FireID != first.FireID {
			t.Errorf("it is of another fire: %+v", run)
		}
	}
	if on := []core.WorkerID{runs[0].WorkerID, runs[1].WorkerID}; !slices.Contains(on, left.WorkerID) || !slices.Contains(on, right.WorkerID) {
		t.Errorf("it ran on %v", on)
	}
	wantRun(t, repository.Job("nobody").Read().Run(nil), jobs.RunSkipped, "run.no_worker", -1)
}

func optionsAreWords(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{
		"image/job.yaml": job(t, "image: --privileged"),
		"words/job.yaml": job(t, "command: -v /:/host alpine"),
		"shell/job.yaml": job(t, "command: [echo, '$HOME', ';', '`id`', '&&', '--privileged', '|']"),
	})
	broken := repository.Job("image")
	broken.Until("the image is refused", func(now api.JobAnswer) bool {
		return now.ErrorCode == "job.invalid" && strings.Contains(now.Error, "image")
	})
	if p := broken.Problem(http.StatusConflict, http.MethodPost, "/api/custom/jobs/"+string(broken.ID)+"/run", nil); p.Code != "job.not_ready" {
		t.Errorf("it may run: %+v", p)
	}
	words := repository.Job("words").Read()
	run := words.Run(nil)
	wantRun(t, run, jobs.RunFailed, "run.exit", 127) // there is no program called -v
	echo := repository.Job("shell").Read()
	run = echo.Run(nil)
	if log := echo.LogOf(run.ID); !strings.HasSuffix(log, "$HOME ; `id` && --privileged |\n") {
		t.Errorf("the words became %q", log)
	}
}

func brokenJob(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"job.yaml": job(t, "cron: '* * * * *'", shell("true"))})
	j := repository.Job("").Read()
	repository.Commit(map[string]string{"job.yaml": job(t, shell("true")) + "schedule: often\n"})
	now := j.Until("the job is broken", func(now api.JobAnswer) bool { return now.ErrorCode != "" })
	if now.ErrorCode != "job.invalid" || !strings.Contains(now.Error, "schedule") || !strings.Contains(now.Error, "6") || now.Definition == nil || now.Definition.Cron != "* * * * *" || now.NextAt != nil {
		t.Errorf("it is shown as %+v", now)
	}
	if p := j.Problem(http.StatusConflict, http.MethodPost, "/api/custom/jobs/"+string(j.ID)+"/run", nil); p.Code != "job.not_ready" {
		t.Errorf("it may run: %+v", p)
	}
	j.At(repository.Commit(map[string]string{"job.yaml": job(t, shell("echo well again"))}))
	wantRun(t, j.Run(nil), jobs.RunSucceeded, "", 0)
}

func whatIsMissing(t *testing.T, s *rig.Server) {
	network := rig.Name()
	repository := s.Repository(map[string]string{"network/job.yaml": job(t, "network: "+network, shell("true")),
		"folder/job.yaml": job(t, "volumes: ['/srv/"+network+":/data']", shell("true")), "image/job.yaml": job(t, "image: 127.0.0.1:1/none:1", shell("true"))})
	j := repository.Job("network").Read()
	run := j.Run(nil)
	wantRun(t, run, jobs.RunFailed, "run.network_missing", -1)
	if !strings.Contains(run.Error, network) {
		t.Errorf("it says %q", run.Error)
	}
	rig.Docker(t, "network", "create", "--internal", network)
	t.Cleanup(func() { rig.Docker(t, "network", "rm", network) })
	wantRun(t, j.Run(nil), jobs.RunSucceeded, "", 0)
	run = repository.Job("folder").Read().Run(nil)
	wantRun(t, run, jobs.RunFailed, "run.start", -1)
	if !strings.Contains(run.Error, "/srv/"+network) {
		t.Errorf("it says %q", run.Error)
	}
	wantRun(t, repository.Job("image").Read().Run(nil), jobs.RunFailed, "engine.image", -1)
}

func volumeIsKept(t *testing.T, s *rig.Server) {
	volume, folder := rig.Name(), t.TempDir()
	t.Cleanup(func() { rig.Docker(t, "volume", "rm", "--force", volume) })
	j := s.Repository(map[string]string{"job.yaml": job(t, "volumes: ['"+volume+":/data', '"+folder+":/host']", shell("echo run >> /data/runs; cat /data/runs; cat /data/runs > /host/runs; touch /readonly"))}).Job("").Read()
	j.Run(nil)
	second := j.Run(nil)
	if log := j.LogOf(second.ID); !strings.HasSuffix(log, "run\nrun\n") {
		t.Errorf("the second run saw %q", log)
	}
	rig.RemoveRuns(t, j.ID) // or the volume could not be removed
	if text, err := os.ReadFile(filepath.Join(folder, "runs")); string(text) != "run\nrun\n" {
		t.Errorf("on the host there is %q, %v", text, err)
	}
}

func deploymentWaits(t *testing.T, s *rig.Server) {
	name := rig.Name()
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web")), "app/wireops.yaml": "version: wireops.v1\nname: " + name + "\njobs: {wait_running: true}\n",
		"app/nightly/job.yaml": job(t, shell(waitForRelease))})
	j := repository.Job("app/nightly").Read()
	run := j.Running(j.Begin(nil).ID)
	stack := repository.Stack(api.CreateStackRequest{Path: "app", Name: name})
	var seen api.DeploymentDetail
	rig.Until(t, rig.Soon, "the deployment waits, and says for what", func() (bool, string) {
		seen = rig.Get[api.DeploymentDetail](s.Client, "/api/custom/deployments/"+string(stack.First))
		text := fmt.Sprintf("%+v", seen)
		return strings.Contains(text, j.Name) || strings.Contains(text, string(run.ID)), text
	})
	if len(stack.Containers()) != 0 || seen.State.Ended() {
		t.Error("it did not wait")
	}
	release(t, run.ID)
	j.Ended(run.ID)
	stack.Deployed()
}
