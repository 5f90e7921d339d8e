package hubs

import (
	"syscall"
	"testing"
	"time"

	"berth/local/e2e/rig"
)

// trio is two hubs and local beside them on one database, three workers that are spread over the two
// hubs, and what flows.
type trio struct {
	*site
	*load
	hubs []*program
	web  *program
}

func newTrio(t testing.TB, seed uint64) *trio {
	t.Helper()
	x := &trio{site: onOneHost(t)}
	x.hubs = []*program{x.hub("hub-1"), x.hub("hub-2")}
	x.web = x.add("local", "./local")
	for _, p := range append(x.hubs, x.web) {
		p.run()
	}
	x.balancer.before(x.hubs[0].workers, x.hubs[1].workers)
	x.setUp(rig.Client{T: t, URL: x.origin})
	var workers []*worker
	for range 3 {
		workers = append(workers, x.worker())
	}
	x.load = newLoad(x.site, seed, workers...)
	return x
}

// leading returns the hub that leads and the one that does not, after making local, which may lead as
// well, give way.
func (x *trio) leading() (leader, other *program, epoch int64) {
	x.t.Helper()
	for leader == nil || leader == x.web {
		p, at := x.leader()
		if leader, epoch = p, at; p == x.web {
			x.web.stop()
			x.leads(at)
			x.web.run()
		}
	}
	if other = x.hubs[0]; leader == other {
		other = x.hubs[1]
	}
	return leader, other, epoch
}

// over waits for the hand-over that began a moment ago and tells how long it took.
func (x *trio) over(what string, began time.Time, epoch int64) {
	x.t.Helper()
	by := x.leads(epoch)
	lead := time.Since(began)
	x.done(x.stacks[0])
	x.t.Logf("%s: %s leads after %v, the next deployment is done after %v", what, by.name, lead.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// Hubs die, stand still and end while deployments flow. Whatever was accepted is done, once.
func TestHubsComeAndGoUnderLoad(t *testing.T) {
	t.Parallel()
	x := newTrio(t, 41)

	leader, _, epoch := x.leading()
	x.during(func() {
		began := time.Now()
		leader.kill()
		x.over("the leader is killed", began, epoch)
	})
	x.pushed()
	x.settle()
	leader.run()

	leader, other, epoch := x.leading()
	x.during(func() {
		other.kill()
		x.done(x.stacks[0])
		for _, w := range x.workers {
			x.linked(w.name)
		}
	})
	x.pushed()
	x.settle()
	if by, now := x.leader(); by != leader || now != epoch {
		t.Errorf("%s leads at epoch %d, though %s at %d had no reason to stop", by.name, now, leader.name, epoch)
	}
	other.run()

	leader, _, epoch = x.leading()
	x.during(func() {
		began := time.Now()
		leader.process.Signal(syscall.SIGSTOP)
		x.over("the leader stands still", began, epoch)
		x.until("it is taken to be gone", func() (bool, string) {
			return x.count(`SELECT count(*) FROM hubs WHERE url = $1`, leader.url) == 0, "its row is there"
		})
		woken := time.Now()
		leader.process.Signal(syscall.SIGCONT)
		leader.joined(woken)
	})
	x.pushed()
	x.settle()

	leader, _, epoch = x.leading()
	x.during(func() {
		began := time.Now()
		leader.stop()
		x.over("the leader ends", began, epoch)
	})
	x.pushed()
	x.settle()
	t.Logf("seed 41: %d deployments accepted, %d lost, %d done twice", x.accepted, x.lost, x.doubled)
}
