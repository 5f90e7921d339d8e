package hubs

import (
	"testing"
	"time"

	"berth/local/e2e/rig"
	"berth/local/stand/pgserver"
)

// Everything that hubs agree on goes through a pooler that lends each transaction another of a few
// connections: leases, fences, claims.
func TestHubsBehindAPooler(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	s.throughPooler(pgserver.Shared(t).Pool(t, 5))
	hub, web := s.hub("hub"), s.add("local", "./local")
	hub.run()
	web.run()
	s.balancer.before(hub.workers, web.workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	l := newLoad(s, 17, s.worker())
	l.pushed()
	leader, epoch := s.leader()
	if leader != hub {
		t.Fatalf("%v leads, and not the first", leader)
	}
	l.during(func() {
		began := time.Now()
		hub.kill()
		by := s.leads(epoch)
		l.done(l.stacks[0])
		t.Logf("the leader is killed: %s leads, and the next deployment is done after %v", by.name, time.Since(began).Round(time.Millisecond))
	})
	l.pushed()
	l.settle()
}
