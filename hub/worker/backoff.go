package worker

import (
	"errors"
	"math/rand/v2"
	"time"

	"berth/core/fault"
)

// How long the worker waits between attempts to connect.
const (
	firstWait   = time.Second
	longestWait = time.Minute
	refusedWait = time.Minute      // when a person has to do something first
	patience    = 10 * time.Minute // the longest wait that the hub may ask for
	stableAfter = 30 * time.Second // in service: the next failure is the first again
)

// backoff decides when to connect again: full jitter, a random time of up to 1, 2, 4, …
// 60 seconds, so that many workers do not come back at once.
type backoff struct {
	failures int // in a row
	random   func(limit time.Duration) time.Duration
}

func newBackoff() *backoff {
	return &backoff{random: func(limit time.Duration) time.Duration { return rand.N(limit + 1) }}
}

// after returns how long to wait after a link that was served for so long, or was
// never in service, ended with err.
func (b *backoff) after(served time.Duration, err error) time.Duration {
	if served >= stableAfter {
		b.failures = 0
	}
	limit := min(firstWait<<min(b.failures, 10), longestWait)
	b.failures++
	jitter := b.random(limit)
	var bye farewell
	var refusal *fault.Error
	switch {
	case errors.As(err, &bye):
		b.failures = 0
		return min(bye.retry, patience) + min(jitter, firstWait)
	case !errors.As(err, &refusal):
		return jitter
	case needsAPerson(refusal.Kind):
		return refusedWait - refusedWait/10 + b.random(refusedWait/5)
	case refusal.RetryAfter > 0:
		return min(refusal.RetryAfter, patience) + min(jitter, max(refusal.RetryAfter/4, firstWait))
	}
	return jitter
}

// needsAPerson reports whether trying again soon cannot help.
func needsAPerson(kind fault.Kind) bool {
	switch kind {
	case fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Invalid, fault.Malformed, fault.Unsupported, fault.TooLarge:
		return true
	}
	return false
}
