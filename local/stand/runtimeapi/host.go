package runtimeapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxPayload is what passes of an event or an answer, in bytes.
const maxPayload = 6<<20 + 100

// Options say what is run.
type Options struct {
	Program string        // path of the function's program
	Env     []string      // its environment, beside what the host sets
	Timeout time.Duration // of an invocation; 0: 30 s
}

// Host runs one instance of a function at a time. It is safe for concurrent use; invocations
// wait for each other.
type Host struct {
	options Options
	server  *http.Server
	address string
	served  chan struct{} // closed when the server has ended

	turn sync.Mutex // held by the invocation under way

	mu       sync.Mutex
	instance *instance // guarded by mu; nil: none runs
	log      bytes.Buffer
	starts   int
	handed   int // events
}

// Open opens the runtime API on a free port of this host. Nothing runs before the first event.
func Open(o Options) (*Host, error) {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &Host{options: o, address: listener.Addr().String(), served: make(chan struct{})}
	h.server = &http.Server{Handler: h.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(h.served)
		_ = h.server.Serve(listener) // until Close
	}()
	return h, nil
}

// Close kills the instance, if any, and frees the port.
func (h *Host) Close() error {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.kill()
	err := h.server.Close()
	<-h.served
	return err
}

// Failure is why an invocation has no answer.
type Failure struct {
	Kind string // "too large": an event or answer; "error": the function said so; "exit": it ended; "timeout": it was killed
	Text string // what the function said, or the host
}

// Error implements error.
func (f *Failure) Error() string { return f.Kind + ": " + f.Text }

// FailureOf returns the failure in err; nil when it is none.
func FailureOf(err error) *Failure {
	failure, _ := errors.AsType[*Failure](err)
	return failure
}

// Invocation is an answer with what it took.
type Invocation struct {
	Answer []byte
	Cold   bool          // an instance was started for it
	Init   time.Duration // from the instance's start until it asked for the event; 0 when it was not cold
	Took   time.Duration // of the whole, a start included
}

// Invoke hands an event to the function and returns its answer, or a *Failure.
func (h *Host) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	done, err := h.Do(ctx, event)
	return done.Answer, err
}

// Do is Invoke with what it took.
func (h *Host) Do(ctx context.Context, event []byte) (done Invocation, err error) {
	if len(event) > maxPayload {
		return done, &Failure{"too large", fmt.Sprintf("the event has %d bytes, %d pass", len(event), maxPayload)}
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	began := time.Now()
	running, cold, err := h.running()
	if err != nil {
		return done, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.options.Timeout)
	defer cancel()
	deadline, _ := ctx.Deadline()
	call := &invocation{id: rand.Text(), event: event, deadline: deadline, done: make(chan result, 1)}
	answer, err := h.await(ctx, running, call)
	if err == errGone && !cold { // while it was at rest: the host starts another
		if running, cold, err = h.running(); err != nil {
			return done, err
		}
		answer, err = h.await(ctx, running, call)
	}
	if err == errGone {
		err = &Failure{"exit", "the instance ended before it asked for an event: " + running.state()}
	}
	done = Invocation{Answer: answer, Cold: cold, Took: time.Since(began)}
	if cold {
		done.Init = running.asked().Sub(began)
	}
	return done, err
}

// errGone says that an instance ended before it had the event.
var errGone = errors.New("the instance is gone")

// await hands an invocation to the instance and waits for what becomes of it.
func (h *Host) await(ctx context.Context, running *instance, call *invocation) ([]byte, error) {
	select {
	case running.next <- call:
	case <-running.ended:
		h.forget(running)
		return nil, errGone
	case <-ctx.Done():
		h.kill()
		return nil, &Failure{"timeout", "the instance did not ask for an event in time"}
	}
	select {
	case r := <-call.done:
		return r.answer, r.err
	case <-running.ended:
		h.forget(running)
		return nil, &Failure{"exit", "the instance ended during the invocation: " + running.state()}
	case <-ctx.Done():
		h.kill()
		return nil, &Failure{"timeout", fmt.Sprintf("the task timed out after %v", h.options.Timeout)}
	}
}

// Starts returns how many instances were started so far.
func (h *Host) Starts() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.starts
}

// Handed returns how many events instances have been handed so far.
func (h *Host) Handed() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.handed
}

// Pid returns the process of the instance that runs; 0: none.
func (h *Host) Pid() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.instance == nil {
		return 0
	}
	return h.instance.cmd.Process.Pid
}

// Log returns what instances have written so far.
func (h *Host) Log() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}
