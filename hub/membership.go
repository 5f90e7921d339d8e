package hub

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
)

// Peers is what a hub that may not be the only one tells the others, and hears of them.
type Peers interface {
	// JoinHubs writes this hub's row. Conflict "hub.release" beside hubs of another release, "store.newer" when a newer program has
	// changed the database.
	JoinHubs(ctx context.Context, h hubs.Hub) error
	// RenewHub makes its lease longer; NotFound "hub.unknown" when it was taken to be gone.
	RenewHub(ctx context.Context, id core.HubID) error
	// LeaveHubs removes its row and marks its workers as gone.
	LeaveHubs(ctx context.Context, id core.HubID) error
	// ExpireHubs removes hubs that were not heard of, and marks their workers as gone.
	ExpireHubs(ctx context.Context) (gone []core.HubID, err error)
	// TakeLease takes or renews a lease; Conflict "hub.lease_held" while another holds it.
	TakeLease(ctx context.Context, name hubs.LeaseName, holder core.HubID) (hubs.Lease, error)
	// DropLease gives a lease back.
	DropLease(ctx context.Context, l hubs.Lease) error
	// Wake tells the hub that holds a worker's link that there may be commands for it.
	Wake(ctx context.Context, id core.WorkerID)
	// RunEnded tells the hub that holds the lease Duties that runs have ended.
	RunEnded(ctx context.Context)
	// Arrived tells the hub that holds the lease Duties that a worker with these tags came.
	Arrived(ctx context.Context, tags []string)
}

// membership is this hub among others; without Peers it is not used.
type membership struct {
	mu   sync.Mutex
	id   core.HubID      // guarded by mu; of the row that is to be removed at the end
	self context.Context // guarded by mu; what the hub does as a member; nil while it is none
	lead context.Context // guarded by mu; what it does as the holder of the lease Duties; nil while it is not
}

func (m *membership) enter(id core.HubID, self context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, m.self, m.lead = id, self, nil
}

func (m *membership) set(self, lead context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.self, m.lead = self, lead
}

// leave says that nothing may be done as a member any more.
func (m *membership) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.self, m.lead = nil, nil
}

// now returns the contexts of what may be done at this moment; nil: nothing of that kind.
func (m *membership) now() (self, lead context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.self, m.lead
}

// belong keeps this hub a member until ctx ends, and runs the duties while it holds their lease. It returns an error when this hub
// can never be one again: a newer release has changed the database.
func (h *Hub) belong(ctx context.Context) error {
	if h.opts.Peers == nil {
		h.duties(ctx)
		return nil
	}
	for ctx.Err() == nil {
		self := h.opts.Self
		self.ID, self.StartedAt = core.HubID(core.NewID(core.PrefixHub, h.opts.Now())), h.opts.Now()
		short, cancel := context.WithTimeout(ctx, hubs.StopAfter) // a database behind a dead connection may never answer
		err := h.opts.Peers.JoinHubs(short, self)
		cancel()
		if fault.CodeOf(err) == "store.newer" {
			return err
		}
		if err != nil {
			h.report("this hub cannot join; workers are told to come again", err)
			wait(ctx, hubs.RenewEvery)
			continue
		}
		h.log.Info("hub joined", "hub", self.ID, "url", self.URL)
		h.remain(ctx, self.ID)
	}
	return nil
}

// retryRenewal is how soon a renewal that failed is tried again.
const retryRenewal = time.Second

// remain is a member's life: it returns when ctx ends, when the others took this hub to be gone, or
// when nothing was heard of the database for so long that they may have.
func (h *Hub) remain(ctx context.Context, id core.HubID) {
	member, end := context.WithCancel(hubs.Under(ctx, hubs.Fence{Hub: id}))
	defer end()
	h.members.enter(id, member)
	lead := &leader{h: h, id: id}
	heard := time.Now()
	for ctx.Err() == nil {
		asked := time.Now()
		err := h.renew(member, id, hubs.StopAfter-time.Since(heard))
		if err == nil {
			heard = asked
		}
		h.report("this hub's lease cannot be renewed", err)
		left := hubs.StopAfter - time.Since(heard)
		if fault.CodeOf(err) == "hub.unknown" || left <= 0 {
			break
		}
		if err != nil {
			wait(ctx, min(left, retryRenewal))
			continue
		}
		h.report("who leads cannot be found out", lead.decide(member))
		wait(ctx, max(0, hubs.RenewEvery-time.Since(asked)))
	}
	h.members.leave()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	lead.down(last)
	if ctx.Err() != nil {
		return // Run says goodbye to the workers before this hub leaves
	}
	h.dropSessions()
	end()
	h.recorder.forgetAll()
	h.runs.forgetAll()
	h.leavePeers(last)
}

// leavePeers removes this hub's row, so that nobody waits for the end of its lease.
func (h *Hub) leavePeers(ctx context.Context) {
	h.members.mu.Lock()
	id := h.members.id
	h.members.id = ""
	h.members.mu.Unlock()
	if id != "" {
		h.report("this hub's row stays until its lease ends", h.opts.Peers.LeaveHubs(ctx, id))
	}
}

// asMember returns ctx such that its writes count only while this hub is a member; false: it is none.
func (h *Hub) asMember(ctx context.Context) (context.Context, bool) {
	if h.opts.Peers == nil {
		return ctx, true
	}
	self, _ := h.members.now()
	if self == nil {
		return ctx, false
	}
	for _, f := range hubs.Fences(self) {
		ctx = hubs.Under(ctx, f)
	}
	return ctx, true
}

// Arrived lets the deployments look again that wait for a worker with these tags.
func (h *Hub) Arrived(tags []string) {
	h.unpark(waitsForWorker, tags)
	h.Nudge()
}

// renew gives the word that this hub is there. It takes no longer than within: what is said later may
// be too late.
func (h *Hub) renew(ctx context.Context, id core.HubID, within time.Duration) error {
	short, cancel := context.WithTimeout(ctx, min(within, hubs.RenewEvery))
	defer cancel()
	return h.opts.Peers.RenewHub(short, id)
}

// leader runs the duties while the lease is held. It belongs to one goroutine.
type leader struct {
	h     *Hub
	id    core.HubID
	lease hubs.Lease
	heard time.Time          // when the lease was asked for that was given last
	end   context.CancelFunc // nil: the lease is not held
	over  chan struct{}
}

// decideTime is less than a hub has to spare between two of its own renewals: another one that stands
// still may hold the rows that are asked for, and must not take this one along.
const decideTime = 2 * time.Second

// decide removes the hubs that were not heard of, and takes or keeps the lease of the duties.
func (l *leader) decide(member context.Context) error {
	asked := time.Now()
	short, cancel := context.WithTimeout(member, decideTime)
	defer cancel()
	gone, err := l.h.opts.Peers.ExpireHubs(short)
	if len(gone) > 0 {
		l.h.log.Warn("hubs were not heard of and are taken to be gone", "hubs", gone)
		l.h.Nudge()
	}
	var lease hubs.Lease
	if err == nil {
		lease, err = l.h.opts.Peers.TakeLease(short, hubs.Duties, l.id)
	}
	switch {
	case err == nil:
		l.heard = asked
		l.begin(member, lease)
	case fault.CodeOf(err) == "hub.lease_held":
		l.down(member)
		return nil
	case l.end != nil && time.Since(l.heard) > hubs.StopAfter:
		l.down(member)
	}
	return err
}

// begin starts the duties, unless they run under this very lease.
func (l *leader) begin(member context.Context, lease hubs.Lease) {
	if l.end != nil && l.lease == lease {
		return
	}
	l.down(member)
	l.lease, l.over = lease, make(chan struct{})
	ctx, end := context.WithCancel(hubs.Under(member, hubs.Fence{Lease: lease}))
	l.end = end
	l.h.log.Info("this hub looks at repositories and prepares deployments from now on", "hub", l.id, "epoch", lease.Epoch)
	l.h.members.set(member, ctx)
	l.h.mirrored.forget()
	go func() {
		defer close(l.over)
		l.h.duties(ctx)
	}()
	l.h.Nudge()
}

// down ends the duties, if they run, and gives the lease back.
func (l *leader) down(ctx context.Context) {
	if l.end == nil {
		return
	}
	self, _ := l.h.members.now()
	l.h.members.set(self, nil)
	l.end()
	<-l.over
	l.h.polls.wait()
	l.h.pipelines.wait()
	l.h.recorder.putDown(ctx, prepared)
	l.end = nil
	l.h.report("the lease of the duties ends by itself", l.h.opts.Peers.DropLease(ctx, l.lease))
}

// prepared reports whether a deployment was being prepared here.
func prepared(known *recording[notes]) bool { return known.progress.Revision == 0 }

// duties is what happens once, whatever the number of hubs, beside what each look does.
func (h *Hub) duties(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { h.keepUp(ctx) })
	all.Go(func() { h.giveKeys(ctx) })
	all.Go(func() { h.renewKeys(ctx) })
	all.Go(func() { h.tellFigures(ctx) })
	all.Go(func() { h.compareSecrets(ctx) })
	all.Go(func() { h.keepTime(ctx) })
	if h.opts.Post != nil {
		all.Go(func() { h.opts.Post.Run(ctx) })
	}
	all.Wait()
	h.wakers.wait()
}

var errNoMember = errors.New("the hub has lost touch with the database or the other hubs")

// dropSessions sends every worker to another hub, and returns when none is linked here.
func (h *Hub) dropSessions() {
	h.mu.Lock()
	all := slices.Collect(maps.Keys(h.links))
	h.mu.Unlock()
	farewell(all, errNoMember)
	for _, s := range all {
		<-s.over
	}
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
