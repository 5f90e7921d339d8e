package jobs

import "time"

// Schedule is when a job is due: a cron text in a time zone. The zero is never due.
type Schedule struct{}

// NewSchedule reads a cron text and the name of a time zone. The fault Invalid "job.invalid" names "cron" or "timezone".
func NewSchedule(cron, timezone string) (Schedule, error) { return Schedule{}, nil }

// Schedule returns when the job of a definition is due; the zero when it is on demand only.
func (d Definition) Schedule() (Schedule, error) { return NewSchedule(d.Cron, d.Timezone) }

// Next returns the first time after another; the zero when there is none.
func (s Schedule) Next(after time.Time) time.Time { return time.Time{} }

// Upcoming returns the next n times after another; fewer when there are no more.
func (s Schedule) Upcoming(after time.Time, n int) []time.Time { return nil }

// Words says for people when it is due: "at 03:15 on weekdays, Europe/Zurich". Empty for the zero.
func (s Schedule) Words() string { return "" }
