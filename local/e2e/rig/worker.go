package rig

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/core/config"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/hub/workerrun"
)

// Worker is one in this process that dials the real TLS port.
type Worker struct {
	*Server
	ID    core.WorkerID
	Dir   string // WORKER_DATA_DIR
	Token string
	Log   *Log

	settings    config.Worker
	environment map[string]string  // that settings were read from
	path        string             // of a program that is run in its place; empty: none is
	stop        context.CancelFunc // nil while it does not run
	ended       chan error
}

// Worker registers a worker and waits until it is online. It ends with the test; what its
// stacks run is removed with them.
func (s *Server) Worker(tags ...string) *Worker {
	s.T.Helper()
	return s.worker("", nil, tags)
}

// WorkerOf is Worker, run by a program.
func (s *Server) WorkerOf(path string, tags ...string) *Worker {
	s.T.Helper()
	return s.worker(path, nil, tags)
}

// WorkerWith is Worker with more settings.
func (s *Server) WorkerWith(more map[string]string, tags ...string) *Worker {
	s.T.Helper()
	return s.worker("", more, tags)
}

func (s *Server) worker(path string, more map[string]string, tags []string) *Worker {
	s.T.Helper()
	issued := Post[api.IssuedWorkerToken](s.Client, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, http.StatusCreated)
	s.Secrets["WORKER_TOKEN"] = issued.Token
	w := &Worker{Server: s, Dir: s.T.TempDir(), Token: issued.Token, Log: &Log{}, path: path}
	w.configure(issued, more, tags)
	s.T.Cleanup(func() {
		w.Stop()
		if s.T.Failed() {
			s.T.Logf("the end of the log of worker %s:\n%s", w.settings.Hostname, w.Log.Tail(80))
		}
	})
	w.Run()
	w.ID = s.workerNamed(w.settings.Hostname)
	return w
}

func (w *Worker) configure(issued api.IssuedWorkerToken, more map[string]string, tags []string) {
	w.T.Helper()
	environment := map[string]string{"SERVER_URL": issued.ServerURL, "WORKER_TOKEN": issued.Token, "HOSTNAME": Name(), "HEARTBEAT_INTERVAL": "1",
		"WORKER_DATA_DIR": w.Dir, "WORKER_STACK_DIR": filepath.Join(w.Dir, "shown"), "WORKER_TAGS": strings.Join(tags, ",")}
	maps.Copy(environment, more)
	w.environment = environment
	settings, problems, _ := config.LoadWorker(func(name string) (string, bool) { v, found := environment[name]; return v, found }, nil, config.System{})
	if len(problems) > 0 {
		w.T.Fatal(config.Explain(problems))
	}
	w.settings = settings
}

// Hostname returns what people know the worker by.
func (w *Worker) Hostname() string { return w.settings.Hostname }

// Run starts the worker, again after Stop, with the same directory and token.
func (w *Worker) Run() {
	w.T.Helper()
	if w.path != "" {
		w.stop, w.ended = start(w.T, w.path, w.environment, w.Log)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop, w.ended = stop, make(chan error, 1)
	log := slog.New(slog.NewTextHandler(w.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	go func() { w.ended <- workerrun.Run(ctx, w.settings, "e2e", log) }()
}

// Stop ends the worker as SIGTERM would, and waits until it has ended.
func (w *Worker) Stop() {
	w.T.Helper()
	if w.stop == nil {
		return
	}
	w.stop()
	w.stop = nil
	select {
	case err := <-w.ended:
		if err != nil {
			w.T.Error("the worker ended with", err)
		}
	case <-time.After(stopWithin):
		w.T.Error("the worker did not end in time")
	}
}

// Now returns the worker as the server shows it.
func (w *Worker) Now() api.WorkerAnswer {
	w.T.Helper()
	return Get[api.WorkerAnswer](w.Client, "/api/custom/workers/"+string(w.ID))
}

// Online waits until the worker has a link, or has none.
func (w *Worker) Online(want bool) {
	w.T.Helper()
	Until(w.T, Soon, "the worker's link", func() (bool, string) {
		now := w.Now()
		return now.Online == want, quoted(now)
	})
}

// workerNamed waits until a worker of this hostname is online.
func (s *Server) workerNamed(hostname string) (id core.WorkerID) {
	s.T.Helper()
	Until(s.T, Soon, "worker "+hostname+" online", func() (bool, string) {
		all := Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?online=true")
		for _, w := range all.Items {
			if w.Hostname == hostname {
				id = w.ID
			}
		}
		return id != "", quoted(all)
	})
	return id
}

// InsideWorker waits until the worker inside is online.
func (s *Server) InsideWorker() (id core.WorkerID) {
	s.T.Helper()
	Until(s.T, Soon, "the worker inside online", func() (bool, string) {
		all := Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?online=true")
		if len(all.Items) > 0 {
			id = all.Items[0].ID
		}
		return id != "", quoted(all)
	})
	return id
}
