package hub

import (
	"testing"
	"time"

	"berth/core/jobs"
	"berth/core/wire"
)

// TestAClockThatIsSetFiresAtMostOnce: a year ahead, and back again, after which jobs do not wait for the year to pass.
func TestAClockThatIsSetFiresAtMostOnce(t *testing.T) {
	const year = 365 * 24 * time.Hour
	s, _, p := newJobStand(t)
	j := s.job("backup", hourly(nil))
	s.due(j.ID)
	p.exit(expect[wire.Command](p), 0)
	s.states(j.ID, jobs.RunSucceeded)

	s.pass(year)
	s.eventually("the year is passed over", func() bool { return s.jobNow(j.ID).NextAt.After(j.NextAt.Add(year - time.Hour)) })
	if n := len(s.runs(j.ID)); n > 2 {
		t.Fatalf("a year ahead fired %d times", n-1)
	}
	if len(s.runs(j.ID)) == 2 {
		p.exit(expect[wire.Command](p), 0)
		s.states(j.ID, jobs.RunSucceeded, jobs.RunSucceeded)
	}
	before := len(s.runs(j.ID))

	s.pass(-year)
	s.eventually("it does not wait for a year", func() bool { return s.jobNow(j.ID).NextAt.Before(s.now().Add(2 * time.Hour)) })
	if n := len(s.runs(j.ID)); n != before {
		t.Fatalf("set back, it fired %d times", n-before)
	}
	s.due(j.ID)
	p.exit(expect[wire.Command](p), 0)
	s.eventually("it ran", func() bool {
		all := s.runs(j.ID)
		return len(all) == before+1 && all[before].State == jobs.RunSucceeded
	})
}

// TestAHubThatBeginsDoesNotTrustWhenJobsAreDue: the clock may have been set while no hub looked.
func TestAHubThatBeginsDoesNotTrustWhenJobsAreDue(t *testing.T) {
	s, _, _ := newJobStand(t)
	j := s.job("backup", hourly(nil))
	if err := s.store.SetDue(t.Context(), func(jobs.Job) time.Time { return s.now().AddDate(3, 0, 0) }); err != nil {
		t.Fatal(err)
	}
	s.restart(func() {})
	s.eventually("it is due within an hour", func() bool { return s.jobNow(j.ID).NextAt.Before(s.now().Add(time.Hour + time.Second)) })
}
