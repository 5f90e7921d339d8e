package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"berth/core/seal"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// Goals for many workers that come back at once.
const (
	backGoal      = time.Minute
	handshakeGoal = 2 * time.Second
)

// atOnce is how many workers register at the same time.
const atOnce = 100

// measureLinks restarts a server with many links, once in order and once with kill -9.
func measureLinks(ctx context.Context, b *bench) (figures []figure, err error) {
	s, err := b.newSite("links")
	if err != nil {
		return nil, err
	}
	srv, _, err := b.startLocal(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := srv.setUp(ctx); err != nil {
		return nil, err
	}
	b.say("making %d worker tokens", b.links)
	tokens, err := srv.workerTokens(ctx, b.links)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(ctx)
	m := &meeting{}
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer end()
	b.say("bringing %d workers in", b.links)
	for i, token := range tokens {
		w, err := newLightWorker(s.workerURL(), token, i)
		if err != nil {
			return nil, err
		}
		crowd.Go(func() { w.run(life, m) })
		if err := m.reaches(ctx, i-atOnce, srv.alive); err != nil { // registration is not what is measured
			return nil, err
		}
	}
	if err := m.reaches(ctx, b.links, srv.alive); err != nil {
		return nil, err
	}
	for _, way := range []struct {
		name string
		end  func() error
	}{
		{"restart in order", func() error { return srv.stop() }},
		{"kill -9", func() error { return srv.kill() }},
	} {
		b.say("%s with %d links", way.name, b.links)
		m.begin()
		if err := way.end(); err != nil {
			return nil, err
		}
		if err := m.empties(ctx); err != nil { // every worker has noticed
			return nil, err
		}
		key := srv.client.Key
		next, _, err := b.startLocal(ctx, s)
		if err != nil {
			return nil, err
		}
		next.client.Key, srv = key, next
		if err := m.reaches(ctx, b.links, srv.alive); err != nil {
			return nil, err
		}
		took := time.Since(srv.started)
		used, err := processorTime(srv.pid())
		if err != nil {
			return nil, err
		}
		figures = append(figures, m.figures(fmt.Sprintf("%d links, %s", b.links, way.name), took)...)
		figures = append(figures, figure{name: "  processor time of the server until then", result: fmt.Sprintf("%.1f s", used.Seconds())})
		if err := srv.allOnline(ctx, b.links); err != nil {
			return nil, err
		}
		held, err := memoryOf(srv.pid())
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{name: "  memory of the server", result: held.String()})
	}
	return figures, nil
}

// kill ends the process as kill -9 does.
func (c *child) kill() error {
	err := c.cmd.Process.Signal(syscall.SIGKILL)
	<-c.ended
	return err
}

// workerTokens issues n tokens.
func (s *server) workerTokens(ctx context.Context, n int) ([]seal.Token, error) {
	tokens, errs := make([]seal.Token, n), make([]error, adders)
	var all sync.WaitGroup
	for a := range adders {
		all.Go(func() {
			for i := a; i < n && errs[a] == nil; i += adders {
				var issued api.IssuedWorkerToken
				if issued, errs[a] = post[api.IssuedWorkerToken](ctx, s.client, "/api/custom/workers/tokens", api.WorkerTokenRequest{}); errs[a] == nil {
					tokens[i], errs[a] = seal.ParseToken(issued.Token)
				}
			}
		})
	}
	all.Wait()
	return tokens, errors.Join(errs...)
}

// allOnline waits until the server itself shows n workers online.
func (s *server) allOnline(ctx context.Context, n int) error {
	return until(ctx, time.Minute, time.Second, fmt.Sprintf("%d workers online", n), func(ctx context.Context) (bool, error) {
		online := 0
		for after := ""; ; {
			list, err := get[endpoint.Items[api.WorkerAnswer]](ctx, s.client, "/api/custom/workers?online=true&limit=500&after="+url.QueryEscape(after))
			if err != nil {
				return false, errors.Join(err, s.alive())
			}
			online += len(list.Items)
			if after = list.Next; after == "" {
				return online == n, nil
			}
		}
	})
}

// percentile returns the value that so many percent of values do not exceed; zero when there are none.
func percentile(values []time.Duration, percent int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
