package rig

import (
	"net/http"
	"os"
	"os/exec"

	"berth/core"
	"berth/handlers/api"
)

// WorkerProcess runs a worker program of its own, on an engine of its own, and waits until it is
// online. It ends with the test.
func (s *Server) WorkerProcess(program string, engine *Engine) (id core.WorkerID) {
	s.T.Helper()
	issued := Post[api.IssuedWorkerToken](s.Client, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, http.StatusCreated)
	hostname, log := Name(), &Log{}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "SERVER_URL="+issued.ServerURL, "WORKER_TOKEN="+issued.Token, "HOSTNAME="+hostname, "HEARTBEAT_INTERVAL=1",
		"WORKER_DATA_DIR="+s.T.TempDir(), "WORKER_STACK_DIR="+s.T.TempDir(), "DOCKER_HOST="+engine.Host)
	cmd.Stdout, cmd.Stderr = log, log
	end := run(s.T, cmd)
	s.T.Cleanup(func() {
		end()
		if s.T.Failed() {
			s.T.Logf("the end of the log of worker %s:\n%s", hostname, log.Tail(60))
		}
	})
	return s.workerNamed(hostname)
}
