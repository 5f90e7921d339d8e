package stacks

import "time"

// The pauses between repairs of a stack that drifts again and again, and for how long it must
// have been left alone until they begin anew.
const (
	firstHeal = 2 * time.Second
	laterHeal = 30 * time.Second
	lastHeal  = 15 * time.Minute
	HealRest  = time.Hour
)

// HealAfter is how long a drifted stack waits until it is repaired, after so many repairs
// without rest: two seconds, then 30 seconds, doubled each time, at most 15 minutes.
func HealAfter(heals int) time.Duration {
	if heals <= 0 {
		return firstHeal
	}
	pause := laterHeal
	for range min(heals-1, 10) {
		pause *= 2
	}
	return min(pause, lastHeal)
}

// RestingStatus is the status of a stack that nothing is wrong with and that nothing works on.
func (s Stack) RestingStatus() Status {
	switch {
	case s.Paused:
		return StatusPaused
	case s.Revision == 0:
		return StatusNew
	}
	return StatusActive
}
