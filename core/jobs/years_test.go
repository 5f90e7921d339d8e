package jobs

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
)

// simulation is a hub with jobs alone: it sleeps until the next is due, and each run ends at once. Its clock is that of the
// bubble, turned.
type simulation struct {
	t      *testing.T
	turned time.Duration
	jobs   []Job
	fired  map[core.JobID][]time.Time // times that fired, in order
	late   map[core.JobID]int         // of those, how many more than a minute after
	passes int
}

// simulate sets up jobs that are due by each text in each zone, and turns the clock to a time.
func simulate(t *testing.T, begin time.Time, texts, zones []string) *simulation {
	s := &simulation{t: t, turned: time.Until(begin), fired: map[core.JobID][]time.Time{}, late: map[core.JobID]int{}}
	for _, zone := range zones {
		for _, text := range texts {
			j := Job{ID: core.JobID(text + " " + zone), Commit: "c1", Definition: leastRead(func(d *Definition) { d.Cron, d.Timezone = text, zone })}
			j.NextAt = j.Due(s.now())
			s.jobs = append(s.jobs, j)
		}
	}
	return s
}

func (s *simulation) now() time.Time { return time.Now().Add(s.turned) }

// pass fires what is due and returns when the next is.
func (s *simulation) pass() (next time.Time) {
	s.passes++
	now, roster := s.now(), crew("wrk_1", "wrk_2")
	for i := range s.jobs {
		j := &s.jobs[i]
		if !j.NextAt.IsZero() && !j.NextAt.After(now) {
			s.keep(j, Fire(*j, nil, roster, now), now)
		}
		if next.IsZero() || !j.NextAt.IsZero() && j.NextAt.Before(next) {
			next = j.NextAt
		}
	}
	return next
}

// keep stores what becomes of a job, as the store does.
func (s *simulation) keep(j *Job, f Firing, now time.Time) {
	if !f.At.IsZero() {
		if len(f.Runs) != 1 || f.Runs[0].Command == nil || now.Sub(f.At) > j.Definition.StartDeadline || f.At.After(now) {
			s.t.Fatalf("%s at %s: %+v", j.ID, now, f)
		}
		if now.Sub(f.At) > time.Minute {
			s.late[j.ID]++
		}
		s.fired[j.ID] = append(s.fired[j.ID], f.At)
	}
	if !f.Next.IsZero() && !f.Next.After(now) {
		s.t.Fatalf("%s at %s is due again at %s: the hub would not come to rest", j.ID, now, f.Next)
	}
	if !f.FiredAt.IsZero() {
		j.FiredAt = f.FiredAt
	}
	j.NextAt, j.Missed = f.Next, j.Missed+f.Missed
}

// runUntil lets the hub work until its clock shows a time.
func (s *simulation) runUntil(end time.Time) {
	for s.now().Before(end) {
		next := s.pass()
		if next.IsZero() || next.After(end) {
			next = end
		}
		time.Sleep(next.Sub(s.now()))
	}
}

// TestEveryTimeOfYearsFiresOnce: both changes of the clocks, the leap day of 2028, and 2100, which has none.
func TestEveryTimeOfYearsFiresOnce(t *testing.T) {
	texts := []string{"30 2 * * *", "0 * * * *", "*/20 1-3 * * 0", "0 0 29 2 *", "0 0 1 3 *", "59 23 28-31 * *"}
	zones := []string{"Europe/Zurich", "Australia/Lord_Howe", "Africa/Cairo"}
	for _, c := range []struct{ from, to time.Time }{
		{time.Date(2028, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 1, 15, 0, 0, 0, 0, time.UTC)},
		{time.Date(2100, 2, 20, 0, 0, 0, 0, time.UTC), time.Date(2100, 5, 1, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(fmt.Sprint(c.from.Year()), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := simulate(t, c.from, texts, zones)
				s.runUntil(c.to)
				minutes := map[string][]minute{}
				for _, zone := range zones {
					known, _ := loadZone(zone)
					minutes[zone] = minutesOf(known, c.from.Add(time.Minute), c.to)
				}
				for _, j := range s.jobs {
					zone, _ := loadZone(j.Definition.Timezone)
					want := newOracle(j.Definition.Cron, zone).dueOf(minutes[j.Definition.Timezone], c.from.Add(time.Minute))
					if got := s.fired[j.ID]; !slices.EqualFunc(got, want, time.Time.Equal) {
						t.Errorf("%s fired %d times, want %d", j.ID, len(got), len(want))
					}
					if j.Missed != 0 || s.late[j.ID] != 0 {
						t.Errorf("%s missed %d and was late %d times", j.ID, j.Missed, s.late[j.ID])
					}
				}
			})
		})
	}
}

// TestAfterEightHoursOfSleepAtMostOneTimeIsMadeUpFor, and all the others count as missed.
func TestAfterEightHoursOfSleepAtMostOneTimeIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Date(2026, 3, 1, 0, 0, 30, 0, time.UTC)
		s := simulate(t, begin, []string{"* * * * *", "*/7 * * * *", "0 * * * *", "10 3 * * *", "55 7 * * *"}, []string{"UTC", "Europe/Zurich", "Asia/Kathmandu"})
		for day := range 15 {
			s.runUntil(begin.AddDate(0, 0, day))
			late := map[core.JobID]int{}
			for id, n := range s.late {
				late[id] = n
			}
			fired := map[core.JobID]int{}
			for id, times := range s.fired {
				fired[id] = len(times)
			}
			time.Sleep(8 * time.Hour) // the hub sleeps, and its clock does not
			s.pass()
			for _, j := range s.jobs {
				if len(s.fired[j.ID])-fired[j.ID] > 1 || s.late[j.ID]-late[j.ID] > 1 {
					t.Fatalf("%s fired %d times on day %d after the sleep", j.ID, len(s.fired[j.ID])-fired[j.ID], day)
				}
			}
		}
		for _, j := range s.jobs {
			schedule, _ := j.Definition.Schedule()
			want := len(newOracle(j.Definition.Cron, schedule.zone).due(begin.Add(30*time.Second), s.now()))
			if got := len(s.fired[j.ID]) + j.Missed; got != want {
				t.Errorf("%s fired %d times and missed %d; there were %d", j.ID, len(s.fired[j.ID]), j.Missed, want)
			}
		}
	})
}

// TestAClockThatIsTurnedFiresNothingTwice: a year ahead fires each job at most once, and back again none for a time that it had fired.
func TestAClockThatIsTurnedFiresNothingTwice(t *testing.T) {
	const day = 24 * time.Hour
	texts, zones := []string{"* * * * *", "0 * * * *", "30 2 * * *", "0 0 29 2 *", "15 3 1 * *"}, []string{"UTC", "America/New_York"}
	for sentence, turns := range map[string][]time.Duration{
		"a year ahead":                      {365 * day},
		"a day back":                        {-day},
		"an hour back, many times":          {-time.Hour, -time.Hour, -time.Hour, -time.Hour},
		"a year ahead, and back":            {365 * day, -365 * day},
		"a year and a day back, and ahead":  {-366 * day, 366 * day},
		"a hundred years ahead, and back":   {100 * 365 * day, -100 * 365 * day},
		"ahead and back by less than a day": {20 * time.Hour, -20 * time.Hour, 20 * time.Hour, -19 * time.Hour},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := simulate(t, time.Date(2026, 3, 6, 12, 0, 30, 0, time.UTC), texts, zones)
				s.runUntil(s.now().Add(3 * day))
				for _, turn := range turns {
					before := map[core.JobID]int{}
					for id, times := range s.fired {
						before[id] = len(times)
					}
					s.turned += turn
					s.reread()
					s.pass()
					for id, times := range s.fired {
						if len(times)-before[id] > 1 {
							t.Fatalf("%s fired %d times at once", id, len(times)-before[id])
						}
					}
					s.runUntil(s.now().Add(2 * day))
				}
				for id, times := range s.fired {
					seen := map[time.Time]bool{}
					for _, at := range times {
						if seen[at.UTC()] && !slices.ContainsFunc(turns, func(turn time.Duration) bool { return turn < -farAhead }) {
							t.Fatalf("%s fired twice for %s", id, at)
						}
						seen[at.UTC()] = true
					}
				}
				s.comesToLife(day)
			})
		})
	}
}

// reread says of each job anew when it is due, as the hub does when its clock was set back.
func (s *simulation) reread() {
	for i := range s.jobs {
		s.jobs[i].NextAt = s.jobs[i].Due(s.now())
	}
}

// comesToLife checks that what is due often fires again within two days, by whatever the clock shows now.
func (s *simulation) comesToLife(day time.Duration) {
	fired := len(s.fired[s.jobs[0].ID])
	s.runUntil(s.now().Add(2 * day))
	if got := len(s.fired[s.jobs[0].ID]) - fired; got < 24*60 {
		s.t.Errorf("%s fired %d times in two days", s.jobs[0].ID, got)
	}
}
