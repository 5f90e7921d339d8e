package pace

import (
	"sync"
	"time"

	"berth/core"
)

// Rule is how many at once and how often after that.
type Rule struct {
	Burst int           // tokens of a full bucket, at least 1
	Every time.Duration // until one more token, above 0
}

// Buckets is one bucket for each key, all under one rule. It holds at most max of them:
// full buckets are forgotten, being no different from new ones, and when none is full, new keys share
// one bucket, so that a flood of keys is slowed rather than remembered. Safe for
// concurrent use.
type Buckets struct {
	rule Rule
	max  int
	now  core.Clock

	mu     sync.Mutex
	full   map[string]time.Time // guarded by mu: when the key's bucket will be full again
	pruned time.Time            // guarded by mu: when full buckets were last forgotten
}

// overflow is the key of the bucket that keys share when there are too many.
const overflow = "\x00"

// New returns empty Buckets for at most max keys.
func New(rule Rule, max int, now core.Clock) *Buckets {
	return &Buckets{rule: rule, max: max, now: now, full: map[string]time.Time{}}
}

// Take takes a token from the bucket of key and returns zero; when there is none it takes nothing
// and returns how long to wait for one.
func (b *Buckets) Take(key string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	key = b.slot(key, now)
	// An empty bucket is full again after Burst times Every; the bucket has a token
	// when one more taken would not go beyond that.
	full := b.full[key]
	if b.isFull(full, now) {
		full = now
	}
	full = full.Add(b.rule.Every)
	if wait := full.Sub(now) - b.filling(); wait > 0 {
		return wait
	}
	b.full[key] = full
	return 0
}

// Empty reports whether Take would find no token in the bucket of key now. It takes none.
func (b *Buckets) Empty(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	full, found := b.full[key]
	if !found {
		full = b.full[overflow]
	}
	return !b.isFull(full, now) && full.Add(b.rule.Every).Sub(now) > b.filling()
}

// Give puts a token back that Take took: what it was taken for was not to be counted.
func (b *Buckets) Give(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if full, found := b.full[key]; found {
		b.full[key] = full.Add(-b.rule.Every)
	}
}

// slot returns the key under which the bucket of key is kept.
func (b *Buckets) slot(key string, now time.Time) string {
	if _, found := b.full[key]; found || len(b.full) < b.max {
		return key
	}
	if now.Sub(b.pruned) >= b.rule.Every { // before that, hardly any has filled up
		b.pruned = now
		for other, full := range b.full {
			if b.isFull(full, now) {
				delete(b.full, other)
			}
		}
	}
	if len(b.full) < b.max {
		return key
	}
	return overflow
}

// filling is how long an empty bucket takes to be full.
func (b *Buckets) filling() time.Duration { return time.Duration(b.rule.Burst) * b.rule.Every }

// isFull reports whether a bucket that fills at full is full at now. One that would take
// longer than a bucket can is left from before the clock was set back, and is forgiven.
func (b *Buckets) isFull(full, now time.Time) bool {
	return !full.After(now) || full.Sub(now) > b.filling()
}
