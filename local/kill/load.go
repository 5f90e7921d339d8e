package kill

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"sync"
	"time"

	"berth/core"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/githost"
)

// Load keeps asking for deployments of a few stacks of one repository and for runs of its jobs, and remembers
// what the server accepted.
type Load struct {
	Site   *Site
	Host   Host
	Stacks []*Stack
	Jobs   []*Job

	repository string
	random     *mathrand.Rand // of the one who asks
	commits    int

	mu       sync.Mutex
	accepted map[core.DeploymentID]bool // not known to have ended; guarded by mu
	Accepted int                        // all; guarded by mu
	runs     map[core.RunID]*asked      // guarded by mu
	Runs     int                        // all that were asked for and accepted; guarded by mu

	read map[core.RunID]bool // whose logs were checked
}

// Stack is one of a load's stacks.
type Stack struct {
	ID      core.StackID
	Project string
}

// NewLoad adds a repository and its stacks, one for each project, to a site whose server and
// worker run, and waits until all are in place.
func NewLoad(s *Site, host Host, projects []string, seed uint64) *Load {
	s.T.Helper()
	l := &Load{Site: s, Host: host, repository: rig.Name(), random: mathrand.New(mathrand.NewPCG(seed, 1)), accepted: map[core.DeploymentID]bool{},
		runs: map[core.RunID]*asked{}, read: map[core.RunID]bool{}}
	if err := s.Git.Create(l.repository); err != nil {
		s.T.Fatal(err)
	}
	for _, project := range projects {
		l.commit(project)
	}
	l.commitJobs()
	var added api.RepositoryAnswer
	s.Must(http.MethodPost, "/api/custom/repositories", api.CreateRepositoryRequest{Name: l.repository, URL: s.GitURL + s.Git.Path(l.repository), Branch: "main"}, &added)
	off := false
	for _, project := range projects {
		var stack api.CreateStackAnswer
		s.Must(http.MethodPost, "/api/custom/stacks", api.CreateStackRequest{Name: project, RepositoryID: added.ID, Path: project, AutoSync: &off}, &stack)
		s.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeStack, ScopeID: string(stack.ID), Name: "CANARY", Value: rand.Text(), Secret: true}, nil)
		l.Stacks = append(l.Stacks, &Stack{ID: stack.ID, Project: project})
	}
	l.addJobs(added.ID)
	return l
}

// commit changes the Compose file of one stack.
func (l *Load) commit(project string) {
	l.Site.T.Helper()
	l.commits++
	file := fmt.Sprintf("services:\n  app:\n    image: %s\n    command: [sleep, \"3600\"]\n    stop_signal: SIGKILL\n    network_mode: none\n    environment: [\"NUMBER=%d\", CANARY]\n", l.Host.Image(), l.commits)
	if _, err := l.Site.Git.Apply(l.repository, "main", githost.Change{Files: map[string]string{project + "/compose.yaml": file}}); err != nil {
		l.Site.T.Fatal(err)
	}
}

// Run asks until ctx ends: for a new commit, for containers made anew, for nothing new, or for a run of a job.
func (l *Load) Run(ctx context.Context) {
	l.Site.T.Helper()
	for ctx.Err() == nil {
		stack := l.Stacks[l.random.IntN(len(l.Stacks))]
		switch l.random.IntN(7) {
		case 0:
			l.commit(stack.Project)
			l.ask(stack, "/sync", nil)
		case 1:
			l.ask(stack, "/sync", nil)
		case 2, 3, 4:
			l.askRun()
		default:
			l.ask(stack, "/redeploy", api.RedeployRequest{RecreateContainers: true})
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(l.random.IntN(60)) * time.Millisecond):
		}
	}
}

// ask asks for one deployment. Without an answer, nothing was promised.
func (l *Load) ask(stack *Stack, what string, body any) {
	var d api.DeploymentAnswer
	status, err := l.Site.Ask(http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+what, body, &d)
	if err != nil || status != http.StatusAccepted {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.accepted[d.ID] {
		l.accepted[d.ID] = true
		l.Accepted++
	}
}

// Open returns the deployments that were accepted and not found ended so far.
func (l *Load) Open() []core.DeploymentID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []core.DeploymentID
	for id := range l.accepted {
		ids = append(ids, id)
	}
	return ids
}

func (l *Load) closed(id core.DeploymentID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.accepted, id)
}
