//go:build realearlier

package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// earlier is the path of a program that was built from an earlier commit.
func earlier(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("BERTH_EARLIER"), name)
	if _, err := os.Stat(path); err != nil || os.Getenv("BERTH_EARLIER") == "" {
		t.Fatalf("BERTH_EARLIER names no folder with the programs local and worker of an earlier commit; make test-real builds them: %v", err)
	}
	return path
}

// TestRealEarlierWorker has a worker of an earlier release do all that a worker does for this server.
func TestRealEarlierWorker(t *testing.T) {
	s := rig.Start(t, rig.Options{})
	worksTogether(t, s, s.WorkerOf(earlier(t, "worker")))
}

// TestRealEarlierServer has this worker do all of that for an earlier server.
func TestRealEarlierServer(t *testing.T) {
	s := rig.Start(t, rig.Options{Program: earlier(t, "local")})
	worksTogether(t, s, s.Worker())
}

// worksTogether plays what a server asks of a worker.
func worksTogether(t *testing.T, s *rig.Server, w *rig.Worker) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [TOKEN]"), box(t, "other")), "app/site/index.html": "one",
		"nightly/job.yaml": job(t, shell("echo token: ${#TOKEN}; exit 3"))})
	stack := repository.Manual(w.ID, "app")
	stack.SetSecret("TOKEN", "canary-of-the-token")
	stack.Synced()
	before := stack.Containers()
	checkEnvironment(t, before["web"], map[string]string{"TOKEN": "canary-of-the-token"})
	if page := before["web"].Read(t, "/site/index.html"); page != "one" {
		t.Errorf("it shows %q", page)
	}
	repository.Commit(map[string]string{"app/site/index.html": "two"})
	stack.Synced()
	after := stack.Containers()
	wantAnew(t, before, after, "web")
	if page := after["web"].Read(t, "/site/index.html"); page != "two" {
		t.Errorf("it shows %q", page)
	}
	repository.Commit(map[string]string{"app/site/index.html": "two", "app/compose.yaml": compose(box(t, "web", "command: [no-such-program]"), box(t, "other"))})
	if d := stack.Sync(); d.State == stacks.DeploymentSucceeded || d.ErrorCode == "" {
		t.Errorf("what cannot start is %s", d.State)
	}
	stack.Until("the last good revision again", func(now api.StackAnswer) bool { return stack.Containers()["web"].State.Status == "running" })
	repository.Commit(map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [TOKEN]"), box(t, "other"))})
	stack.Synced()

	stack.Act("other", "stop")
	shows(t, stack, "other", "exited")
	stack.Act("other", "start")
	shows(t, stack, "other", "running")
	if answer := stack.Logs("web", "10"); answer.Status != http.StatusOK {
		t.Errorf("its log is %d %s", answer.Status, answer.Body)
	}
	rig.Docker(t, "rm", "--force", stack.Container("other").ID)
	stack.Until("what was removed by hand shows", func(now api.StackAnswer) bool { return now.Drifted })
	stack.Synced()

	j := repository.Job("nightly").Read()
	j.Set("TOKEN", "canary-of-the-job", true)
	run := j.Run(nil)
	wantRun(t, run, jobs.RunFailed, "run.exit", 3)
	if log := j.LogOf(run.ID); !strings.Contains(log, "token: 17") {
		t.Errorf("it logged %q", log)
	}

	key := s.IssueKey(s.Account(access.RoleMonitoring), time.Time{})
	scraper := s.Client
	scraper.Key = key.Key
	if answer := scraper.Ask(http.MethodGet, "/api/custom/workers/"+string(w.ID)+"/metrics", nil); answer.Status != http.StatusOK || !strings.Contains(string(answer.Body), "berth_") {
		t.Errorf("its metrics are %d %.300s", answer.Status, answer.Body)
	}

	kept := stack.Containers()
	w.Stop()
	w.Online(false)
	w.Run()
	w.Online(true)
	wantAnew(t, kept, stack.Containers())
	s.Stop()
	s.Run()
	w.Online(true)
	wantAnew(t, kept, stack.Containers())
	stack.Until("it is active", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive && !now.Drifted })
	stack.Delete("?teardown=true")
	rig.Until(t, rig.Deploying, "nothing of it runs", func() (bool, string) { return len(stack.Containers()) == 0, "it runs" })
	for who, log := range map[string]*rig.Log{"server": s.Log, "worker": w.Log} {
		for _, word := range []string{"panic", "violat", "is not understood"} {
			if log.Has(word) {
				t.Errorf("the %s's log tells of %q:\n%s", who, word, log.Tail(40))
			}
		}
	}
}

// TestRealEarlierUpgrade has an installation that an earlier release made become this one: the server first, then its worker.
func TestRealEarlierUpgrade(t *testing.T) {
	s := rig.Start(t, rig.Options{Program: earlier(t, "local")})
	w := s.WorkerOf(earlier(t, "worker"))
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [TOKEN]")), "app/site/index.html": "one",
		"nightly/job.yaml": job(t, shell("echo ran"))})
	stack := repository.On(w.ID, "app")
	stack.Deployed()
	stack.SetSecret("TOKEN", "canary-of-the-token")
	stack.Synced()
	j := repository.Job("nightly").Read()
	first := j.Run(nil)
	before := stack.Containers()
	checkEnvironment(t, before["web"], map[string]string{"TOKEN": "canary-of-the-token"})

	s.Stop()
	s.Become("")
	s.Run()
	w.Online(true)
	wantAnew(t, before, stack.Containers())
	if all := rig.Get[api.BackupsAnswer](s.Client, "/api/custom/backups"); len(all.Items) != 1 || all.Items[0].Reason != "before-upgrade" {
		t.Errorf("the backups are %+v", all.Items)
	}
	stack.At(repository.Commit(map[string]string{"app/site/index.html": "by the new server"}))
	if runs := j.Runs(); len(runs) != 1 || runs[0].ID != first.ID {
		t.Errorf("the runs are %+v", runs)
	}

	between := stack.Containers()
	w.Stop()
	w.Online(false)
	w.Become("")
	w.Run()
	w.Online(true)
	wantAnew(t, between, stack.Containers())
	stack.At(repository.Commit(map[string]string{"app/site/index.html": "by the new worker"}))
	web := stack.Container("web")
	checkEnvironment(t, web, map[string]string{"TOKEN": "canary-of-the-token"})
	if page := web.Read(t, "/site/index.html"); page != "by the new worker" {
		t.Errorf("it shows %q", page)
	}
	wantRun(t, j.Run(nil), jobs.RunSucceeded, "", 0)
}
