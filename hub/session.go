package hub

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/wire"
	"berth/hub/link"
)

// session is one worker's live link: what it says is applied, and what it is to do is sent.
type session struct {
	// Set once.
	h      *Hub
	worker linked
	link   *link.Link
	end    context.CancelCauseFunc // ends the link

	// Set by the greeting, before anything else uses them.
	epoch  uint64
	runs   bool                   // the worker takes runs of jobs
	tells  bool                   // the worker tells what containers use
	times  bool                   // the worker tells when lines of logs were written
	judges bool                   // the worker refuses what policy does not allow
	policy policy.Policy          // of the worker's host, as it said
	limits []policy.Layer         // of the worker's host, as it said
	joined bool                   // it was the worker's current session
	ended  map[core.CommandID]int // attempts of commands whose result the worker holds: not sent again

	stacks   delivery // sends commands
	jobs     delivery // sends runs
	content  chore    // sends blobs
	children sync.WaitGroup
	ready    atomic.Bool   // greeted: others may use the link
	running  atomic.Bool   // the worker has a run
	before   *session      // whose place it took; nil once that is over
	over     chan struct{} // closed when nothing of this session, or of one before, is applied any more

	strikes int   // of the reader: messages about what is not this worker's
	report  parts // of the reader: what the worker has told so far of everything

	mu       sync.Mutex
	orders   map[core.CommandID]order // guarded by mu: what is done about what comes of a command; nil: nothing
	blobs    []wire.BlobWant          // guarded by mu: wishes that wait
	requests map[uint64]*liveRequest  // guarded by mu
	lastID   uint64                   // guarded by mu
}

// linked is whom a link belongs to.
type linked struct {
	ID       core.WorkerID
	Hostname string // as it was registered
}

// Limits of a session.
const (
	maxBlobsWaiting = 1024
	maxStrikes      = 3
	byeTimeout      = 2 * time.Second
)

var (
	errStopping   = errors.New("the hub is stopping")
	errSuperseded = errors.New("the worker made a newer connection")
	errDefect     = errors.New("a message ran into a defect of this program; its log has the details")
	errStrikes    = errors.New("the worker kept sending about commands that are not its own")
)

// Serve talks to a worker that was admitted, until its link is over. It implements the
// worker port's wish for a hub.
func (h *Hub) Serve(ctx context.Context, conn link.Conn, worker core.WorkerID, hostname string) error {
	ctx, member := h.asMember(ctx)
	if !member {
		conn.Close()
		return errNoMember
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := &session{
		h: h, worker: linked{worker, hostname}, end: end, over: make(chan struct{}),
		stacks: delivery{lane: laneStacks}, jobs: delivery{lane: laneRuns},
		ended: map[core.CommandID]int{}, orders: map[core.CommandID]order{}, requests: map[uint64]*liveRequest{},
		link: link.New(conn, link.Options{Side: link.Hub, ReadTimeout: 3 * h.opts.Heartbeat, Unknown: func(err error) {
			h.log.Warn("a worker says what this release does not know; it is left out", "worker", worker, "error", err)
		}}),
	}
	if !h.admit(s) {
		conn.Close()
		return errStopping
	}
	defer h.serving.Done()
	err := s.link.Carry(ctx, end, s.handleSafely)
	s.leave(context.WithoutCancel(ctx))
	h.log.Info("worker left", "worker", worker, "hostname", hostname, "reason", err)
	return err
}

// admit counts a session in, unless the hub is stopping.
func (h *Hub) admit(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if self, _ := h.members.now(); h.closing || h.opts.Peers != nil && self == nil {
		return false
	}
	h.links[s] = true
	h.serving.Add(1)
	return true
}

// closeSessions tells every worker when to come back, and ends its link.
func (h *Hub) closeSessions() {
	h.mu.Lock()
	h.closing = true
	all := slices.Collect(maps.Keys(h.links))
	h.mu.Unlock()
	farewell(all, errStopping)
}

// farewell ends links after telling their workers why, and when to come back.
func farewell(all []*session, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
	defer cancel()
	var farewells sync.WaitGroup
	for _, s := range all {
		farewells.Go(func() { s.bye(ctx, why, comeBack(len(all))) })
	}
	farewells.Wait()
}

// backRate is how many workers a second are told to come back: no more than a server with two processors takes while
// it also does something else, so that none has to wait in a queue, and ten thousand are back within 45 seconds.
const backRate = 250

// comeBack is when one of so many workers is to come back, in seconds.
func comeBack(links int) int { return 1 + rand.IntN(1+links/backRate) }

// bye ends the link after telling the worker why; a peer that does not read is not waited for.
func (s *session) bye(ctx context.Context, why error, retrySeconds int) {
	if err := s.link.Send(ctx, wire.Bye{Reason: why.Error(), RetrySeconds: retrySeconds}); err == nil {
		// The link ends either way; an unsent farewell only costs the worker its reason.
		_ = s.link.Flush(ctx)
	}
	s.end(why)
}

// Revoked ends the link of a worker that was revoked.
func (h *Hub) Revoked(id core.WorkerID) {
	h.mu.Lock()
	h.revoked[id] = true
	s := h.sessions[id]
	h.mu.Unlock()
	if s != nil {
		s.end(fleet.Revoked())
	}
}

// wake makes the session look for commands to send. It never blocks.
func (s *session) wake() {
	s.stacks.wake()
	s.jobs.wake()
}

// handleSafely ends the link, and only that, when a message runs into a defect.
func (s *session) handleSafely(ctx context.Context, msg any) (err error) {
	if s.h.safely(s.worker.ID, func() { err = s.handle(ctx, msg) }) {
		return errDefect
	}
	return err
}

// lasting runs what is done beside the reading of the link; a defect in it ends the link.
func (s *session) lasting(work func()) {
	if s.h.safely(s.worker.ID, work) {
		s.end(errDefect)
	}
}

// handle applies one message, while the link's reader waits.
func (s *session) handle(ctx context.Context, msg any) error {
	if hello, first := msg.(wire.Hello); first || s.epoch == 0 {
		if !first || s.epoch != 0 {
			return fault.New(fault.Malformed, "wire.order", "A link begins with exactly one hello.")
		}
		return s.greet(ctx, hello)
	}
	ctx = s.fenced(ctx)
	switch m := msg.(type) {
	case wire.Heartbeat:
		s.alive(m)
		return s.link.Send(ctx, wire.HeartbeatAck{Number: m.Number})
	case wire.Snapshot:
		s.h.opts.Snapshots.Put(s.worker.ID, metrics.Snapshot{Text: m.Text, Changes: m.Changes, Ended: m.Ended})
	case wire.Observed:
		return s.observed(ctx, m)
	case wire.Accepted:
		return s.accepted(ctx, m)
	case wire.Event:
		return s.event(ctx, m)
	case wire.Result:
		return s.result(ctx, m)
	case wire.BlobWant:
		return s.wantBlob(ctx, m)
	case wire.Reply:
		s.reply(m)
	case wire.Bye:
		return errors.New("the worker said goodbye: " + m.Reason)
	}
	return nil
}

// alive notes a heartbeat, and the round trip that the worker measured with the one before.
func (s *session) alive(m wire.Heartbeat) {
	took := time.Duration(m.RoundTripUS) * time.Microsecond
	s.h.opts.Snapshots.Heard(s.worker.ID, took)
	if took > 0 {
		s.h.opts.Meter.RoundTrip(took)
	}
}

// strike counts a message about something that is not this worker's. A few may be honest
// (the row is gone); more are not.
func (s *session) strike(what string) error {
	s.strikes++
	s.h.opts.Meter.Refused(what)
	if s.strikes > maxStrikes {
		return errStrikes
	}
	return nil
}
