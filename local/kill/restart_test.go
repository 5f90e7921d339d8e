package kill

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// underLoad runs what while deployments flow.
func underLoad(l *Lane, what func()) {
	ctx, stop := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	asking.Go(func() { l.Run(ctx) })
	what()
	stop()
	asking.Wait()
}

// C15, C16: the server is stopped or killed, and started again, as when its program is
// replaced, while commands are under way. Nothing is left waiting.
func TestRestartsUnderLoadKilledOrStopped(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 0))
	s := New(t)
	l := NewLane(s, Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}, Names(4), 15)
	underLoad(l, func() {
		for n := range points(t, 8, "KILL_RESTARTS") {
			<-time.After(time.Duration(random.IntN(400)) * time.Millisecond) // somewhere in the course of things
			if n%2 == 0 {
				s.kill(s.Server)
			} else if err := s.Server.Stop(); err != nil {
				t.Fatal(err)
			}
			s.RunServer()
			if n%3 == 2 { // or it would wait longer each time before it dials again
				s.kill(s.Worker)
				s.RunWorker(l.Host)
			}
		}
	})
	l.Settle()
	t.Logf("seed 15: %d deployments accepted", l.Accepted)
}

// D11: a worker that stood still until the server gave it up comes back, and repeats nothing.
func TestAWorkerThatStoodStillIsNotKilledAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	s := New(t)
	l := NewLane(s, Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}, Names(3), 11)
	online := func(want bool) {
		l.until("the worker's link", func() (bool, string) {
			all := get[endpoint.Items[api.WorkerAnswer]](s, "/api/custom/workers").Items
			return len(all) == 1 && all[0].Online == want, ""
		})
	}
	underLoad(l, func() {
		for range 2 {
			online(true)
			s.Worker.Signal(syscall.SIGSTOP)
			online(false)
			s.Worker.Signal(syscall.SIGCONT)
		}
	})
	online(true)
	l.Settle()
}
