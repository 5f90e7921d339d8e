package kill

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"berth/local/e2e/rig"
)

// Lane is an installation under load whose parts die again and again.
type Lane struct {
	*Load
	seed   uint64
	random *rand.Rand
	drawn  map[Victim]int // points so far

	Reached   int // deaths at a point
	Recovery  int // of those, before the server answered again
	Elsewhere int // deaths of those whose point did not come: killed at whatever moment it was
}

// block is how many points lie between two checks.
const block = 5

// reach is how long a point is waited for.
const reach = 1500 * time.Millisecond

// NewLane makes an installation with stacks of these names and runs it.
func NewLane(s *Site, host Host, projects []string, seed uint64) *Lane {
	s.T.Helper()
	l := &Lane{seed: seed, random: rand.New(rand.NewPCG(seed, 2)), drawn: map[Victim]int{}}
	s.RunServer()
	s.SetUp()
	s.RunWorker(host)
	l.Load = NewLoad(s, host, projects, seed)
	for _, stack := range l.Stacks {
		l.ask(stack, "/sync", nil)
	}
	l.Settle()
	return l
}

// Points kills at n points, and checks after each few of them.
func (l *Lane) Points(n int) {
	l.Site.T.Helper()
	for done := 0; done < n && !l.Site.T.Failed(); {
		victim := []Victim{Server, Worker, Both}[done/block%3]
		count := min(block, n-done)
		l.block(victim, count)
		done += count
	}
}

// block kills one victim count times while deployments flow, then lets all settle.
func (l *Lane) block(victim Victim, count int) {
	l.Site.T.Helper()
	l.Site.T.Logf("seed %d: %s dies %d times, from its point number %d on", l.seed, victim, count, l.drawn[victim])
	ctx, stop := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	asking.Go(func() { l.Run(ctx) })
	for i := range count {
		if i%3 == 2 && victim == Server { // or it would wait longer each time before it dials again
			l.Site.kill(l.Site.Worker)
		}
		l.point(victim)
	}
	stop()
	asking.Wait()
	l.start(Point{}, Point{})
	if !l.Site.Ready() {
		l.Site.T.Fatalf("the server did not come back:\n%s", l.Site.Server.Tail())
	}
	l.Settle()
}

// point starts what is to die with a point to die at, and waits for that.
func (l *Lane) point(victim Victim) {
	l.Site.T.Helper()
	at := PointFor(victim, l.drawn[victim], l.random)
	first := victim
	if victim == Both { // one dies at its point, the other with it, in turns
		first = []Victim{Server, Worker}[l.drawn[victim]%2]
		at = PointFor(first, l.drawn[victim]/2, l.random)
	}
	l.drawn[victim]++
	var dying *Process
	if first == Server {
		l.start(at, Point{})
		dying = l.Site.Server
	} else {
		l.start(Point{}, at)
		dying = l.Site.Worker
	}
	answered := first == Server && l.answers(dying)
	limit := time.NewTimer(reach)
	defer limit.Stop()
	select {
	case <-dying.Ended():
		l.Reached++
		if first == Server && !answered {
			l.Recovery++
		}
	case <-limit.C:
		l.Elsewhere++
	}
	l.Site.kill(dying)
	if victim == Both {
		l.Site.kill(l.Site.Server)
		l.Site.kill(l.Site.Worker)
	}
}

// answers waits until the server does; false when it died before.
func (l *Lane) answers(server *Process) bool {
	l.Site.T.Helper()
	return l.Site.Ready() && server.Alive()
}

// start starts what does not run, or runs without the point that it is to have.
func (l *Lane) start(server, worker Point) {
	l.Site.T.Helper()
	if server.Call != "" || l.Site.Server.traced {
		l.Site.kill(l.Site.Server)
	}
	if worker.Call != "" || l.Site.Worker.traced {
		l.Site.kill(l.Site.Worker)
	}
	if !l.Site.Server.Alive() {
		if server.Call == "" {
			l.Site.RunServer()
		} else {
			l.Site.StartServer(server)
		}
	}
	if !l.Site.Worker.Alive() {
		program, env := l.Host.Worker()
		l.Site.StartWorker(program, worker, env...)
	}
}

// Names makes names for a few stacks, that nobody else has.
func Names(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = rig.Name()
	}
	return names
}
