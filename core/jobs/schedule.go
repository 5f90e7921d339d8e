package jobs

import (
	"sync"
	"time"

	"berth/core/fault"
)

// Schedule is when a job is due: a cron text in a time zone. The zero is never due.
//
// The hours that a change of the clocks takes out or repeats follow two rules. A schedule that goes through every
// hour of the day follows the time that really passes: it is due in both passes of a repeated hour, and not
// instead of a skipped one. Of every other, what the clocks skip is due once, at the first moment after the gap, however
// many times lie in it; and what they repeat is due only the first time it comes.
type Schedule struct {
	pattern pattern
	zone    *time.Location // nil: of the zero
}

// horizon is for how many years the next time is looked for. Seven leap days lie between two that fall on one weekday, and
// 2100 has none.
const horizon = 40

// NewSchedule reads a cron text and the name of a time zone. The fault Invalid "job.invalid" names "cron" or "timezone".
func NewSchedule(cron, timezone string) (Schedule, error) {
	p, problems := parseCron(cron)
	var bad []fault.Field
	for _, problem := range problems {
		bad = append(bad, fault.Field{Path: "cron", Problem: problem})
	}
	zone, problem := loadZone(timezone)
	if problem != "" {
		bad = append(bad, fault.Field{Path: "timezone", Problem: problem})
	}
	if err := fault.BadFields("job.invalid", bad); err != nil {
		return Schedule{}, err
	}
	return Schedule{pattern: p, zone: zone}, nil
}

// loadZone returns a time zone by its IANA name, or what is wrong with that. A name that stands for whatever the host is
// set to is no name: each hub has its own.
func loadZone(name string) (*time.Location, string) {
	if zone, known := zones.Load(name); known {
		return zone.(*time.Location), ""
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || name[0] < 'A' || name[0] > 'Z' {
		return nil, "is not the name of a time zone, such as UTC or Europe/Zurich"
	}
	zones.Store(name, zone)
	return zone, ""
}

// zones holds the time zones that were loaded, by name, as reading one costs far more than using it. There are some
// hundred names.
var zones sync.Map

// Schedule returns when the job of a definition is due; the zero when it is on demand only.
func (d Definition) Schedule() (Schedule, error) {
	if d.Cron == "" {
		return Schedule{}, nil
	}
	return NewSchedule(d.Cron, d.Timezone)
}

// Next returns the first time after another; the zero when there is none. It is in the schedule's zone.
func (s Schedule) Next(after time.Time) time.Time {
	if s.zone == nil {
		return time.Time{}
	}
	after = after.In(s.zone)
	limit := after.AddDate(horizon, 0, 0)
	for at := stretchOf(after); at.from.Before(limit); at = at.next() {
		if next := s.within(at, after, limit); !next.IsZero() {
			return next
		}
		if at.to.IsZero() {
			break
		}
	}
	return time.Time{}
}

// Upcoming returns the next n times after another; fewer when there are no more.
func (s Schedule) Upcoming(after time.Time, n int) []time.Time {
	times := make([]time.Time, 0, n)
	for len(times) < n {
		if after = s.Next(after); after.IsZero() {
			break
		}
		times = append(times, after)
	}
	return times
}
