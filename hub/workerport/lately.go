package workerport

import "time"

// span is how far back lately looks.
const span = 2 * time.Second

// lately counts what happened within span, to a quarter of it. Its owner's lock guards it.
type lately struct {
	counts [4]int
	at     int64 // quarter of span that was counted in last
}

// add counts one more.
func (l *lately) add(now time.Time) { l.counts[l.turn(now)]++ }

// sum is how many there were.
func (l *lately) sum(now time.Time) (n int) {
	l.turn(now)
	for _, count := range l.counts {
		n += count
	}
	return n
}

// turn forgets what was too long ago, and returns where to count now.
func (l *lately) turn(now time.Time) int {
	size := int64(len(l.counts))
	at := now.UnixNano() / (int64(span) / size)
	for l.at = max(l.at, at-size); l.at < at; {
		l.at++
		l.counts[l.at%size] = 0
	}
	return int(l.at % size)
}
