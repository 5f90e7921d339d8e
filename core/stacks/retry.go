package stacks

import "time"

// The pauses between deployments that fail one after the other.
const (
	firstRetry = 30 * time.Second
	lastRetry  = 15 * time.Minute
)

// RetryAfter is how long a stack waits until a deployment that failed is tried again, after
// so many failures in a row: 30 seconds, doubled each time, at most 15 minutes. A new commit
// or a person's wish does not wait.
func RetryAfter(failures int) time.Duration {
	pause := firstRetry
	for range min(failures, 10) {
		pause *= 2
	}
	return min(pause, lastRetry)
}
