package partition

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"runtime"
	"testing"
	"time"

	"berth/core"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// quiet is where workers log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

// patience is for what should happen soon; the machine may be busy with something else.
const patience = 2 * time.Minute

// identity is what a worker shows to the server: a token and a key of its own.
type identity struct {
	hostname string
	token    seal.Token
	key      ed25519.PrivateKey
	dir      string
}

func enrol(t testing.TB, s *rig.Server) identity {
	t.Helper()
	issued := rig.Post[api.IssuedWorkerToken](s.Client, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, http.StatusCreated)
	token, err := seal.ParseToken(issued.Token)
	if err != nil {
		t.Fatal(err)
	}
	id := identity{hostname: rig.Name(), token: token, dir: t.TempDir()}
	if id.key, err = worker.Identity(id.dir); err != nil {
		t.Fatal(err)
	}
	return id
}

// dial returns how the worker reaches the server at an address, host:port.
func (id identity) dial(t testing.TB, address string) worker.Dial {
	t.Helper()
	certificate, err := websocket.ClientCertificate(id.key, id.hostname)
	if err != nil {
		t.Fatal(err)
	}
	options := websocket.DialOptions{Server: "https://" + address, Token: secrets.NewValue(id.token.Reveal()), Certificate: certificate,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: id.hostname, Version: "test", OS: runtime.GOOS, Arch: runtime.GOARCH}}
	pin, pinned := id.token.Pin()
	if !pinned {
		t.Fatal("the token carries no pin")
	}
	options.Pin = &pin
	return func(ctx context.Context) (link.Conn, wire.Enrolled, error) { return websocket.Dial(ctx, options) }
}

// start runs a real worker on an engine that only remembers, until the test ends.
func (id identity) start(t testing.TB, address string, engine worker.Engine) {
	t.Helper()
	log := &rig.Log{}
	w := worker.New(worker.Options{Dial: id.dial(t, address), Engine: engine, Key: id.key, DataDir: id.dir, Hostname: id.hostname, Version: "test",
		Heartbeat: time.Second, Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error("the worker ended with", err)
		}
		if t.Failed() {
			t.Logf("the end of the worker's log:\n%s", log.Tail(60))
		}
	})
}

// online waits until the server shows a worker as online, or as offline, and returns its id.
func online(t testing.TB, s *rig.Server, hostname string, want bool) (id core.WorkerID) {
	t.Helper()
	rig.Until(t, patience, "the link of "+hostname, func() (bool, string) {
		all := rig.Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?limit=500")
		for _, w := range all.Items {
			if w.Hostname == hostname && w.Online == want {
				id = w.ID
			}
		}
		return id != "", "workers differ"
	})
	return id
}

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
	x := &site{Server: s, engine: engine, identity: enrol(t, s)}
	x.identity.start(t, through(s.Port), engine)
	x.worker = online(t, s, x.identity.hostname, true)
	x.repository = s.Repository(map[string]string{"app/compose.yaml": compose("1")})
	return x
}

func compose(number string) string {
	return "services:\n  app:\n    image: none\n    environment:\n      NUMBER: \"" + number + "\"\n"
}

// first returns the first deployment of a stack, as it is now.
func first(s *rig.Stack) api.DeploymentAnswer {
	s.T.Helper()
	return rig.Get[api.DeploymentAnswer](s.Client, "/api/custom/deployments/"+string(s.First))
}

// ended waits until a deployment has ended.
func ended(t testing.TB, s *rig.Stack, id core.DeploymentID) api.DeploymentAnswer {
	t.Helper()
	var d api.DeploymentAnswer
	rig.Until(t, 2*patience, "the deployment's end", func() (bool, string) {
		d = rig.Get[api.DeploymentAnswer](s.Client, "/api/custom/deployments/"+string(id))
		return d.State.Ended(), string(d.State)
	})
	return d
}
