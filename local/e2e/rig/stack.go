package rig

import (
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
)

// Stack is one that the server keeps in place.
type Stack struct {
	*Repository
	ID    core.StackID
	Name  string
	First core.DeploymentID // empty when automatic sync was off
}

// Stack adds a folder as a stack with a name of its own. It goes with the test, and so do
// its containers, networks and volumes.
func (r *Repository) Stack(ask api.CreateStackRequest) *Stack {
	r.T.Helper()
	if ask.Name == "" {
		ask.Name = Name()
	}
	ask.RepositoryID = r.ID
	RemoveProjectAfter(r.T, ask.Name)
	added := Post[api.CreateStackAnswer](r.Client, "/api/custom/stacks", ask, http.StatusCreated)
	s := &Stack{Repository: r, ID: added.ID, Name: ask.Name, First: added.DeploymentID}
	r.T.Cleanup(s.forget)
	return s
}

// forget deletes the stack from a server that still runs, so that nothing is tried again
// once the test has ended.
func (s *Stack) forget() {
	if s.stop == nil {
		return
	}
	Until(s.T, Soon, "the stack is forgotten", func() (bool, string) {
		answer := s.Ask(http.MethodDelete, s.path(""), nil)
		if answer.Status == http.StatusConflict { // a deployment runs
			s.Ask(http.MethodPost, "/api/custom/deployments/"+string(s.Last().ID)+"/cancel", nil)
		}
		return answer.Status == http.StatusNoContent || answer.Status == http.StatusNotFound, string(answer.Body)
	})
}

// On adds a folder as a stack on a worker.
func (r *Repository) On(worker core.WorkerID, path string) *Stack {
	r.T.Helper()
	return r.Stack(api.CreateStackRequest{Path: path, WorkerID: worker})
}

// Manual adds a folder as a stack on a worker that nothing deploys but Sync.
func (r *Repository) Manual(worker core.WorkerID, path string) *Stack {
	r.T.Helper()
	off := false
	return r.Stack(api.CreateStackRequest{Path: path, WorkerID: worker, AutoSync: &off})
}

func (s *Stack) path(rest string) string { return "/api/custom/stacks/" + string(s.ID) + rest }

// Now returns the stack as the server shows it.
func (s *Stack) Now() api.StackAnswer {
	s.T.Helper()
	return Get[api.StackAnswer](s.Client, s.path(""))
}

// Until waits until the server shows the stack like this.
func (s *Stack) Until(what string, holds func(api.StackAnswer) bool) api.StackAnswer {
	s.T.Helper()
	var now api.StackAnswer
	Until(s.T, Deploying, what, func() (bool, string) {
		now = s.Now()
		return holds(now), quoted(now)
	})
	return now
}

// At waits until a commit is in place.
func (s *Stack) At(commit core.Commit) api.StackAnswer {
	s.T.Helper()
	return s.Until("stack at "+commit.Short(), func(now api.StackAnswer) bool {
		return now.Commit == commit && now.Status == stacks.StatusActive
	})
}

// Deployment waits until a deployment has ended and returns it.
func (s *Stack) Deployment(id core.DeploymentID) api.DeploymentAnswer {
	s.T.Helper()
	d := Get[api.DeploymentDetail](s.Client, "/api/custom/deployments/"+string(id)+"?wait="+Deploying.String()).DeploymentAnswer
	if !d.State.Ended() {
		s.T.Fatalf("the deployment did not end in time: %+v", d)
	}
	return d
}

// Deployed waits for the first deployment, which must succeed.
func (s *Stack) Deployed() api.DeploymentAnswer {
	s.T.Helper()
	return s.succeeded(s.Deployment(s.First))
}

// Failed waits for the first deployment, which must fail with this code.
func (s *Stack) Failed(code string) api.DeploymentAnswer {
	s.T.Helper()
	d := s.Deployment(s.First)
	if d.State != stacks.DeploymentFailed || d.ErrorCode != code {
		s.T.Fatalf("the deployment ended %s (%s: %s), want a failure %s", d.State, d.ErrorCode, d.Error, code)
	}
	return d
}

// Sync deploys by hand and returns how that ended.
func (s *Stack) Sync() api.DeploymentAnswer {
	s.T.Helper()
	return Post[api.DeploymentAnswer](s.Client, s.path("/sync?wait="+Deploying.String()), nil, http.StatusAccepted)
}

// Synced deploys by hand, which must succeed.
func (s *Stack) Synced() api.DeploymentAnswer {
	s.T.Helper()
	return s.succeeded(s.Sync())
}

func (s *Stack) succeeded(d api.DeploymentAnswer) api.DeploymentAnswer {
	s.T.Helper()
	if d.State != stacks.DeploymentSucceeded {
		s.T.Fatalf("the deployment ended %s: %s\n%s", d.State, d.Error, s.LogOf(d.ID))
	}
	return d
}

// LogOf returns the text of a deployment's log.
func (s *Stack) LogOf(id core.DeploymentID) string {
	s.T.Helper()
	text := ""
	for _, piece := range Get[api.LogAnswer](s.Client, "/api/custom/deployments/"+string(id)+"/log?limit=500").Items {
		text += piece.Text
	}
	return text
}
