package worker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/applied"
)

// requests are the live requests of one link. They end with it.
type requests struct {
	engine   Engine
	usage    *usage
	applied  *applied.Store
	turns    *turns[core.StackID]
	link     replier
	log      *slog.Logger
	acted    chan struct{} // holds one: somebody started or stopped containers
	children sync.WaitGroup

	mu      sync.Mutex // guards what follows
	cancels map[uint64]context.CancelFunc
}

// replier is what takes the replies; *link.Link is one.
type replier interface {
	Send(ctx context.Context, msg any) error
	TrySend(msg any) bool
}

func newRequests(engine Engine, usage *usage, records *applied.Store, turns *turns[core.StackID], link replier, log *slog.Logger) *requests {
	return &requests{engine: engine, usage: usage, applied: records, turns: turns, link: link, log: log, acted: make(chan struct{}, 1), cancels: map[uint64]context.CancelFunc{}}
}

// begin answers one request in the background. ctx ends with the link.
func (r *requests) begin(ctx context.Context, m wire.Request) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(m.Seconds)*time.Second)
	if err := r.register(m.ID, cancel); err != nil {
		cancel()
		r.link.TrySend(lastReply(m.ID, err)) // without room for it the hub's own patience ends
		return
	}
	r.children.Go(func() {
		defer cancel()
		err := r.serve(limited, m)
		if limited.Err() != nil && err != nil {
			err = fault.New(fault.Unavailable, "request.timeout", "The container engine did not answer within %d seconds.", m.Seconds)
		}
		if cancelled := r.unregister(m.ID); !cancelled {
			r.link.Send(ctx, lastReply(m.ID, err)) // a link that is over needs no answer
		}
	})
}

func (r *requests) register(id uint64, cancel context.CancelFunc) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancels[id] != nil {
		return fault.New(fault.Conflict, "request.repeated", "The request %d is being answered already.", id)
	}
	if len(r.cancels) >= maxRequests {
		return fault.New(fault.TooMany, "request.too_many", "The worker answers %d live requests already. Close a log and try again.", maxRequests)
	}
	r.cancels[id] = cancel
	return nil
}

// unregister reports whether the request had been cancelled.
func (r *requests) unregister(id uint64) (cancelled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, still := r.cancels[id]
	delete(r.cancels, id)
	return !still
}

// cancel ends a request without an answer.
func (r *requests) cancel(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.cancels[id]; cancel != nil {
		delete(r.cancels, id)
		cancel()
	}
}

func (r *requests) wait() { r.children.Wait() }

func (r *requests) serve(ctx context.Context, m wire.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("a live request panicked", "request", m.Kind, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("a defect in the worker's program")
		}
	}()
	switch m.Kind {
	case wire.RequestLogs:
		return r.logs(ctx, m)
	case wire.RequestUsage:
		return r.tellUsage(ctx, m)
	}
	if r.turns.runs(m.Stack) {
		return fault.New(fault.Conflict, "stack.busy", "A deployment of this stack is running on its worker. Try again when it has ended.")
	}
	defer r.tell()
	switch m.Kind {
	case wire.RequestStart:
		return r.engine.Start(ctx, m.Project, m.Service)
	case wire.RequestStop:
		return r.stop(ctx, m)
	case wire.RequestRestart:
		return r.engine.Restart(ctx, m.Project, m.Service)
	}
	return fault.New(fault.Unsupported, "request.unknown", "The worker does not know the request %q; it may be older than the hub.", m.Kind)
}

// stop stops a compose service that is to stay so until somebody starts it, or the stack is
// deployed. That is recorded first: the engine tells of the stop as of anybody's.
func (r *requests) stop(ctx context.Context, m wire.Request) error {
	list, err := r.engine.Containers(ctx, m.Project)
	if err != nil {
		return err
	}
	var ids []string
	for _, c := range ownOf(list, m.Stack) {
		if c.Service == m.Service {
			ids = append(ids, c.ContainerID)
		}
	}
	if err := r.applied.Halted(m.Stack, ids...); err != nil {
		return diskFault(err)
	}
	return r.engine.Stop(ctx, m.Project, m.Service)
}

// tell makes the session look at what runs now.
func (r *requests) tell() {
	select {
	case r.acted <- struct{}{}:
	default:
	}
}

func (r *requests) logs(ctx context.Context, m wire.Request) error {
	out := newChunker(func(data string) error { return r.link.Send(ctx, wire.Reply{ID: m.ID, Data: data}) })
	var flusher sync.WaitGroup
	flushing, stop := context.WithCancel(ctx)
	flusher.Go(func() { out.run(flushing) })
	err := r.engine.Logs(ctx, m.Project, m.Service, LogAsk{Tail: m.Tail, Follow: m.Follow, Times: m.Times, Secret: m.Secret}, out)
	stop()
	flusher.Wait()
	if ended := out.end(); err == nil {
		err = ended
	}
	if m.Follow && ctx.Err() != nil {
		return nil // following ends like this
	}
	return err
}

// tellUsage sends what the containers of a stack use.
func (r *requests) tellUsage(ctx context.Context, m wire.Request) error {
	out := newChunker(func(data string) error { return r.link.Send(ctx, wire.Reply{ID: m.ID, Data: data}) })
	err := json.NewEncoder(out).Encode(r.usage.of(ctx, m.Project))
	return errors.Join(err, out.end())
}

func lastReply(id uint64, err error) wire.Reply {
	if err == nil {
		return wire.Reply{ID: id, Last: true}
	}
	return wire.Reply{ID: id, Last: true, Kind: fault.KindOf(err).String(), Code: fault.CodeOf(err), Error: publicText(err)}
}
