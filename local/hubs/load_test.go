package hubs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/githost"
)

// load asks for deployments of a few stacks on every worker, and remembers what was accepted.
type load struct {
	s          *site
	workers    []*worker
	repository string // on the Git host
	repoID     core.RepositoryID
	stacks     []*stack
	auto       *stack // that nothing but commits deploys
	autos      int    // its deployments so far
	random     *rand.Rand
	commits    int

	mu       sync.Mutex
	open     map[core.DeploymentID]bool // accepted and not seen to have ended; true: it makes containers anew; guarded by mu
	accepted int                        // all; guarded by mu
	lost     int                        // of them, that did not end well
	doubled  int                        // that were done more than once
}

type stack struct {
	id      core.StackID
	project string
	worker  *worker
}

// stacksEach is how many stacks of a load each worker has.
const stacksEach = 2

// newLoad adds a repository and stacks on the workers, and waits until all is in place.
func newLoad(s *site, seed uint64, workers ...*worker) *load {
	s.t.Helper()
	l := &load{s: s, workers: workers, repository: rig.Name(), random: rand.New(rand.NewPCG(seed, 1)), open: map[core.DeploymentID]bool{}}
	if err := s.git.Create(l.repository); err != nil {
		s.t.Fatal(err)
	}
	for _, w := range workers {
		for range stacksEach {
			l.stacks = append(l.stacks, &stack{project: rig.Name(), worker: w})
		}
	}
	l.auto = &stack{project: rig.Name(), worker: workers[0]}
	for _, st := range append(l.stacks, l.auto) {
		l.commit(st)
	}
	l.repoID = rig.Post[api.RepositoryAnswer](s.api, "/api/custom/repositories", api.CreateRepositoryRequest{Name: l.repository, URL: s.gitURL + s.git.Path(l.repository), Branch: "main"}, http.StatusCreated).ID
	off := false
	for _, st := range l.stacks {
		st.id = rig.Post[api.CreateStackAnswer](s.api, "/api/custom/stacks", api.CreateStackRequest{Name: st.project, RepositoryID: l.repoID, Path: st.project, WorkerID: st.worker.id, AutoSync: &off}, http.StatusCreated).ID
		l.ask(st, "/sync", nil)
	}
	added := rig.Post[api.CreateStackAnswer](s.api, "/api/custom/stacks", api.CreateStackRequest{Name: l.auto.project, RepositoryID: l.repoID, Path: l.auto.project, WorkerID: l.auto.worker.id}, http.StatusCreated)
	l.auto.id, l.autos = added.ID, 1
	l.settle()
	return l
}

// commit changes what a stack runs, and a file that it mounts.
func (l *load) commit(st *stack) core.Commit {
	l.s.t.Helper()
	l.commits++
	compose := fmt.Sprintf("services:\n  app:\n    image: none\n    environment: [\"NUMBER=%d\"]\n    volumes: [\"./settings:/settings:ro\"]\n", l.commits)
	hash, err := l.s.git.Apply(l.repository, "main", githost.Change{Files: map[string]string{st.project + "/compose.yaml": compose, st.project + "/settings/number": strconv.Itoa(l.commits)}})
	if err != nil {
		l.s.t.Fatal(err)
	}
	return core.Commit(hash)
}

// file commits one beside what the stacks have.
func (l *load) file(name, content string) {
	l.s.t.Helper()
	if _, err := l.s.git.Apply(l.repository, "main", githost.Change{Files: map[string]string{name: content}}); err != nil {
		l.s.t.Fatal(err)
	}
}

// added commits a folder and makes a stack of it, which a worker is to run that is none of the load's.
func (l *load) added(folder string, on core.WorkerID) api.CreateStackAnswer {
	s := l.s
	s.t.Helper()
	commit := l.commit(&stack{project: folder})
	s.until("the commit is fetched", func() (bool, string) {
		now := rig.Get[api.RepositoryAnswer](s.api, "/api/custom/repositories/"+string(l.repoID))
		return now.Head == commit, fmt.Sprintf("%+v", now)
	})
	return rig.Post[api.CreateStackAnswer](s.api, "/api/custom/stacks", api.CreateStackRequest{Name: rig.Name(), RepositoryID: l.repoID, Path: folder, WorkerID: on}, http.StatusCreated)
}

// during asks for one thing after the other while what runs.
func (l *load) during(what func()) {
	l.s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	asking.Go(func() { l.run(ctx) })
	defer asking.Wait()
	defer stop()
	what()
}

func (l *load) run(ctx context.Context) {
	for ctx.Err() == nil {
		st := l.stacks[l.random.IntN(len(l.stacks))]
		switch l.random.IntN(4) {
		case 0:
			l.commit(st)
			l.ask(st, "/sync", nil)
		case 1:
			l.ask(st, "/sync", nil)
		default:
			l.ask(st, "/redeploy", api.RedeployRequest{RecreateContainers: true})
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(50+l.random.IntN(300)) * time.Millisecond):
		}
	}
}

// ask asks for one deployment. Without an answer nothing was promised.
func (l *load) ask(st *stack, what string, body any) core.DeploymentID {
	content, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	request, err := http.NewRequest(http.MethodPost, l.s.api.URL+"/api/custom/stacks/"+string(st.id)+what, bytes.NewReader(content))
	if err != nil {
		panic(err)
	}
	if request.Header.Set("X-Service-Api-Key", l.s.api.Key); body != nil {
		request.Header.Set("Content-Type", "application/json")
	} else {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var d api.DeploymentAnswer
	if response.StatusCode != http.StatusAccepted || json.NewDecoder(response.Body).Decode(&d) != nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.open[d.ID]; !known {
		l.accepted++
	}
	l.open[d.ID] = l.open[d.ID] || what == "/redeploy"
	return d.ID
}

// done waits for one more deployment, asked for now, to be done. It may take some asking while
// nobody leads.
func (l *load) done(st *stack) {
	l.s.t.Helper()
	var id core.DeploymentID
	l.s.until("a deployment is accepted", func() (bool, string) {
		id = l.ask(st, "/redeploy", api.RedeployRequest{RecreateContainers: true})
		return id != "", ""
	})
	l.ended(id)
}

func (l *load) ended(id core.DeploymentID) (state stacks.DeploymentState) {
	l.s.t.Helper()
	l.s.until("deployment "+string(id)+" has ended", func() (bool, string) {
		var code, text string
		if err := l.s.db.QueryRow(`SELECT state, error_code, error FROM deployments WHERE id = $1`, id).Scan(&state, &code, &text); err != nil {
			return false, err.Error()
		}
		if state.Ended() && state != stacks.DeploymentSucceeded && state != stacks.DeploymentSuperseded {
			l.s.t.Errorf("the accepted deployment %s ended %s (%s): %s", id, state, code, text)
		}
		return state.Ended(), string(state)
	})
	return state
}

// pushed commits to the stack that follows its branch: one deployment follows from it, and no more.
func (l *load) pushed() {
	l.s.t.Helper()
	commit := l.commit(l.auto)
	l.autos++
	l.s.until("the commit is in place", func() (bool, string) {
		n := l.s.count(`SELECT count(*) FROM deployments WHERE stack_id = $1 AND commit_hash = $2 AND state = 'succeeded'`, l.auto.id, commit)
		return n > 0, fmt.Sprint(n)
	})
}

// settle waits until nothing is under way, and checks that all is as it must be. Nobody asks for anything meanwhile.
func (l *load) settle() {
	t := l.s.t
	t.Helper()
	l.mu.Lock()
	open := maps.Clone(l.open)
	clear(l.open)
	l.mu.Unlock()
	for id, anew := range open {
		state := l.ended(id)
		switch {
		case state != stacks.DeploymentSucceeded && state != stacks.DeploymentSuperseded:
			l.lost++
		case anew && state == stacks.DeploymentSucceeded && l.made()[id] == 0:
			t.Errorf("deployment %s succeeded, and its worker did nothing", id)
			l.lost++
		}
	}
	l.doubled = 0
	for id, n := range l.made() {
		if n > 1 {
			t.Errorf("deployment %s made %d containers, it may make one", id, n)
			l.doubled++
		}
	}
	for _, w := range l.workers {
		l.s.linked(w.name)
	}
	for _, st := range append(l.stacks, l.auto) {
		l.equal(st)
	}
	l.noneOpen()
	// Polling may ask once more while the first one is about to begin: that one is superseded by it, and nothing is done.
	if n := l.s.count(`SELECT count(*) FROM deployments WHERE stack_id = $1 AND state <> 'superseded'`, l.auto.id); n != l.autos {
		var all string
		if err := l.s.db.QueryRow(`SELECT string_agg(row_to_json(d)::text, E'\n' ORDER BY id) FROM (SELECT id, state, trigger, actor, commit_hash, tree, queued_at, finished_at, error FROM deployments WHERE stack_id = $1) AS d`, l.auto.id).Scan(&all); err != nil {
			t.Error(err)
		}
		t.Errorf("%d deployments of the stack that follows its branch, want %d: one for each commit:\n%s", n, l.autos, all)
	}
}

// made tells how often containers were made for each deployment, on all hosts.
func (l *load) made() map[core.DeploymentID]int {
	l.s.t.Helper()
	all := map[core.DeploymentID]int{}
	for _, w := range l.workers {
		for id, n := range w.host.Made() {
			all[id] += n
		}
	}
	return all
}

// equal waits until the pages show of a stack what its host has.
func (l *load) equal(st *stack) {
	l.s.t.Helper()
	path := "/api/custom/stacks/" + string(st.id)
	l.s.until("stack "+st.project+" shows what runs", func() (bool, string) {
		runs := st.worker.host.Runs(st.project)
		now := rig.Get[api.StackAnswer](l.s.api, path)
		shown := map[string]string{}
		for _, service := range rig.Get[api.ServicesAnswer](l.s.api, path+"/services").Items {
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

// noneOpen checks that nothing in the database waits, or was asked of a worker twice.
func (l *load) noneOpen() {
	l.s.t.Helper()
	for _, query := range []string{
		`SELECT count(*) FROM commands WHERE state NOT IN ('succeeded', 'failed', 'cancelled')`,
		`SELECT count(*) FROM deployments WHERE state IN ('queued', 'running')`,
		`SELECT count(*) FROM (SELECT deployment_id FROM commands WHERE deployment_id <> '' GROUP BY deployment_id HAVING count(*) > 1) AS twice`,
		`SELECT count(*) FROM deployments d WHERE state = 'succeeded' AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.deployment_id = d.id)`,
	} {
		l.s.until(query, func() (bool, string) {
			n := l.s.count(query)
			return n == 0, fmt.Sprint(n)
		})
	}
}
