package partition

import (
	"context"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/link"
	"berth/local/e2e/rig"
)

// peer speaks the worker's side of the protocol by hand.
type peer struct {
	t     *testing.T
	conn  link.Conn
	epoch uint64
}

// connect dials the server's real worker port and is greeted.
func (id identity) connect(t *testing.T, address string, journal ...wire.JournalEntry) *peer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := id.Dial(t, address)(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	p := &peer{t: t, conn: conn}
	p.say(wire.Hello{Version: "test", Hostname: id.Hostname, Tags: []string{}, OS: "linux", Arch: "amd64", Journal: append([]wire.JournalEntry{}, journal...)})
	p.epoch = hear[wire.Welcome](p).Epoch
	return p
}

// say sends a message; the server may have closed the link by then.
func (p *peer) say(msg any) {
	p.t.Helper()
	frame, err := wire.Encode(msg)
	if err != nil {
		p.t.Fatal(err)
	}
	p.raw(frame)
}

func (p *peer) raw(frame []byte) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(patience))
	_ = p.conn.WriteFrame(frame) // a link that the server has closed is seen by reading
}

// next returns the server's next message, or why there is none.
func (p *peer) next() (any, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	frame, err := p.conn.ReadFrame()
	if err != nil {
		return nil, err
	}
	return wire.Decode(frame)
}

// hear waits for a message of one kind and passes over the others.
func hear[T any](p *peer) T {
	p.t.Helper()
	for {
		msg, err := p.next()
		if err != nil {
			var none T
			p.t.Fatalf("waiting for %T: %v", none, err)
		}
		if m, is := msg.(T); is {
			return m
		}
	}
}

// closed waits until the server has closed the link.
func (p *peer) closed() {
	p.t.Helper()
	for {
		if _, err := p.next(); err != nil {
			return
		}
	}
}

// stack adds the folder app as a stack on this peer's worker, and returns it with its command.
func (p *peer) stack(r *rig.Repository, worker core.WorkerID) (*rig.Stack, wire.Command) {
	p.t.Helper()
	s := r.On(worker, "app")
	return s, hear[wire.Command](p)
}

func accepted(c wire.Command) wire.Accepted { return wire.Accepted{ID: c.ID, Attempt: c.Attempt} }

// success is what a worker says that has put the command's revision in place.
func success(c wire.Command) wire.Result {
	phases := []wire.PhaseEvent{{Name: stacks.PhaseApply, State: stacks.PhaseSucceeded}, {Name: stacks.PhaseVerify, State: stacks.PhaseSucceeded}}
	return wire.Result{ID: c.ID, Attempt: c.Attempt, Status: wire.ResultSucceeded, Phases: phases, Observed: &wire.StackObserved{
		Stack: c.Deploy.Stack, Revision: c.Deploy.Revision, Containers: []stacks.ContainerState{{Service: "app", Container: "app-1", ContainerID: "a", State: "running", Revision: c.Deploy.Revision}}}}
}
