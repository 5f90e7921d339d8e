package hubs

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// A deployment that waits for a worker of a tag does so at whichever hub leads. The worker may then come to
// another one, which tells the hub that leads.
func TestADeploymentWaitsForAWorkerAcrossHubs(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	hubs, web := []*program{s.hub("hub-1"), s.hub("hub-2")}, s.add("local", "./local")
	for _, p := range append(hubs, web) {
		p.run()
	}
	s.balancer.before(hubs[1].workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	l := newLoad(s, 31, s.worker())
	commit := l.commit(&stack{project: "late"})
	s.until("the commit is fetched", func() (bool, string) {
		now := rig.Get[api.RepositoryAnswer](s.api, "/api/custom/repositories/"+string(l.repoID))
		return now.Head == commit, fmt.Sprintf("%+v", now)
	})
	added := rig.Post[api.CreateStackAnswer](s.api, "/api/custom/stacks", api.CreateStackRequest{Name: rig.Name(), RepositoryID: l.repoID, Path: "late", WorkerTags: []string{"latecomer"}}, http.StatusCreated)
	s.until("it waits", func() (bool, string) {
		answer := s.api.Ask(http.MethodGet, "/api/custom/deployments/"+string(added.DeploymentID), nil)
		return strings.Contains(string(answer.Body), "latecomer"), string(answer.Body)
	})
	leader, epoch := s.leader()
	if leader == nil {
		t.Fatal("no hub leads")
	}
	leader.kill()
	next := s.leads(epoch)

	remote := (&rig.Server{T: t, Client: s.api}).Remote()
	remote.Tags = []string{"latecomer"}
	engine := &dryengine.Engine{}
	to := hubs[1]
	if next == to {
		to = web // which holds links too
	}
	remote.Run(t, to.workers, engine)
	if state := l.ended(added.DeploymentID); state != stacks.DeploymentSucceeded || engine.Applied(added.DeploymentID) != 1 {
		t.Errorf("it ended %s and was done %d times", state, engine.Applied(added.DeploymentID))
	}
	if n := s.count(`SELECT count(*) FROM deployments WHERE stack_id = $1`, added.ID); n != 1 {
		t.Errorf("there are %d deployments of it", n)
	}
	if p := s.holder(s.linked(remote.Hostname)); p == next {
		t.Errorf("%s leads and holds the link too", p.name)
	}
	leader.run()
	l.settle()
}
