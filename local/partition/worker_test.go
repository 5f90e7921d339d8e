package partition

import (
	"log/slog"
	"testing"
	"time"

	"berth/core"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// quiet is where workers log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

// patience is for what should happen soon; the machine may be busy with something else.
const patience = 2 * time.Minute

// identity is a worker that may also be spoken for by hand.
type identity struct{ rig.Remote }

// site is a server with one repository whose folder app is a stack on one worker.
type site struct {
	*rig.Server
	repository *rig.Repository
	engine     *dryengine.Engine
	identity   identity
	worker     core.WorkerID
}

// open starts a server and a worker that reaches it through address, given the port.
func open(t *testing.T, heartbeat string, through func(port string) string, engine *dryengine.Engine) *site {
	t.Helper()
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": heartbeat}})
	x := &site{Server: s, engine: engine, identity: identity{s.Remote()}}
	x.identity.Run(t, through(s.Port), engine)
	x.worker = s.Linked(x.identity.Hostname, true)
	x.repository = s.Repository(map[string]string{"app/compose.yaml": compose("1")})
	return x
}

func compose(number string) string {
	return "services:\n  app:\n    image: none\n    environment:\n      NUMBER: \"" + number + "\"\n"
}

// first returns the first deployment of a stack, as it is now.
func first(s *rig.Stack) api.DeploymentAnswer {
	s.T.Helper()
	return rig.Get[api.DeploymentDetail](s.Client, "/api/custom/deployments/"+string(s.First)).DeploymentAnswer
}

// ended waits until a deployment has ended.
func ended(t testing.TB, s *rig.Stack, id core.DeploymentID) api.DeploymentAnswer {
	t.Helper()
	var d api.DeploymentAnswer
	rig.Until(t, 2*patience, "the deployment's end", func() (bool, string) {
		d = rig.Get[api.DeploymentDetail](s.Client, "/api/custom/deployments/"+string(id)).DeploymentAnswer
		return d.State.Ended(), string(d.State)
	})
	return d
}
