package partition

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/hub/link"
	"berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// fleetSize is how many workers come back at once here; local/bench has many more.
const fleetSize = 300

// refusals keeps why workers did not get in.
type refusals struct {
	mu    sync.Mutex
	other []error       // what no worker should meet
	told  int           // "come back later", with the time
	slow  time.Duration // the longest that a connection took that was made
}

// watching passes on a way to the server and keeps what came of it.
func (r *refusals) watching(dial worker.Dial) worker.Dial {
	return func(ctx context.Context) (link.Conn, wire.Enrolled, error) {
		began := time.Now()
		conn, enrolled, err := dial(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		var f *fault.Error
		switch {
		case err == nil:
			r.slow = max(r.slow, time.Since(began))
		case ctx.Err() != nil, fault.CodeOf(err) == "server.unreachable":
		case errors.As(err, &f) && f.Kind == fault.Unavailable && f.RetryAfter > 0:
			r.told++
		default:
			r.other = append(r.other, err)
		}
		return conn, enrolled, err
	}
}

// N1, O11: the server stops in order with many links, and every worker is back after its start.
func TestN1EveryWorkerComesBack(t *testing.T) {
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": "10"}})
	met := &refusals{}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	for range fleetSize {
		id := identity{s.Remote()}
		w := worker.New(worker.Options{Dial: met.watching(id.Dial(t, "127.0.0.1:"+s.Port)), Engine: &dryengine.Engine{}, Key: id.Key, DataDir: id.Dir,
			Hostname: id.Hostname, Version: "test", Heartbeat: 10 * time.Second, Log: quiet, Now: time.Now})
		running.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error("a worker ended with", err)
			}
		})
	}
	allOnline(t, s)
	s.Stop() // within 8 seconds and without an error, or the test fails here
	s.Run()
	began := time.Now()
	allOnline(t, s)
	met.mu.Lock()
	defer met.mu.Unlock()
	t.Logf("%d workers were back after %v; %d were told to come later; the slowest connection took %v", fleetSize, time.Since(began), met.told, met.slow)
	for _, err := range met.other {
		t.Errorf("a worker met %v", err)
	}
}

func allOnline(t *testing.T, s *rig.Server) {
	t.Helper()
	rig.Until(t, 3*patience, "every worker online", func() (bool, string) {
		n := len(rig.Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?online=true&limit=500").Items)
		return n == fleetSize, fmt.Sprintf("%d are", n)
	})
}
