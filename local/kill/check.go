package kill

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/hub/worker/journal"
)

// Settle waits until nothing is under way, and checks that all is as it must be. Server and
// worker run, and nobody asks for anything meanwhile.
func (l *Load) Settle() {
	t := l.Site.T
	t.Helper()
	for _, id := range l.Open() {
		d := l.ended(id)
		if d.State != stacks.DeploymentSucceeded && d.State != stacks.DeploymentSuperseded {
			t.Errorf("the accepted deployment %s ended %s (%s): %s", id, d.State, d.ErrorCode, d.Error)
		}
		l.closed(id)
	}
	for id, n := range l.Host.Made() {
		if n > 1 {
			t.Errorf("deployment %s made %d containers, it may make one", id, n)
		}
	}
	for _, stack := range l.Stacks {
		l.equal(stack)
	}
	l.settleRuns()
	l.noneOpen()
	l.journalEmpty()
	l.logsClean()
}

// ended waits until a deployment has ended.
func (l *Load) ended(id core.DeploymentID) (d api.DeploymentAnswer) {
	l.Site.T.Helper()
	l.until(fmt.Sprintf("deployment %s has ended", id), func() (bool, string) {
		d = get[api.DeploymentAnswer](l.Site, "/api/custom/deployments/"+string(id))
		return d.State.Ended(), fmt.Sprintf("%+v", d)
	})
	return d
}

// equal waits until the server shows of a stack what its host has: the same containers, of the
// revision that is in place.
func (l *Load) equal(stack *Stack) {
	l.Site.T.Helper()
	path := "/api/custom/stacks/" + string(stack.ID)
	l.until("stack "+stack.Project+" shows what runs", func() (bool, string) {
		runs := l.Host.Runs(stack.Project)
		now := get[api.StackAnswer](l.Site, path)
		shown := map[string]string{}
		for _, service := range get[api.ServicesAnswer](l.Site, path+"/services").Items {
			for _, c := range service.Containers {
				if c.State == "running" {
					shown[c.ID] = strconv.Itoa(c.Revision)
				}
			}
		}
		ok := now.Status == stacks.StatusActive && len(runs) == 1 && maps.Equal(runs, shown)
		for _, revision := range runs {
			ok = ok && revision == strconv.Itoa(now.Revision)
		}
		return ok, fmt.Sprintf("on the host %v, shown %v, stack %+v", runs, shown, now)
	})
}

// noneOpen checks the database itself: it is whole, and nothing in it waits.
func (l *Load) noneOpen() {
	l.Site.T.Helper()
	db := l.Site.open("ro")
	defer db.Close()
	for query, want := range map[string]string{
		"PRAGMA integrity_check": "ok",
		"SELECT count(*) FROM commands WHERE state NOT IN ('succeeded', 'failed', 'cancelled')":                                                                "0",
		"SELECT count(*) FROM deployments WHERE state IN ('queued', 'running')":                                                                                "0",
		"SELECT count(*) FROM job_runs WHERE state IN ('queued', 'running')":                                                                                   "0",
		"SELECT count(*) FROM (SELECT run_id FROM commands WHERE run_id <> '' AND epoch > 0 GROUP BY run_id HAVING count(*) > 1)":                              "0",
		"SELECT count(*) FROM (SELECT job_id FROM job_runs WHERE \"trigger\" = 'cron' GROUP BY job_id, scheduled_at HAVING count(*) > 1)":                      "0",
		"SELECT count(*) FROM (SELECT deployment_id FROM commands WHERE deployment_id <> '' GROUP BY deployment_id HAVING count(*) > 1)":                       "0",
		"SELECT count(*) FROM (SELECT id FROM deployments d WHERE state = 'succeeded' AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.deployment_id = d.id))": "0",
	} {
		l.until(query, func() (bool, string) {
			var got string
			if err := db.QueryRow(query).Scan(&got); err != nil {
				return false, err.Error()
			}
			return got == want, got
		})
	}
}

// journalEmpty waits until every result was acknowledged, and reads a copy of the worker's journal.
func (l *Load) journalEmpty() {
	l.Site.T.Helper()
	copied := filepath.Join(l.Site.T.TempDir(), "journal")
	l.until("the worker's journal is empty", func() (bool, string) {
		content, err := os.ReadFile(filepath.Join(l.Site.WorkerDir(), "journal"))
		if err == nil {
			err = os.WriteFile(copied, content, 0o600)
		}
		if err != nil {
			return false, err.Error()
		}
		j, recovery, err := journal.Open(copied)
		if err != nil {
			return false, err.Error()
		}
		defer j.Close()
		return recovery.Aside == "" && len(j.Entries()) == 0, fmt.Sprintf("%+v %+v", recovery, j.Entries())
	})
}

// logsClean checks that neither side met with something that must not be.
func (l *Load) logsClean() {
	t := l.Site.T
	t.Helper()
	for _, name := range []string{"server.log", "worker.log"} {
		text, err := os.ReadFile(filepath.Join(l.Site.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, never := range []string{"panic", "goroutine ", "the journal was damaged", "records of stacks cannot be read", "with another body"} {
			if at := strings.Index(string(text), never); at >= 0 {
				t.Errorf("%s tells of %q: %s", name, never, text[at:min(len(text), at+1000)])
			}
		}
	}
}

func (l *Load) until(what string, holds func() (bool, string)) {
	l.Site.T.Helper()
	last := ""
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		ok, seen := holds()
		if ok {
			return
		}
		last = seen
	}
	l.Site.T.Fatalf("%s: not within %v; last seen: %s\n%s", what, patience, last, l.Site.logs())
}
