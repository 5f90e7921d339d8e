package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"berth/handlers/api"
	"berth/local/stand/apiclient"
)

const (
	loginWindow = 20 * time.Second // for which each crowd signs in
	loginPause  = 20 * time.Millisecond
)

// measureLogin measures how many people can sign in at once, and what others feel of it.
func measureLogin(ctx context.Context, b *bench) (figures []figure, err error) {
	site, err := b.newSite("bench-login")
	if err != nil {
		return nil, err
	}
	srv, _, err := b.startLocal(ctx, site)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	ask := api.LoginRequest{Email: "bench@example.com", Password: rand.Text()}
	if err := srv.setUpFor(ctx, ask); err != nil {
		return nil, err
	}
	for _, people := range []int{0, 1, 8, 64, 200} {
		c, err := srv.signIns(ctx, people, ask)
		if err != nil {
			return nil, err
		}
		figures = append(figures, c.figures(people)...)
	}
	return figures, nil
}

// signers is what people who sign in at once met, and what somebody met who had done so before.
type signers struct {
	mu      sync.Mutex
	took    []time.Duration // of those that were let in; guarded by mu
	busy    atomic.Int64    // answers 503
	slower  atomic.Int64    // answers 429
	other   []time.Duration // of requests beside
	elapsed time.Duration
}

func (c *signers) figures(people int) []figure {
	beside := figure{name: "  requests beside: p50, p99", result: fmt.Sprintf("%s, %s", ms(median(c.other)), ms(percentile(c.other, 99)))}
	if people == 0 {
		return []figure{{name: "nobody signs in"}, beside}
	}
	return []figure{
		{name: fmt.Sprintf("%d at once: sign-ins in a second", people), result: fmt.Sprintf("%.1f", float64(len(c.took))/c.elapsed.Seconds())},
		{name: "  each: p50, p99", result: fmt.Sprintf("%s, %s", ms(median(c.took)), ms(percentile(c.took, 99)))},
		{name: "  answers 503 with Retry-After; 429", result: fmt.Sprintf("%d; %d", c.busy.Load(), c.slower.Load())},
		beside,
	}
}

// signIns has people sign in again and again for a while.
func (s *server) signIns(ctx context.Context, people int, ask api.LoginRequest) (*signers, error) {
	ctx, cancel := context.WithTimeout(ctx, loginWindow)
	defer cancel()
	c, begun, failed := &signers{}, time.Now(), make(chan error, people)
	var all sync.WaitGroup
	for range people {
		client, err := apiclient.New(s.site.url(), patience, nil)
		if err != nil {
			return nil, err
		}
		all.Go(func() {
			if err := c.signIn(ctx, client, ask); err != nil {
				failed <- err
			}
		})
	}
	for ctx.Err() == nil {
		at := time.Now()
		if status, _, err := s.client.Send(ctx, http.MethodGet, "/api/custom/me", nil); err == nil && status == http.StatusOK {
			c.other = append(c.other, time.Since(at))
		}
		pause(ctx, loginPause) // the context says when it is over
	}
	all.Wait()
	c.elapsed = time.Since(begun)
	select {
	case err := <-failed:
		return nil, err
	default:
		return c, nil
	}
}

func (c *signers) signIn(ctx context.Context, client *apiclient.Client, ask api.LoginRequest) error {
	for ctx.Err() == nil {
		at := time.Now()
		status, err := client.Ask(ctx, http.MethodPost, "/api/custom/login", ask, nil)
		switch {
		case ctx.Err() != nil:
		case status == http.StatusServiceUnavailable:
			c.busy.Add(1)
			pause(ctx, loginPause)
		case status == http.StatusTooManyRequests:
			c.slower.Add(1)
			pause(ctx, loginPause)
		case err != nil:
			return err
		default:
			c.mu.Lock()
			c.took = append(c.took, time.Since(at))
			c.mu.Unlock()
		}
	}
	return nil
}
