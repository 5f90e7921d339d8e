package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/githost"
)

// runMoment is one instant in the course of a run. Either hold makes the course stop there, or reached waits until it
// is there; with neither, it is as soon as the wish was accepted.
type runMoment struct {
	name    string
	before  func(*runYard)
	hold    func(*yard) *rig.Hold
	reached func(*runYard, core.RunID)
	waits   bool // the container does not end before
	beyond  bool // it ends while what was killed is away
}

var runMoments = []runMoment{
	{name: "queued"},
	{name: "delivered", before: func(y *runYard) { y.freezeWorker() }, reached: (*runYard).sent},
	{name: "looked for", hold: atEngine(false, http.MethodGet, "/containers/berth-run")},
	{name: "to be made", hold: atEngine(false, http.MethodPost, "/containers/create")},
	{name: "made", hold: atEngine(true, http.MethodPost, "/containers/create")},
	{name: "to be started", hold: atEngine(false, http.MethodPost, "/start")},
	{name: "started", hold: atEngine(true, http.MethodPost, "/start")},
	{name: "running", waits: true, reached: (*runYard).running},
	{name: "running, and ending while it is away", waits: true, reached: (*runYard).running, beyond: true},
	{name: "with its result journaled", waits: true, reached: (*runYard).resultJournaled},
	{name: "to be removed", hold: atEngine(false, http.MethodDelete, "/containers/berth-run")},
}

// A real container of a run is begun again and again, and at each moment of that the server, the worker or both are
// killed with kill -9 and started again: 33 times in all. Each run is started once, and its exit code and all of its log are
// there.
func TestKilledWhileARunIsUnderWay(t *testing.T) {
	for _, victim := range []kill.Victim{kill.Server, kill.Worker, kill.Both} {
		t.Run("the "+string(victim), func(t *testing.T) {
			t.Parallel()
			y := startRunYard(t, script)
			for _, m := range runMoments {
				if t.Failed() {
					return
				}
				y.killAt(m, victim)
			}
		})
	}
}

// runYard is a yard with a job in the place of stacks.
type runYard struct {
	*yard
	job    core.JobID
	folder string // of the host, which the runs' containers have as /host
	number int    // of the newest run
}

const script = `echo "$NUMBER" >> /host/starts
echo "line 1"; echo "line 2"; echo "line 3" >&2
while [ ! -e "/host/go-$NUMBER" ]; do sleep 0.05; done
echo "line 4"; echo "line 5"
exit 7`

// startRunYard makes an installation with a job that runs a script.
func startRunYard(t *testing.T, script string) *runYard {
	t.Helper()
	y := &runYard{yard: &yard{t: t, site: kill.New(t), repository: rig.Name()}, folder: t.TempDir()}
	y.engine, y.dockerHost = rig.DockerGate(t)
	y.site.RunServer()
	y.site.SetUp()
	y.startWorker()
	file := job(t, shell(script), "volumes: ['"+y.folder+":/host']", "resources: {cpu: 1, memory: 64m, timeout: 5m}")
	if err := y.site.Git.Create(y.repository); err != nil {
		t.Fatal(err)
	}
	if _, err := y.site.Git.Apply(y.repository, "main", githost.Change{Files: map[string]string{"job.yaml": file}}); err != nil {
		t.Fatal(err)
	}
	var repository api.RepositoryAnswer
	y.site.Must(http.MethodPost, "/api/custom/repositories", api.CreateRepositoryRequest{Name: y.repository, URL: y.site.GitURL + y.site.Git.Path(y.repository), Branch: "main"}, &repository)
	var added api.JobAnswer
	y.site.Must(http.MethodPost, "/api/custom/jobs", api.CreateJobRequest{Name: y.repository, RepositoryID: repository.ID}, &added)
	y.job = added.ID
	t.Cleanup(func() { rig.RemoveRuns(t, y.job) })
	rig.Until(t, limit, "the job is read", func() (bool, string) {
		y.site.Must(http.MethodGet, "/api/custom/jobs/"+string(y.job), nil, &added)
		return added.Commit != "", quote(added)
	})
	return y
}

// killAt runs the job, kills at one moment of that, starts what was killed again, and checks how the run ended.
func (y *runYard) killAt(m runMoment, victim kill.Victim) {
	y.t.Helper()
	since := time.Time{}
	if victim == kill.Server { // or what is seen is the link of the worker before
		since = time.Now()
	}
	y.freshWorker(victim)
	y.online(since)
	y.number++
	y.t.Logf("run %d: %s, the %s killed", y.number, m.name, victim)
	if m.before != nil {
		m.before(y)
	}
	y.hold = nil
	if m.hold != nil {
		y.hold = m.hold(y.yard)
	}
	if !m.waits {
		y.letEnd()
	}
	var run api.RunAnswer
	y.site.Must(http.MethodPost, "/api/custom/jobs/"+string(y.job)+"/run", api.RunJobRequest{Variables: map[string]string{"NUMBER": fmt.Sprint(y.number)}}, &run)
	if y.hold != nil {
		y.held(moment{name: m.name})
	}
	if m.reached != nil {
		m.reached(y, run.ID)
	}
	y.kill(victim)
	if y.hold != nil {
		y.letGo(moment{}, victim)
	}
	if m.beyond {
		y.letEnd()
		rig.Until(y.t, limit, "the container has ended", func() (bool, string) {
			c, found := rig.RunContainer(y.t, run.ID)
			return !found || c.State.Status == "exited", quote(c)
		})
	}
	y.restart(victim)
	y.letEnd()
	y.wantOnce(m, victim, run.ID)
}

// online waits until the worker can be given runs, over a link that is newer than since.
func (y *runYard) online(since time.Time) {
	y.t.Helper()
	rig.Until(y.t, limit, "the worker is online", func() (bool, string) {
		var all endpoint.Items[api.WorkerAnswer]
		y.site.Must(http.MethodGet, "/api/custom/workers?online=true", nil, &all)
		return len(all.Items) == 1 && all.Items[0].ConnectedAt.After(since), quote(all)
	})
}

func (y *runYard) letEnd() {
	y.t.Helper()
	if err := os.WriteFile(filepath.Join(y.folder, fmt.Sprint("go-", y.number)), nil, 0o644); err != nil {
		y.t.Fatal(err)
	}
}

// wantOnce checks that the run has ended as its container did, which was started once, and that all of its log is there.
func (y *runYard) wantOnce(m runMoment, victim kill.Victim, id core.RunID) {
	y.t.Helper()
	var run api.RunAnswer
	rig.Until(y.t, limit, "the run has ended", func() (bool, string) {
		y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(id), nil, &run)
		return run.State.Ended(), quote(run)
	})
	what := fmt.Sprintf("%s, the %s killed", m.name, victim)
	if run.State != jobs.RunFailed || run.ErrorCode != "run.exit" || run.ExitCode == nil || *run.ExitCode != 7 || run.StartedAt == nil {
		y.t.Errorf("%s: the run is %+v", what, run)
	}
	started, err := os.ReadFile(filepath.Join(y.folder, "starts"))
	if n := strings.Count("\n"+string(started), fmt.Sprintf("\n%d\n", y.number)); err != nil || n != 1 {
		y.t.Errorf("%s: its container was started %d times (%v)", what, n, err)
	}
	var log api.RunLogAnswer
	y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(id)+"/log?limit=500", nil, &log)
	text := ""
	for _, piece := range log.Items {
		text += piece.Text
	}
	for n := range 5 {
		if line := fmt.Sprintf("line %d\n", n+1); strings.Count(text, line) != 1 {
			y.t.Errorf("%s: %q stands %d times in the log: %q", what, line, strings.Count(text, line), text)
		}
	}
	if strings.Contains(text, "missing") || strings.Contains(text, "twice") {
		y.t.Errorf("%s: the log is not certain: %q", what, text)
	}
	rig.Until(y.t, limit, "the container is removed", func() (bool, string) {
		c, found := rig.RunContainer(y.t, id)
		return !found, quote(c)
	})
}

// sent waits until the server has given the run to its worker, which does not hear it.
func (y *runYard) sent(id core.RunID) {
	y.t.Helper()
	rig.Until(y.t, limit, "the run is given to its worker", func() (bool, string) {
		var run api.RunAnswer
		y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(id), nil, &run)
		return run.WorkerID != "", quote(run)
	})
}

// running waits until the server has something of the run's log.
func (y *runYard) running(id core.RunID) {
	y.t.Helper()
	rig.Until(y.t, limit, "the log has lines", func() (bool, string) {
		var log api.RunLogAnswer
		y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(id)+"/log?limit=500", nil, &log)
		return strings.Contains(quote(log), "line 2"), quote(log)
	})
}

// resultJournaled waits until the container runs, freezes the server, lets the container end, and waits until the worker
// has written how it ended.
func (y *runYard) resultJournaled(id core.RunID) {
	y.t.Helper()
	count := func() int {
		text, err := os.ReadFile(filepath.Join(y.site.WorkerDir(), "journal"))
		if err != nil {
			y.t.Fatal(err)
		}
		return bytes.Count(text, []byte(`"kind":"result"`))
	}
	y.running(id)
	before := count()
	y.site.Server.Signal(syscall.SIGSTOP)
	y.letEnd()
	rig.Until(y.t, limit, "the result is journaled", func() (bool, string) { return count() > before, "" })
}
