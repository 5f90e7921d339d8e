package outbox

import (
	"errors"
	"time"

	"berth/core/fault"
)

// ClaimTime is how long a claim is believed: longer than an attempt may take, AttemptTime.
const (
	AttemptTime = 2 * time.Minute
	ClaimTime   = 4 * time.Minute
)

// pauses is how long to wait after each failed attempt; the last one goes on for ever.
var pauses = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute}

// Wait is how long to wait after so many attempts have failed. roll is from 0 to 1, and spreads it by a quarter
// either way: what failed together must not come again together.
func Wait(attempts int, roll float64) time.Duration {
	pause := pauses[min(max(attempts, 1), len(pauses))-1]
	return pause + time.Duration((roll-0.5)*float64(pause)/2)
}

// finalError says that asking again cannot help.
type finalError struct{ error }

// Unwrap returns what went wrong.
func (f finalError) Unwrap() error { return f.error }

// Final marks the error of a carrier as one that no further attempt can mend.
func Final(err error) error { return finalError{err} }

// Settled returns the letter as an attempt leaves it, now. err is nil when it has arrived.
func (l Letter) Settled(answer string, err error, now time.Time, roll float64) Letter {
	if err == nil {
		l.State, l.EndedAt, l.Code, l.Answer = Sent, now, "", answer
		return l
	}
	l.Code, l.Answer = fault.CodeOf(err), fault.PublicOf(err)
	l.NextAt = now.Add(Wait(l.Attempts, roll))
	if refused := (finalError{}); errors.As(err, &refused) || l.NextAt.After(l.GiveUpAt) {
		l.State, l.EndedAt = Failed, now
	}
	return l
}

// Broken returns the letter as an attempt leaves it that was broken off because the process ends: it is due at once.
func (l Letter) Broken(now time.Time) Letter {
	l.NextAt = now
	return l
}
