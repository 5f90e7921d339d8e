package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/githost"
)

// limit bounds whatever these tests wait for.
const limit = 90 * time.Second

// yard is an installation in processes of its own, on this machine's container engine: one
// stack whose container is replaced, and one that nobody is to touch.
type yard struct {
	t          *testing.T
	site       *kill.Site
	engine     *rig.Gate
	dockerHost string
	host       *kill.Docker

	repository     string
	changing, calm yardStack
	number         int // of the newest commit
	hold           *rig.Hold
}

type yardStack struct {
	id      core.StackID
	project string
}

func (s yardStack) path(rest string) string { return "/api/custom/stacks/" + string(s.id) + rest }

func startYard(t *testing.T) *yard {
	t.Helper()
	names := kill.Names(3)
	for _, project := range names[:2] {
		rig.RemoveProjectAfter(t, project)
	}
	y := &yard{t: t, site: kill.New(t), host: kill.WatchDocker(t, names[:2]), repository: names[2]}
	y.engine, y.dockerHost = rig.DockerGate(t)
	y.site.RunServer()
	y.site.SetUp()
	y.startWorker()
	if err := y.site.Git.Create(y.repository); err != nil {
		t.Fatal(err)
	}
	y.changing.project, y.calm.project = names[0], names[1]
	y.apply(y.calm.project, compose(box(t, "web")))
	y.commit(false)
	var repository api.RepositoryAnswer
	y.site.Must(http.MethodPost, "/api/custom/repositories", api.CreateRepositoryRequest{Name: y.repository, URL: y.site.GitURL + y.site.Git.Path(y.repository), Branch: "main"}, &repository)
	for _, stack := range []*yardStack{&y.changing, &y.calm} {
		off := false
		var added api.CreateStackAnswer
		y.site.Must(http.MethodPost, "/api/custom/stacks", api.CreateStackRequest{Name: stack.project, RepositoryID: repository.ID, Path: stack.project, AutoSync: &off}, &added)
		stack.id = added.ID
		var d api.DeploymentAnswer
		y.site.Must(http.MethodPost, stack.path("/sync"), nil, &d)
		if d = y.ended(d.ID); d.State != stacks.DeploymentSucceeded {
			t.Fatalf("the first deployment ended %s: %s", d.State, d.Error)
		}
	}
	return y
}

func (y *yard) startWorker() {
	y.t.Helper()
	y.site.StartWorker("./hub/cmd/worker", kill.Point{}, "DOCKER_HOST="+y.dockerHost)
}

// freshWorker starts a worker again that saw many servers die: it would wait longer each time
// before it dials again.
func (y *yard) freshWorker(victim kill.Victim) {
	y.t.Helper()
	if victim != kill.Server {
		return
	}
	if err := y.site.Worker.Stop(); err != nil {
		y.t.Fatal(err)
	}
	y.startWorker()
}

func (y *yard) apply(folder, file string) {
	y.t.Helper()
	if _, err := y.site.Git.Apply(y.repository, "main", githost.Change{Files: map[string]string{folder + "/compose.yaml": file}}); err != nil {
		y.t.Fatal(err)
	}
}

// commit changes the container; one that is unwell becomes healthy when makeWell says so.
func (y *yard) commit(unwell bool) {
	y.t.Helper()
	y.number++
	more := []string{fmt.Sprintf("environment: {NUMBER: \"%d\"}", y.number)}
	if unwell {
		more = append(more, "healthcheck: {test: [CMD, test, -e, /well], interval: 200ms, timeout: 5s, retries: 1000}")
	}
	y.apply(y.changing.project, compose(box(y.t, "web", more...)))
}

func (y *yard) makeWell() {
	y.t.Helper()
	rig.Docker(y.t, "exec", y.container(y.changing).ID, "touch", "/well")
}

// kill kills a victim with kill -9. One who stood still goes on, unless it was killed.
func (y *yard) kill(victim kill.Victim) {
	y.t.Helper()
	for _, p := range y.processes(victim) {
		if err := p.Kill(); err != nil {
			y.t.Fatal(err)
		}
	}
	y.site.Server.Signal(syscall.SIGCONT)
	y.site.Worker.Signal(syscall.SIGCONT)
}

func (y *yard) processes(victim kill.Victim) []*kill.Process {
	switch victim {
	case kill.Server:
		return []*kill.Process{y.site.Server}
	case kill.Worker:
		return []*kill.Process{y.site.Worker}
	}
	return []*kill.Process{y.site.Server, y.site.Worker}
}

func (y *yard) restart(victim kill.Victim) {
	y.t.Helper()
	if victim != kill.Worker {
		y.site.RunServer()
	}
	if victim != kill.Server {
		y.startWorker()
	}
}

// ended waits until a deployment has ended.
func (y *yard) ended(id core.DeploymentID) (d api.DeploymentAnswer) {
	y.t.Helper()
	rig.Until(y.t, limit, "the deployment has ended", func() (bool, string) {
		y.site.Must(http.MethodGet, "/api/custom/deployments/"+string(id), nil, &d)
		return d.State.Ended(), quote(d)
	})
	return d
}

// container returns the one container of a stack.
func (y *yard) container(s yardStack) rig.Container {
	y.t.Helper()
	ids := strings.Fields(rig.Docker(y.t, "ps", "--all", "--quiet", "--filter", "label=com.docker.compose.project="+s.project))
	var all []rig.Container
	if len(ids) > 0 {
		if err := json.Unmarshal([]byte(rig.Docker(y.t, append([]string{"inspect"}, ids...)...)), &all); err != nil {
			y.t.Fatal(err)
		}
	}
	if len(all) != 1 {
		y.t.Fatalf("project %s has %d containers, it is to have one: %+v", s.project, len(all), all)
	}
	return all[0]
}

// wantReplaced checks that the wanted container runs, was made by this deployment, once, and is what the server shows.
func (y *yard) wantReplaced(m moment, victim kill.Victim, d api.DeploymentAnswer) {
	y.t.Helper()
	c := y.container(y.changing)
	if c.State.Status != "running" || !strings.Contains(quote(c.Config.Env), "NUMBER="+strconv.Itoa(y.number)) {
		y.t.Errorf("%s, the %s killed: the container is not the wanted one: %+v", m.name, victim, c)
	}
	if n := y.host.Made()[d.ID]; n != 1 {
		y.t.Errorf("%s, the %s killed: containers were started %d times, want once", m.name, victim, n)
	}
	rig.Until(y.t, limit, "the server shows the container that runs", func() (bool, string) {
		var now api.StackAnswer
		var services api.ServicesAnswer
		y.site.Must(http.MethodGet, y.changing.path(""), nil, &now)
		y.site.Must(http.MethodGet, y.changing.path("/services"), nil, &services)
		shown := len(services.Items) == 1 && len(services.Items[0].Containers) == 1 && services.Items[0].Containers[0].ID == c.ID
		return shown && now.Status == stacks.StatusActive && now.Revision == d.Revision, quote(now) + quote(services)
	})
}

func quote(v any) string { return fmt.Sprintf("%+v", v) }
