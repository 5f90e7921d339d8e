package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core/fault"
	"berth/hub/adapter/websocket"
)

// meeting is what came of all workers' attempts since begin.
type meeting struct {
	mu         sync.Mutex
	online     int             // guarded by mu: links in service
	handshakes []time.Duration // guarded by mu: of those that came through
	told       int             // guarded by mu: answers 503 with Retry-After
	unanswered int             // guarded by mu: attempts without any answer, such as while nothing listens
	others     map[string]int  // guarded by mu: every other answer, by what it was
	sent       sent            // guarded by mu: snapshots
}

func (m *meeting) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handshakes, m.told, m.unanswered, m.others = nil, 0, 0, map[string]int{}
}

// came notes an attempt's end.
func (m *meeting) came(took time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var refused *websocket.Refused
	switch {
	case err == nil:
		m.handshakes = append(m.handshakes, took)
	case !errors.As(err, &refused):
		m.unanswered++
	case refused.Status == 503 && refused.RetryAfter > 0:
		m.told++
	default:
		if m.others == nil {
			m.others = map[string]int{}
		}
		m.others[fmt.Sprintf("%d %s", refused.Status, fault.CodeOf(err))]++
	}
}

func (m *meeting) inService(change int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.online += change
}

// reaches waits until n links are in service; the error of alive ends it.
func (m *meeting) reaches(ctx context.Context, n int, alive func() error) error {
	return until(ctx, 10*time.Minute, 20*time.Millisecond, fmt.Sprintf("%d links", n), func(context.Context) (bool, error) {
		return m.now() >= n, alive()
	})
}

// empties waits until every link is known to be over.
func (m *meeting) empties(ctx context.Context) error {
	return until(ctx, time.Minute, time.Millisecond, "the end of all links", func(context.Context) (bool, error) { return m.now() == 0, nil })
}

func (m *meeting) now() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.online
}

// figures tell of a return that took so long.
func (m *meeting) figures(name string, took time.Duration) []figure {
	m.mu.Lock()
	defer m.mu.Unlock()
	p99 := percentile(m.handshakes, 99)
	var others []string
	for _, what := range slices.Sorted(maps.Keys(m.others)) {
		others = append(others, fmt.Sprintf("%d x %s", m.others[what], what))
	}
	if others == nil {
		others = []string{"none"}
	}
	return []figure{
		{name: name + ": all back", result: fmt.Sprintf("%.1f s", took.Seconds()), goal: "under " + backGoal.String(), met: took < backGoal},
		{name: "  handshake, half of them within", result: ms(percentile(m.handshakes, 50))},
		{name: "  handshake, 99 % within", result: ms(p99), goal: "under " + handshakeGoal.String(), met: p99 < handshakeGoal},
		{name: "  answers 503 with Retry-After", result: fmt.Sprint(m.told)},
		{name: "  answers other than 101 and those", result: strings.Join(others, ", "), goal: "none", met: len(m.others) == 0},
		{name: "  attempts without an answer", result: fmt.Sprint(m.unanswered)},
	}
}
