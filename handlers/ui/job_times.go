package ui

import (
	"time"

	"berth/core/jobs"
)

// nextTimes is how many of the next times a job's page lists.
const nextTimes = 5

// jobTimes says when a job runs by itself.
type jobTimes struct {
	Schedule string // in words; empty: on demand only
	Cron     string // as it is written
	Zone     string // in which it is meant
	UTC      bool   // that is UTC: times are not told twice
	Next     []nextTime
}

// nextTime is one time that is to come, as the viewer's clock shows it and as the job's does.
type nextTime struct {
	When  moment
	There string // in the job's zone
}

// timesOf lists the next times of a job; none of one that does not run by itself now.
func timesOf(j jobs.Job, now time.Time) jobTimes {
	d := j.Definition
	t := jobTimes{Cron: d.Cron, Zone: d.Timezone, UTC: d.Timezone == "UTC"}
	schedule, err := d.Schedule()
	if err != nil {
		return t // a definition whose schedule cannot be read was refused when it was
	}
	t.Schedule = schedule.Words()
	if !j.Ready() || j.Paused {
		return t
	}
	for _, next := range schedule.Upcoming(now, nextTimes) {
		t.Next = append(t.Next, nextTime{When: at(next, now), There: clockIn(next, next.Location())})
	}
	return t
}

// clockIn is a day and a time of day in a zone: "Fri 21 Nov, 09:30 UTC".
func clockIn(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Mon 2 Jan, 15:04 MST")
}
