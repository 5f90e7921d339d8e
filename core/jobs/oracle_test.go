package jobs

import (
	"strconv"
	"strings"
	"time"
)

// oracle tells when a cron text is due by looking at every minute. It shares nothing with what it is compared with.
type oracle struct {
	zone       *time.Location
	sets       [5][64]bool // values that match, by field
	eitherDay  bool        // a day matches by either field
	everyHour  bool
	shown      time.Time // the newest minute that the wall clock has shown, as if in UTC
	text, name string
}

func newOracle(text string, zone *time.Location) *oracle {
	o := &oracle{zone: zone, text: text, name: zone.String(), everyHour: true}
	parts := strings.Fields(text)
	for i, limits := range [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}} {
		for v := limits[0]; v <= limits[1]; v++ {
			o.sets[i][v] = slowMatch(parts[i], v, limits[0], limits[1])
		}
	}
	o.sets[4][0] = o.sets[4][0] || o.sets[4][7]
	for h := range 24 {
		o.everyHour = o.everyHour && o.sets[1][h]
	}
	o.eitherDay = parts[2][0] != '*' && parts[4][0] != '*'
	return o
}

// slowMatch reports whether a value matches a field of numbers.
func slowMatch(field string, value, low, high int) bool {
	for _, item := range strings.Split(field, ",") {
		span, step, stepped := strings.Cut(item, "/")
		from, to, ranged := strings.Cut(span, "-")
		if span == "*" {
			from, to = strconv.Itoa(low), strconv.Itoa(high)
		} else if !ranged {
			to = from
		}
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		every := 1
		if stepped {
			every, _ = strconv.Atoi(step)
		}
		if value >= first && value <= last && (value-first)%every == 0 {
			return true
		}
	}
	return false
}

func (o *oracle) matches(wall time.Time) bool {
	day, weekday := o.sets[2][wall.Day()], o.sets[4][wall.Weekday()]
	days := day && weekday
	if o.eitherDay {
		days = day || weekday
	}
	return days && o.sets[0][wall.Minute()] && o.sets[1][wall.Hour()] && o.sets[3][wall.Month()]
}

// wallOf returns what the wall clock shows at t, as if it were in UTC.
func (o *oracle) wallOf(t time.Time) time.Time {
	t = t.In(o.zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// look tells whether the text is due at a minute. It is asked minute by minute.
func (o *oracle) look(t time.Time) bool {
	wall := o.wallOf(t)
	if o.everyHour {
		return o.matches(wall)
	}
	if o.shown.IsZero() {
		o.shown = wall.Add(-time.Minute)
	}
	due := false
	for o.shown.Before(wall) {
		o.shown = o.shown.Add(time.Minute)
		due = due || o.matches(o.shown)
	}
	return due
}

// due returns every time from one on and before another. It begins to look two days before.
func (o *oracle) due(from, to time.Time) (times []time.Time) {
	for t := from.Add(-48 * time.Hour); t.Before(to); t = t.Add(time.Minute) {
		if o.look(t) && !t.Before(from) {
			times = append(times, t)
		}
	}
	return times
}
