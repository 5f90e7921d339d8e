package kill

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// B12: a backup that was made while deployments and runs flow is restored while fifty and more others were asked for and many are under
// way. What was open ends and is not begun again, the worker comes back, and the next deployment of each stack puts its
// newest commit in place, whatever the worker ran by then.
func TestARestoreWhileDeploymentsRun(t *testing.T) {
	t.Parallel()
	s := New(t)
	l := NewLane(s, Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}, Names(8), 12)
	var b api.BackupAnswer
	open := ""
	underLoad(l, func() {
		l.asked(20)
		s.Must(http.MethodPost, "/api/custom/backups", nil, &b)
		l.asked(70)
		open = s.query("SELECT count(*) FROM deployments WHERE state IN ('queued', 'running')")
		s.Must(http.MethodPost, "/api/custom/backups/"+b.Name+"/restore", nil, nil)
	})
	l.until("what was restored is there", func() (bool, string) {
		var all endpoint.Items[struct{ Action string }]
		_, err := s.Ask(http.MethodGet, "/api/custom/audit-events?limit=50", nil, &all)
		for _, e := range all.Items {
			if err == nil && e.Action == "backup.restored" {
				return true, ""
			}
		}
		return false, ""
	})
	ended := s.query("SELECT count(*) FROM deployments WHERE error_code = 'backup.restored'")
	t.Logf("seed 12: %d deployments accepted, %s of them open when the restore was asked for, %s when the backup was made", l.Accepted, open, ended)
	if wrong := s.query("SELECT count(*) FROM deployments WHERE error_code = 'backup.restored' AND state NOT IN ('failed', 'cancelled')"); wrong != "0" {
		t.Errorf("%s deployments did not end as failed or cancelled", wrong)
	}
	l.mu.Lock() // what was asked for until now was promised by a server that is no more
	l.accepted, l.runs = map[core.DeploymentID]bool{}, map[core.RunID]*asked{}
	l.mu.Unlock()
	l.until("the worker is back", func() (bool, string) {
		all := get[endpoint.Items[api.WorkerAnswer]](s, "/api/custom/workers").Items
		return len(all) == 1 && all[0].Online, ""
	})
	for _, stack := range l.Stacks {
		l.commit(stack.Project)
		l.ask(stack, "/sync", nil)
	}
	for _, id := range l.Open() {
		if d := l.ended(id); d.State != stacks.DeploymentSucceeded {
			t.Errorf("after the restore, deployment %s ended %s (%s): %s", id, d.State, d.ErrorCode, d.Error)
		}
	}
	for _, stack := range l.Stacks {
		l.equal(stack)
	}
	l.noneOpen()
	l.journalEmpty()
}

// asked waits until so many deployments were accepted.
func (l *Load) asked(n int) {
	l.Site.T.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		l.mu.Lock()
		now := l.Accepted
		l.mu.Unlock()
		if now >= n {
			return
		}
	}
	l.Site.T.Fatalf("%d deployments were not accepted within %v", n, patience)
}
