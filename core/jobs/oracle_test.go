package jobs

import (
	"strconv"
	"strings"
	"time"
)

// oracle tells when a cron text is due by looking at every minute. It shares nothing with what it is compared with.
type oracle struct {
	zone      *time.Location
	sets      [5][64]bool // values that match, by field
	eitherDay bool        // a day matches by either field
	everyHour bool
	shown     time.Time // the newest minute that the wall clock has shown, as if in UTC
}

func newOracle(text string, zone *time.Location) *oracle {
	o := &oracle{zone: zone, everyHour: true}
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

// minute is a moment, and what the wall clock of a zone shows then, as if it were in UTC.
type minute struct{ at, wall time.Time }

// minutesOf returns every minute from two days before one time until another.
func minutesOf(zone *time.Location, from, to time.Time) (all []minute) {
	for t := from.Add(-48 * time.Hour); t.Before(to); t = t.Add(time.Minute) {
		l := t.In(zone)
		year, month, day := l.Date()
		hour, minutes, _ := l.Clock()
		all = append(all, minute{t, time.Date(year, month, day, hour, minutes, 0, 0, time.UTC)})
	}
	return all
}

// look tells whether the text is due at a minute. It is asked minute by minute.
func (o *oracle) look(m minute) bool {
	if o.everyHour {
		return o.matches(m.wall)
	}
	if o.shown.IsZero() {
		o.shown = m.wall.Add(-time.Minute)
	}
	due := false
	for o.shown.Before(m.wall) {
		o.shown = o.shown.Add(time.Minute)
		due = due || o.matches(o.shown)
	}
	return due
}

// dueOf returns those of the minutes that are due, from a time on.
func (o *oracle) dueOf(all []minute, from time.Time) (times []time.Time) {
	for _, m := range all {
		if o.look(m) && !m.at.Before(from) {
			times = append(times, m.at)
		}
	}
	return times
}

// due returns every time from one on and before another.
func (o *oracle) due(from, to time.Time) []time.Time {
	return o.dueOf(minutesOf(o.zone, from, to), from)
}
