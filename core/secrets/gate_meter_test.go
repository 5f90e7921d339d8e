package secrets_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
)

// tally is what a gate counted.
type tally struct {
	mu   sync.Mutex
	told []string // guarded by mu
}

// Resolved implements secrets.Meter.
func (l *tally) Resolved(provider string, ok bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, fmt.Sprint(provider, " ", ok, " ", took > 0))
}

func (l *tally) is(t *testing.T, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.told)
	if !slices.Equal(l.told, want) {
		t.Errorf("counted %q, want %q", l.told, want)
	}
	l.told = nil
}

func TestGateCountsWhatItAsks(t *testing.T) {
	var (
		counted tally
		mu      sync.Mutex
		clock   time.Time
	)
	passing := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Second)
		return clock
	}
	internal := &shelf{name: secrets.Internal, values: map[string]string{"1": "one"}, err: fault.New(fault.Conflict, "secret.no_value", "no value")}
	gate := secrets.NewGate(internal, enabled{&shelf{name: secrets.Vault}}).Measured(&counted, passing)
	has := secrets.Ref{Variable: "A", Provider: secrets.Internal, Reference: "1"}
	lacks := secrets.Ref{Variable: "B", Provider: secrets.Internal, Reference: "2"}
	quiet := secrets.Ref{Variable: "C", Provider: secrets.Vault} // lacks it, and gives no reason
	off := secrets.Ref{Variable: "D", Provider: secrets.Manager}

	if _, err := gate.Resolve(t.Context(), []secrets.Ref{has}); err != nil {
		t.Fatal(err)
	}
	counted.is(t, "internal true true")
	gate.Known(t.Context(), []secrets.Ref{has, lacks, quiet, off})
	counted.is(t, "internal false true", "manager false true", "vault false true")
	if _, err := gate.Resolve(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	counted.is(t)
}
