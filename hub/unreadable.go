package hub

import (
	"time"

	"berth/core/fault"
)

// unreadable reports whether err is about rows that cannot be read and about nothing else: it hurts
// what those rows are about, and must not stop the rest.
func unreadable(err error) bool { return fault.CodeOf(err) == "store.unreadable" }

// complaint remembers what was reported last, so that what stays as it is is not reported at
// every look.
type complaint struct {
	text string
	at   time.Time
}

// complainEvery is how often what stays as it is is reported.
const complainEvery = time.Hour

// tell reports whether err is worth a report now. What is not about rows always is.
func (c *complaint) tell(err error, now time.Time) bool {
	if !unreadable(err) {
		c.text = ""
		return err != nil
	}
	if text := err.Error(); text != c.text || now.Sub(c.at) >= complainEvery {
		c.text, c.at = text, now
		return true
	}
	return false
}
