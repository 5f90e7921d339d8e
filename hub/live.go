package hub

import (
	"context"
	"errors"
	"io"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// liveRequest is a question to a worker that lives no longer than the link.
type liveRequest struct {
	replies chan wire.Reply // bounded: a reader that is too slow loses its request
	over    chan struct{}   // closed when no more replies come
	problem error           // set before over is closed
}

// Limits of live requests.
const (
	maxReplies   = 64 // pieces that wait for their reader
	maxRequests  = 64 // on one link
	actionExpiry = 60 * time.Second
	followExpiry = time.Hour
)

var (
	errWorkerAway = fault.New(fault.Unavailable, "worker.offline",
		"The stack's worker is offline, so its containers cannot be reached. They go on running; try again when the worker is back.").After(10 * time.Second)
	errNoWorker = fault.New(fault.Conflict, "stack.not_deployed", "The stack was not deployed to a worker yet, so it has no containers.")
	errTooSlow  = fault.New(fault.Unavailable, "logs.too_slow", "The log came faster than it was read. Ask for fewer lines.")
	errBusy     = fault.New(fault.TooMany, "worker.busy", "Too many questions to this worker are open. Close some logs and try again.").After(5 * time.Second)
)

// Act starts, stops or restarts a compose service of a stack and returns when that is done.
func (h *Hub) Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error {
	ctx, cancel := context.WithTimeout(ctx, actionExpiry)
	defer cancel()
	return h.ask(ctx, s, wire.Request{Kind: kind, Service: service, Seconds: int(actionExpiry.Seconds())}, io.Discard)
}

// Logs writes the last lines of a compose service to w and, when they are to be followed, new
// ones until ctx ends. Secrets that the stack uses are not in them. Conflict "worker.no_times" when the worker is of a
// release that does not tell times, and they are wanted.
func (h *Hub) Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error {
	if err := h.noTimes(ask, s.Worker); err != nil {
		return err
	}
	expiry := actionExpiry
	if ask.Follow {
		expiry = followExpiry
	}
	ctx, cancel := context.WithTimeout(ctx, expiry)
	defer cancel()
	hide, err := h.hiddenOf(ctx, s, service)
	if err != nil {
		return err
	}
	out := hiding(hide.values, ask.Times, w)
	err = h.ask(ctx, s, wire.Request{Kind: wire.RequestLogs, Service: service, Tail: min(ask.Tail, wire.MaxTail), Follow: ask.Follow, Times: ask.Times, Seconds: int(expiry.Seconds()), Secret: hide.templates}, out)
	return errors.Join(err, out.End())
}

func (h *Hub) ask(ctx context.Context, st stacks.Stack, request wire.Request, w io.Writer) error {
	if st.Worker == "" {
		return errNoWorker
	}
	s := h.session(st.Worker)
	if s == nil {
		return errWorkerAway
	}
	request.Stack, request.Project = st.ID, st.ProjectName()
	return s.ask(ctx, request, w)
}

// ask sends a request and copies its replies to w until the last one.
func (s *session) ask(ctx context.Context, request wire.Request, w io.Writer) error {
	live, id, err := s.open()
	if err != nil {
		return err
	}
	defer s.forget(id)
	request.ID = id
	if err := s.link.Send(ctx, request); err != nil {
		return errWorkerAway.Because(err)
	}
	for {
		select {
		case reply := <-live.replies:
			if done, err := deliverReply(reply, w); done || err != nil {
				s.quit(id, done)
				return err
			}
		case <-live.over:
			return live.problem
		case <-ctx.Done():
			s.quit(id, false)
			return ctx.Err()
		}
	}
}

// quit tells the worker that nobody listens any more, unless it has finished.
func (s *session) quit(id uint64, done bool) {
	if !done {
		s.link.TrySend(wire.RequestCancel{ID: id})
	}
}

// deliverReply writes one reply; done is true for the last one.
func deliverReply(reply wire.Reply, w io.Writer) (done bool, err error) {
	if reply.Error != "" {
		return true, fault.New(fault.KindNamed(reply.Kind), reply.Code, "%s", reply.Error)
	}
	if reply.Data != "" {
		if _, err := io.WriteString(w, reply.Data); err != nil {
			return false, err
		}
	}
	return reply.Last, nil
}

func (s *session) open() (*liveRequest, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= maxRequests {
		return nil, 0, errBusy
	}
	s.lastID++
	live := &liveRequest{replies: make(chan wire.Reply, maxReplies), over: make(chan struct{})}
	s.requests[s.lastID] = live
	return live, s.lastID, nil
}

func (s *session) forget(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.requests, id)
}

// reply hands a reply to the one who asked; nobody may be left who did.
func (s *session) reply(m wire.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := s.requests[m.ID]
	if live == nil {
		return
	}
	select {
	case live.replies <- m:
	default:
		s.fail(m.ID, errTooSlow)
		s.link.TrySend(wire.RequestCancel{ID: m.ID})
	}
}

// fail ends a request; mu is held.
func (s *session) fail(id uint64, problem error) {
	live := s.requests[id]
	delete(s.requests, id)
	live.problem = problem
	close(live.over)
}

// failRequests ends every request when the link is over.
func (s *session) failRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.requests {
		s.fail(id, errWorkerAway)
	}
}

// Online reports whether a worker's link is live now.
func (h *Hub) Online(id core.WorkerID) bool { return h.session(id) != nil }
