package ui

import (
	"net/http"
	"net/url"
	"strconv"
)

// logLook is how somebody looks at a log of a deployment or a run.
type logLook struct {
	after  uint64 // number of the last piece that was seen
	search string // only lines that hold it
	clock  bool   // each line has its time of day, and not how long after the start it came
}

// lookIn reads ?after=, ?q= and ?times=; what is not there is from the start, all of it, counted from the start.
func lookIn(r *http.Request) (logLook, error) {
	after, err := afterIn(r)
	query := r.URL.Query()
	return logLook{after: after, search: query.Get("q"), clock: query.Get("times") == "clock"}, err
}

// href is an address with this look, apart from what was seen.
func (l logLook) href(path string) string {
	query := url.Values{}
	if l.search != "" {
		query.Set("q", l.search)
	}
	if l.clock {
		query.Set("times", "clock")
	}
	if len(query) == 0 {
		return path
	}
	return withQuery(path, query)
}

// next is the address of what follows the numbered piece.
func (l logLook) next(path string, after uint64) string {
	query := url.Values{"after": {strconv.FormatUint(after, 10)}}
	if l.search != "" {
		query.Set("q", l.search)
	}
	if l.clock {
		query.Set("times", "clock")
	}
	return withQuery(path, query)
}

// otherTimes is the same look with the other kind of times.
func (l logLook) otherTimes() logLook {
	l.clock = !l.clock
	return l
}
