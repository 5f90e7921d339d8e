package statuses

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// bench holds one status, and a host that answers as it is told.
type bench struct {
	mu      sync.Mutex
	next    time.Time                 // guarded by mu; zero: nothing is due
	status  repositories.CommitStatus // guarded by mu
	problem string                    // guarded by mu
	targets []string                  // guarded by mu
	answer  error                     // guarded by mu
}

func (b *bench) ClaimStatuses(_ context.Context, _ int, until time.Time) ([]repositories.CommitStatus, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next.IsZero() || b.next.After(time.Now()) {
		return nil, nil
	}
	b.status.Attempts++
	b.next = until
	return []repositories.CommitStatus{b.status}, nil
}

func (b *bench) SettleStatus(_ context.Context, _ repositories.CommitStatus, problem string, next time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problem, b.next = problem, next
	return nil
}

func (b *bench) Source(context.Context, repositories.Repository) (core.GitSource, error) {
	return core.GitSource{}, nil
}

func (b *bench) Tell(_ context.Context, _ core.GitSource, _ repositories.CommitStatus, target string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets = append(b.targets, target)
	return b.answer
}

func TestHowOftenAStatusIsTold(t *testing.T) {
	away := fault.New(fault.Unavailable, "git_provider.unreachable", "The host is away.")
	no := fault.New(fault.Conflict, "commit_status.forbidden", "It must not.")
	for name, c := range map[string]struct {
		way     repositories.StatusHost
		commit  core.Commit
		state   repositories.StatusState
		answer  error
		told    int
		problem string
	}{
		"it arrives":                        {"gitea", "c1", repositories.StatusPending, nil, 1, ""},
		"the host is away":                  {"gitea", "c1", repositories.StatusPending, away, maxAttempts, "The host is away."},
		"the host refuses":                  {"gitea", "c1", repositories.StatusPending, no, 1, "It must not."},
		"it was turned off":                 {"", "c1", repositories.StatusPending, nil, 0, ""},
		"it ended before one was":           {"gitea", "", repositories.StatusFailure, nil, 0, ""},
		"an end arrives as the rest does":   {"gitea", "c1", repositories.StatusSuccess, nil, 1, ""},
		"an end is repeated as the rest is": {"gitea", "c1", repositories.StatusSuccess, away, maxAttempts, "The host is away."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{next: time.Now(), answer: c.answer, status: repositories.CommitStatus{Deployment: "dep_1", Commit: c.commit, State: c.state, Repository: repositories.Repository{Statuses: c.way}}}
				ctx, cancel := context.WithCancel(t.Context())
				r := New(Options{Store: b, Sources: b, Teller: b, App: "https://berth.test", Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
				done := make(chan struct{})
				go func() { defer close(done); r.Run(ctx) }()
				time.Sleep(6 * time.Hour) // of the bubble's clock
				synctest.Wait()
				cancel()
				<-done
				if len(b.targets) != c.told || b.problem != c.problem || !b.next.IsZero() {
					t.Errorf("it was told %d times, and says %q; next at %s", len(b.targets), b.problem, b.next)
				}
				for _, target := range b.targets {
					if target != "https://berth.test/deployments/dep_1" {
						t.Errorf("it leads to %s", target)
					}
				}
			})
		})
	}
}
