package jobs

import (
	"math/bits"
	"time"
)

// allHours is the hour field of a schedule that goes on through every hour of the day.
const allHours = 1<<24 - 1

// comes reports whether there is a day that matches at all. In 40 years every day of a month falls on every
// weekday, leap days across 2100 included.
func (p pattern) comes() bool {
	from := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	_, found := p.first(from.Unix(), from.AddDate(horizon, 0, 0).Unix())
	return found
}

// first returns the first minute from one time of the wall clock on that matches, before an end. Such a time is in seconds,
// as if the wall clock were in UTC.
func (p pattern) first(from, end int64) (int64, bool) {
	t := time.Unix((from+59)/60*60, 0).UTC()
	if from < 0 {
		t = time.Unix(from/60*60, 0).UTC()
	}
	for t.Unix() < end {
		year, month, day := t.Date()
		switch hour, minute := next(p.hours, t.Hour()), next(p.minutes, t.Minute()); {
		case !has(p.months, int(month)):
			t = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
		case !p.day(day, t.Weekday()) || hour < 0:
			t = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
		case hour > t.Hour():
			t = time.Date(year, month, day, hour, 0, 0, 0, time.UTC)
		case minute < 0:
			t = time.Date(year, month, day, hour+1, 0, 0, 0, time.UTC)
		default:
			at := t.Unix() + 60*int64(minute-t.Minute())
			return at, at < end
		}
	}
	return 0, false
}

// day reports whether a day matches.
func (p pattern) day(day int, weekday time.Weekday) bool {
	byDay, byWeekday := has(p.days, day), has(p.weekdays, int(weekday))
	if p.anyDay || p.anyWeekday {
		return byDay && byWeekday
	}
	return byDay || byWeekday
}

// next returns the first value of a set from one on; -1 when there is none.
func next(set uint64, from int) int {
	rest := set >> from
	if rest == 0 {
		return -1
	}
	return from + bits.TrailingZeros64(rest)
}
