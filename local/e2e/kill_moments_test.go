package e2e_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// moment is one instant in the course of a deployment. Either hold makes the course stop
// there, or reached waits until it is there; with neither, it is as soon as the wish was accepted.
type moment struct {
	name    string
	atGit   bool // the server is held, not the worker
	unwell  bool // the new container is not healthy before somebody sees to it
	before  func(*yard)
	hold    func(*yard) *rig.Hold
	reached func(*yard, core.DeploymentID)
}

var moments = []moment{
	{name: "queued"},
	{name: "fetched", atGit: true, hold: atGit(true)},
	{name: "dispatched", before: (*yard).freezeWorker, reached: (*yard).dispatched},
	{name: "pulling", hold: atEngine(false, http.MethodGet, "/images/")},
	{name: "created", hold: atEngine(true, http.MethodPost, "/containers/create")},
	{name: "removed", hold: atEngine(true, http.MethodDelete, "/containers/")},
	{name: "started", hold: atEngine(true, http.MethodPost, "/start")},
	{name: "verifying", unwell: true, reached: (*yard).verifying},
	{name: "with its result journaled", hold: atEngine(false, http.MethodPost, "/start"), reached: (*yard).resultJournaled},
}

func atGit(after bool) func(*yard) *rig.Hold {
	return func(y *yard) *rig.Hold { return y.site.GitGate.Hold(after, func(*http.Request) bool { return true }) }
}

func atEngine(after bool, method, path string) func(*yard) *rig.Hold {
	return func(y *yard) *rig.Hold {
		return y.engine.Hold(after, func(r *http.Request) bool { return r.Method == method && strings.Contains(r.URL.Path, path) })
	}
}

// held waits until the course of the deployment has come to where it is held.
func (y *yard) held(m moment) {
	y.t.Helper()
	select {
	case <-y.hold.Held:
	case <-time.After(limit):
		y.t.Fatalf("the deployment never was %s\n%s\n%s", m.name, y.site.Server.Tail(), y.site.Worker.Tail())
	}
}

// letGo ends what is held: the call of one who was killed comes to nothing.
func (y *yard) letGo(m moment, victim kill.Victim) {
	caller := kill.Worker
	if m.atGit {
		caller = kill.Server
	}
	if victim == caller || victim == kill.Both {
		y.hold.Drop()
		return
	}
	y.hold.Release()
}

// freezeWorker keeps the worker from hearing anything.
func (y *yard) freezeWorker() { y.site.Worker.Signal(syscall.SIGSTOP) }

// dispatched waits until the command is stored and its worker is to have it.
func (y *yard) dispatched(id core.DeploymentID) {
	y.t.Helper()
	y.untilPhase(id, stacks.PhaseDispatch)
}

// verifying waits until the new container was started and is being watched.
func (y *yard) verifying(id core.DeploymentID) {
	y.t.Helper()
	y.untilPhase(id, stacks.PhaseVerify)
}

func (y *yard) untilPhase(id core.DeploymentID, phase stacks.PhaseName) {
	y.t.Helper()
	rig.Until(y.t, limit, string(phase)+" runs", func() (bool, string) {
		var d api.DeploymentAnswer
		y.site.Must(http.MethodGet, "/api/custom/deployments/"+string(id), nil, &d)
		for _, p := range d.Phases {
			if p.Name == phase && p.State == stacks.PhaseRunning {
				return true, ""
			}
		}
		return false, quote(d)
	})
}

// resultJournaled freezes the server, lets the worker go on, and waits until it has written how it ended.
func (y *yard) resultJournaled(core.DeploymentID) {
	y.t.Helper()
	journal := filepath.Join(y.site.WorkerDir(), "journal")
	count := func() int {
		text, err := os.ReadFile(journal)
		if err != nil {
			y.t.Fatal(err)
		}
		return bytes.Count(text, []byte(`"kind":"result"`))
	}
	y.site.Server.Signal(syscall.SIGSTOP)
	before := count()
	y.hold.Release()
	rig.Until(y.t, limit, "the result is journaled", func() (bool, string) { return count() > before, "" })
}
