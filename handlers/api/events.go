package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// ChangeAwaiter tells when something was stored.
type ChangeAwaiter interface {
	// AwaitChanges returns once something was stored after what was counted as seen, or when ctx ends. Zero was seen
	// by nobody.
	AwaitChanges(ctx context.Context, seen uint64) core.Changes
	// ChangesSeen returns the count that a mark names; zero for a mark of another process.
	ChangesSeen(mark string) uint64
}

// ChangeEvent tells that something was stored, and not what: who wants to know reads it.
type ChangeEvent struct {
	Number uint64          `json:"number"` // goes up; means nothing on another connection
	Of     []core.ChangeOf `json:"of"`     // stacks, deployments, logs, jobs, runs, workers, repositories, others
}

const (
	heartbeat  = 15 * time.Second      // between two pieces of a stream in which nothing happens
	eventPause = 50 * time.Millisecond // in which changes gather that come together

	// maxStreams is how many streams of events one user, or one API key's account, has at most. A browser opens six
	// connections to a server without TLS, and needs some for pages.
	maxStreams = 16
)

var errStreams = fault.New(fault.TooMany, "events.too_many",
	"There are %d streams of events for this account already, which is as many as there may be. Close one, or ask for what interests you now and then.", maxStreams).After(time.Minute)

// Events sends an event "changed" at once, and again whenever something was stored, until the client goes or
// loses the right to it. Each has a mark as its id: whoever gives it back in Last-Event-ID hears at first of what was
// stored since, if anything was. Where the host cannot stream, there is the first alone, and how soon to ask again.
func Events(source ChangeAwaiter) http.Handler {
	open := openStreams{of: map[string]int{}}
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		lasting, err := lastingOf(r)
		if err != nil {
			return err
		}
		leave, free := open.enter(endpoint.Principal(r.Context()).ID)
		if !free {
			return errStreams
		}
		defer leave()
		ctx, cancel := context.WithTimeout(r.Context(), lasting)
		defer cancel()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Accel-Buffering", "no") // nginx would keep it until there is more
		fmt.Fprintf(w, "retry: %d\n\n", comeBack.Milliseconds())
		if _, whole := endpoint.Room(r.Context()); whole {
			endpoint.SayUnstreamed(w)
			cancel() // what there is by now is all
		}
		sendChanges(ctx, w, source, source.ChangesSeen(r.Header.Get("Last-Event-ID")))
		return nil
	})
}

// sendChanges sends what comes after what was seen until ctx ends or the client goes.
func sendChanges(ctx context.Context, w http.ResponseWriter, source ChangeAwaiter, seen uint64) {
	flush := http.NewResponseController(w).Flush
	flush() // a client that has seen all hears by this that the stream began; one that left is noticed below
	for {
		found := awaitBriefly(ctx, source, seen)
		var err error
		switch {
		case found.Count != seen:
			err = sendEvent(w, "changed", found.Mark, ChangeEvent{Number: found.Count, Of: found.Of})
		case ctx.Err() != nil:
			return
		default:
			_, err = fmt.Fprint(w, ":\n\n") // so that both ends know of each other
		}
		seen = found.Count
		if ctx.Err() != nil || err != nil || flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(eventPause):
		}
	}
}

func awaitBriefly(ctx context.Context, source ChangeAwaiter, seen uint64) core.Changes {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return source.AwaitChanges(ctx, seen)
}

// lastingOf reads how long a stream goes on: ?for=, at most and without it streamLimit.
func lastingOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("for")
	if text == "" {
		return streamLimit, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > streamLimit {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "for", Problem: "must be a duration from 0s to 30m, such as 5m"}})
	}
	return d, nil
}

// openStreams counts what streams to whom.
type openStreams struct {
	mu sync.Mutex
	of map[string]int // by principal; guarded by mu
}

func (o *openStreams) enter(who string) (leave func(), free bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of[who] >= maxStreams {
		return nil, false
	}
	o.of[who]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.of[who]--; o.of[who] == 0 {
			delete(o.of, who)
		}
	}, true
}
