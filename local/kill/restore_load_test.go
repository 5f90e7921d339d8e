package kill

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// atOnce is how many deployments are open when a backup is made, and again when it is restored.
const atOnce = 50

// restored is an installation that goes back to a backup while much is under way.
type restored struct {
	*Lane
	host   Folder
	backup api.BackupAnswer
	inIt   []core.DeploymentID // open in the backup
	after  []core.DeploymentID // open when it was restored, and unknown to it

	release func() // lets the engine go on
}

// B12: a backup that was made while 50 deployments and some runs were open is restored while 50 others are, which it does
// not know. What was open in it ends and is not begun again, what it does not know is not done any more, the worker
// comes back, nothing is torn down, and the next deployment of each stack puts its newest commit in place. Runs go on as before.
func TestB12ARestoreWhileFiftyDeploymentsRun(t *testing.T) {
	t.Parallel()
	s := New(t)
	host := Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}
	r := &restored{Lane: NewLane(s, host, Names(atOnce), 12), host: host}
	r.backedUp()
	running := r.unknown()
	r.back()
	r.checkDeployments(running)
	r.checkRuns()
	r.goesOn()
}

// backedUp makes the backup while deployments of all stacks, and runs, are open, and lets those end.
func (r *restored) backedUp() {
	r.Site.T.Helper()
	release := r.host.Hold()
	r.inIt = r.askAll()
	r.withWorker()
	for range 20 {
		r.askRun()
	}
	if open := r.Site.query("SELECT count(*) FROM deployments WHERE state IN ('queued', 'running')"); open != fmt.Sprint(atOnce) {
		r.Site.T.Fatalf("%s deployments are open", open)
	}
	r.Site.Must(http.MethodPost, "/api/custom/backups", nil, &r.backup)
	release()
	r.Settle()
}

// unknown asks for what the backup does not know, and returns which container of each project runs.
func (r *restored) unknown() map[string]map[string]string {
	r.Site.T.Helper()
	running := map[string]map[string]string{}
	for _, stack := range r.Stacks {
		running[stack.Project] = r.host.Runs(stack.Project)
	}
	r.release = r.host.Hold()
	r.after = r.askAll()
	r.withWorker()
	for range 20 {
		r.askRun()
	}
	return running
}

// askAll commits to every stack and asks for a deployment of each.
func (r *restored) askAll() []core.DeploymentID {
	r.Site.T.Helper()
	for i, stack := range r.Stacks {
		r.commit(stack.Project)
		r.until("a deployment is accepted", func() (bool, string) {
			r.ask(stack, "/sync", nil)
			return len(r.Open()) == i+1, fmt.Sprint(r.Open())
		})
	}
	return r.Open()
}

// withWorker waits until each deployment has its command, as many as the hub gives a worker at a time are with it, and its
// engine holds the first of them.
func (r *restored) withWorker() {
	r.Site.T.Helper()
	r.until("all have their command", func() (bool, string) {
		n := r.Site.query("SELECT count(*) FROM commands WHERE deployment_id <> '' AND ended_at = 0")
		accepted := r.Site.query("SELECT count(*) FROM commands WHERE deployment_id <> '' AND state = 'accepted'")
		return n == fmt.Sprint(atOnce) && accepted != "0", n + " of them, accepted " + accepted
	})
}

// back restores the backup and waits until the worker is linked and has been told of every command that it had.
func (r *restored) back() {
	r.Site.T.Helper()
	epoch := r.Site.query("SELECT epoch FROM workers")
	r.Site.Must(http.MethodPost, "/api/custom/backups/"+r.backup.Name+"/restore", nil, nil)
	r.until("what was restored is there", func() (bool, string) {
		var all endpoint.Items[struct{ Action string }]
		_, err := r.Site.Ask(http.MethodGet, "/api/custom/audit-events?limit=50", nil, &all)
		for _, e := range all.Items {
			if err == nil && e.Action == "backup.restored" {
				return true, ""
			}
		}
		return false, fmt.Sprint(err)
	})
	r.mu.Lock() // what was asked for until now was promised by a server that is no more
	r.accepted, r.runs = map[core.DeploymentID]bool{}, map[core.RunID]*asked{}
	r.mu.Unlock()
	r.until("the worker is back", func() (bool, string) {
		all := get[endpoint.Items[api.WorkerAnswer]](r.Site, "/api/custom/workers").Items
		return len(all) == 1 && all[0].Online, fmt.Sprintf("%+v", all)
	})
	if now := r.Site.query("SELECT epoch FROM workers"); len(now) < len(epoch) || now <= epoch {
		r.Site.T.Errorf("the epoch of the worker's link was %s and is %s", epoch, now)
	}
	r.journalEmpty()
	r.release()
}

// checkDeployments sees what became of those that were open, and that nothing was torn down.
func (r *restored) checkDeployments(running map[string]map[string]string) {
	t := r.Site.T
	t.Helper()
	for _, id := range r.inIt {
		d := r.ended(id)
		if d.State != stacks.DeploymentFailed && d.State != stacks.DeploymentCancelled || d.ErrorCode != "backup.restored" {
			t.Errorf("deployment %s, which was open in the backup, is %s (%s)", id, d.State, d.ErrorCode)
		}
	}
	for _, id := range r.after {
		if status, err := r.Site.Ask(http.MethodGet, "/api/custom/deployments/"+string(id), nil, nil); status != http.StatusNotFound {
			t.Errorf("deployment %s, which the backup does not know: %d %v", id, status, err)
		}
		if n := r.host.Made()[id]; n != 0 {
			t.Errorf("deployment %s, which nobody knows any more, made %d containers", id, n)
		}
	}
	for _, stack := range r.Stacks {
		if now := r.host.Runs(stack.Project); fmt.Sprint(now) != fmt.Sprint(running[stack.Project]) {
			t.Errorf("of %s there ran %v, and now %v", stack.Project, running[stack.Project], now)
		}
		r.until(stack.Project+" is shown as drifted", func() (bool, string) {
			now := get[api.StackAnswer](r.Site, "/api/custom/stacks/"+string(stack.ID))
			return now.Drifted, fmt.Sprintf("%+v", now)
		})
	}
	t.Logf("seed 12: %d deployments were open in the backup and ended, %d when it was restored and were not done", len(r.inIt), len(r.after))
}

// checkRuns sees that every run has ended, those that were open in the backup as lost, and that none was begun twice.
func (r *restored) checkRuns() {
	t := r.Site.T
	t.Helper()
	lost, mine := 0, map[core.JobID]bool{}
	for _, j := range r.Jobs {
		mine[j.ID] = true
		for _, run := range r.settled(j) {
			if run.State == jobs.RunLost && run.ErrorCode != "backup.restored" {
				t.Errorf("run %s of %s is lost: %s", run.ID, j.Kind, run.Error)
			}
			if run.State == jobs.RunLost {
				lost++
			}
		}
	}
	for id, n := range r.Host.RunStarts(mine) {
		if n > 1 {
			t.Errorf("the container of run %s was started %d times", id, n)
		}
	}
	if lost == 0 {
		t.Error("no run was open in the backup")
	}
	r.until("no container of a run is left", func() (bool, string) {
		left := r.Host.RunsLeft(mine)
		return len(left) == 0, strings.Join(left, " ")
	})
	t.Logf("seed 12: %d runs were open in the backup", lost)
}

// goesOn deploys every stack and runs every job once more.
func (r *restored) goesOn() {
	t := r.Site.T
	t.Helper()
	for range 20 {
		r.askRun()
		<-time.After(20 * time.Millisecond) // so that not all of a kind come at once
	}
	for _, id := range r.askAll() {
		if d := r.ended(id); d.State != stacks.DeploymentSucceeded {
			t.Errorf("after the restore, deployment %s ended %s (%s): %s", id, d.State, d.ErrorCode, d.Error)
		}
	}
	for _, stack := range r.Stacks {
		r.equal(stack)
	}
	r.mu.Lock()
	open := r.openRuns()
	r.mu.Unlock()
	if len(open) == 0 {
		t.Error("no run was accepted after the restore")
	}
	for _, id := range open {
		r.promised(id)
	}
	r.noneOpen()
	r.journalEmpty()
	r.logsClean()
}
