package hubs

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/faultynet"
	"berth/local/stand/pgserver"
)

// Ports in an outpost, where nobody else listens.
const (
	farWorkers  = "8443"
	farInternal = "8091"
)

// far is a hub in a network namespace of its own: what goes between it and the others can be cut.
type far struct {
	*program
	outpost  *faultynet.Outpost
	database string // port
	cmd      *exec.Cmd
}

// apart makes a site that an outpost can reach, and a hub there.
func apart(t *testing.T) (*site, *far) {
	t.Helper()
	o := faultynet.NewOutpost(t)
	server := pgserver.New(t, pgserver.Options{Address: o.Address, Files: map[string]string{"pg_hba.conf": "local all all trust\nhost all all 0.0.0.0/0 scram-sha-256\n"}})
	_, port, err := net.SplitHostPort(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, server.TCP(server.Database(t, "template0"))+"?sslmode=disable", o.Address)
	f := &far{outpost: o, database: port, program: &program{s: s, name: "hub-far", url: "https://" + o.Far + ":" + farInternal, workers: o.Far + ":" + farWorkers, log: filepath.Join(s.dir, "hub-far.log")}}
	f.env = append(s.environment(f.name, s.database), "TLS_WORKER_PORT="+farWorkers, "HUB_LISTEN=0.0.0.0:"+farInternal, "HUB_URL="+f.url)
	s.programs = append(s.programs, f.program)
	return s, f
}

// run starts the hub in the outpost.
func (f *far) run() {
	t := f.s.t
	t.Helper()
	began := time.Now()
	log, err := os.Create(f.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	f.cmd = f.outpost.Command(f.env, kill.Program(t, "./hub/cmd/hub"))
	f.cmd.Stdout, f.cmd.Stderr = log, log
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.outpost.End()
		f.cmd.Wait() // killed just now
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", f.name, f.tail())
		}
	})
	f.joined(began)
}

// A hub is cut off: the one that leads from the database, while its workers still reach it; then
// from its workers alone. What was accepted is done once, and all come back.
func TestAHubIsCutOff(t *testing.T) {
	t.Parallel()
	s, leader := apart(t)
	leader.run()
	near, web := s.hub("hub-near"), s.add("local", "./local")
	near.run()
	web.run()
	_, epoch := s.leader()
	s.balancer.before(leader.workers, near.workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	l := newLoad(s, 43, s.worker(), s.worker(), s.worker())
	if p, _ := s.leader(); p != leader.program {
		t.Fatalf("%s leads, and not the one that can be cut off", p.name)
	}
	st := l.stacks[0]

	l.during(func() {
		began := time.Now()
		leader.outpost.Cut(leader.database)
		by := s.leads(epoch)
		lead := time.Since(began)
		l.done(st)
		t.Logf("the leader is cut off from the database: %s leads after %v, the next deployment is done after %v", by.name, lead.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		for _, w := range l.workers {
			s.linked(w.name)
		}
		healed := time.Now()
		leader.outpost.Cut()
		leader.joined(began) // it may have begun to join before the way was free
		t.Logf("healed: it is a hub again after %v", time.Since(healed).Round(time.Millisecond))
	})
	l.pushed()
	l.settle()

	s.balancer.before(leader.workers)
	near.stop()
	for _, w := range l.workers {
		s.until("the link of "+w.name+" is at the hub that can be cut off", func() (bool, string) { return s.holder(w.id) == leader.program, "" })
	}
	near.run()
	s.balancer.before(leader.workers, near.workers)

	l.during(func() {
		began := time.Now()
		leader.outpost.Cut(farWorkers)
		for _, w := range l.workers {
			s.until("the link of "+w.name+" is at the other hub", func() (bool, string) { return s.holder(w.id) == near, "" })
		}
		l.done(st)
		t.Logf("a hub is cut off from its workers: all are with the other one, and a deployment is done, after %v", time.Since(began).Round(time.Millisecond))
		leader.outpost.Cut()
	})
	l.pushed()
	l.settle()
	t.Logf("seed 43: %d deployments accepted, %d lost, %d done twice", l.accepted, l.lost, l.doubled)
}
