package jobs

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func schedule(t testing.TB, cron, zone string) Schedule {
	t.Helper()
	s, err := NewSchedule(cron, zone)
	if err != nil {
		t.Fatalf("%s in %s: %v", cron, zone, err)
	}
	return s
}

// at reads a time: with an offset, or in UTC.
func at(t testing.TB, text string) time.Time {
	t.Helper()
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04 -0700", "2006-01-02 15:04:05"} {
		if v, err := time.Parse(layout, text); err == nil {
			return v
		}
	}
	t.Fatalf("%q is no time", text)
	return time.Time{}
}

func TestNext(t *testing.T) {
	for sentence, c := range map[string]struct {
		cron, zone, after string
		want              string // times with blanks and a bar between
	}{
		"every minute":                         {"* * * * *", "UTC", "2026-01-01 00:00:59", "2026-01-01 00:01 +0000|2026-01-01 00:02 +0000"},
		"never the time itself":                {"* * * * *", "UTC", "2026-01-01 00:00", "2026-01-01 00:01 +0000"},
		"weekdays in a zone":                   {"15 3 * * 1-5", "Europe/Zurich", "2026-01-02 12:00", "2026-01-05 03:15 +0100|2026-01-06 03:15 +0100"},
		"across a year":                        {"@yearly", "Asia/Kathmandu", "2026-06-01 00:00", "2027-01-01 00:00 +0545|2028-01-01 00:00 +0545"},
		"the 31st":                             {"0 0 31 * *", "UTC", "2026-01-31 00:00", "2026-03-31 00:00 +0000|2026-05-31 00:00 +0000"},
		"the 13th and Fridays":                 {"0 0 13 * fri", "UTC", "2026-02-01 00:00", "2026-02-06 00:00 +0000|2026-02-13 00:00 +0000|2026-02-20 00:00 +0000|2026-02-27 00:00 +0000|2026-03-06 00:00 +0000|2026-03-13 00:00 +0000"},
		"odd days that are Mondays":            {"0 0 */2 * 1", "UTC", "2026-01-01 00:00", "2026-01-05 00:00 +0000|2026-01-19 00:00 +0000|2026-02-09 00:00 +0000"},
		"leap days":                            {"0 12 29 2 *", "UTC", "2026-01-01 00:00", "2028-02-29 12:00 +0000|2032-02-29 12:00 +0000"},
		"leap days around 2100, which is none": {"0 12 29 2 *", "Europe/Zurich", "2095-01-01 00:00", "2096-02-29 12:00 +0100|2104-02-29 12:00 +0100"},
		"the year 2100":                        {"30 2 28 2 *", "Europe/Zurich", "2099-06-01 00:00", "2100-02-28 02:30 +0100|2101-02-28 02:30 +0100"},
		"the summer of 2100":                   {"0 12 * * *", "America/New_York", "2100-07-01 00:00", "2100-07-01 12:00 -0400"},
		"the last day of a leap year":          {"0 12 31 12 *", "Europe/Zurich", "2028-12-31 11:00", "2029-12-31 12:00 +0100|2030-12-31 12:00 +0100"},
		"the last night of one":                {"30 2 * * *", "America/New_York", "2096-12-30 00:00", "2096-12-30 02:30 -0500|2096-12-31 02:30 -0500|2097-01-01 02:30 -0500"},
		"before 1970":                          {"0 0 * * *", "UTC", "1969-12-30 23:59:30", "1969-12-31 00:00 +0000|1970-01-01 00:00 +0000"},
		"a skipped time comes after the gap":   {"30 2 * * *", "Europe/Zurich", "2026-03-28 12:00", "2026-03-29 03:00 +0200|2026-03-30 02:30 +0200"},
		"several skipped times come once":      {"*/10 2 * * *", "Europe/Zurich", "2026-03-28 12:00", "2026-03-29 03:00 +0200|2026-03-30 02:00 +0200"},
		"a skipped time and one at the end of the gap come once": {"0 2,3 * * *", "Europe/Zurich", "2026-03-28 12:00", "2026-03-29 03:00 +0200|2026-03-30 02:00 +0200"},
		"a repeated time comes the first time":                   {"30 2 * * *", "Europe/Zurich", "2026-10-24 12:00", "2026-10-25 02:30 +0200|2026-10-26 02:30 +0100"},
		"asked between both passes":                              {"30 2 * * *", "Europe/Zurich", "2026-10-25 01:10", "2026-10-26 02:30 +0100"},
		"every second hour is not repeated":                      {"0 */2 * * *", "Europe/Zurich", "2026-10-24 22:30", "2026-10-25 02:00 +0200|2026-10-25 04:00 +0100"},
		"an hourly job has no pause":                             {"30 * * * *", "Europe/Zurich", "2026-10-24 23:30", "2026-10-25 02:30 +0200|2026-10-25 02:30 +0100|2026-10-25 03:30 +0100"},
		"nor one that names every hour":                          {"30 0-23 * * *", "Europe/Zurich", "2026-10-25 00:00", "2026-10-25 02:30 +0200|2026-10-25 02:30 +0100"},
		"an hourly job is not made up for":                       {"30 * * * *", "Europe/Zurich", "2026-03-29 00:00", "2026-03-29 01:30 +0100|2026-03-29 03:30 +0200"},
		"half an hour is skipped":                                {"15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00", "2026-10-04 02:30 +1100|2026-10-05 02:15 +1100"},
		"half an hour is repeated":                               {"45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00", "2026-04-05 01:45 +1100|2026-04-06 01:45 +1030"},
		"beside the half hour":                                   {"15 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00", "2026-04-05 01:15 +1100|2026-04-06 01:15 +1030"},
		"midnight is skipped":                                    {"0 0 * * *", "Africa/Cairo", "2026-04-23 12:00", "2026-04-24 01:00 +0300|2026-04-25 00:00 +0300"},
		"a whole day is skipped":                                 {"30 8 30 12 *", "Pacific/Apia", "2011-12-01 00:00", "2011-12-31 00:00 +1400|2012-12-30 08:30 +1400"},
		"two hours are skipped":                                  {"0 1,2 * * *", "Antarctica/Troll", "2026-03-28 12:00", "2026-03-29 03:00 +0200|2026-03-30 01:00 +0200"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := schedule(t, c.cron, c.zone)
			want := strings.Split(c.want, "|")
			var got []string
			for _, next := range s.Upcoming(at(t, c.after), len(want)) {
				got = append(got, next.Format("2006-01-02 15:04 -0700"))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("%s in %s after %s:\n got %s\nwant %s", c.cron, c.zone, c.after, strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestTheZeroIsNeverDue(t *testing.T) {
	s, err := Definition{Timezone: "UTC"}.Schedule()
	if err != nil || !s.Next(time.Now()).IsZero() || len(s.Upcoming(time.Now(), 5)) != 0 || s.Words() != "" {
		t.Errorf("on demand only: %v, %v", s, err)
	}
}

// oddZones change their clocks in every way that there is: by 30 minutes, by two hours, by a day, at midnight, twice within a month, and for
// good.
var oddZones = []string{"Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca", "Pacific/Apia", "Asia/Tehran", "Africa/Cairo",
	"Antarctica/Troll", "Pacific/Chatham", "America/Sao_Paulo", "America/Caracas", "Asia/Pyongyang", "Europe/Dublin", "America/Nuuk", "Asia/Gaza", "Pacific/Kwajalein", "Europe/Moscow", "UTC"}

var manySchedules = []string{"*/2 * * * *", "30 * * * *", "0 */2 * * *", "30 2 * * *", "*/7 1-3 * * *", "0 0 * * *", "59 23 * * *", "15 0,1,2,3 * * 0,6", "0 3 1,15 * 1", "45 1 */2 * 0", "1 12 29 2 *", "5 0-23/1 31 * *"}

// agree compares the schedule with the oracle from one time to another, of which all are the minutes.
func agree(t *testing.T, cron, zone string, all []minute, from, to time.Time) {
	t.Helper()
	s := schedule(t, cron, zone)
	want := newOracle(cron, s.zone).dueOf(all, from)
	next := from.Add(-1)
	for i := 0; ; i++ {
		next = s.Next(next)
		if next.IsZero() || !next.Before(to) {
			if i != len(want) {
				t.Fatalf("%s in %s: after %d times it is not due before %s; want %s", cron, zone, i, to, want[i].In(s.zone))
			}
			return
		}
		if i >= len(want) || !next.Equal(want[i]) {
			t.Fatalf("%s in %s: time %d is %s, want one of %v", cron, zone, i, next, want[min(i, len(want)):min(i+1, len(want))])
		}
	}
}

func TestWholeYearsAgreeWithEveryMinute(t *testing.T) {
	for _, c := range []struct {
		zone string
		year int
	}{{"Europe/Zurich", 2026}, {"America/New_York", 2028}, {"Europe/Zurich", 2100}} {
		t.Run(fmt.Sprint(c.zone, " ", c.year), func(t *testing.T) {
			t.Parallel()
			from := time.Date(c.year, 1, 1, 0, 0, 0, 0, time.UTC)
			zone, _ := loadZone(c.zone)
			all := minutesOf(zone, from, from.AddDate(1, 0, 0))
			for _, cron := range manySchedules {
				agree(t, cron, c.zone, all, from, from.AddDate(1, 0, 0))
			}
		})
	}
}

// TestEveryChangeOfTheClocksAgreesWithEveryMinute looks at the days around each change that the zones have had since 1993 and
// will have, with schedules made by chance.
func TestEveryChangeOfTheClocksAgreesWithEveryMinute(t *testing.T) {
	for i, name := range oddZones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chance := rand.New(rand.NewPCG(7, uint64(i)))
			zone, _ := loadZone(name)
			changes := 0
			for at := stretchOf(time.Date(1993, 1, 1, 0, 0, 0, 0, zone)); !at.to.IsZero() && at.to.Year() < 2030; at = at.next() {
				changes++
				day := at.to.Truncate(time.Minute)
				cron := manySchedules[chance.IntN(len(manySchedules))]
				if chance.IntN(4) > 0 {
					cron = anyCron(chance)
				}
				from, to := day.Add(-26*time.Hour), day.Add(50*time.Hour)
				agree(t, cron, name, minutesOf(zone, from, to), from, to)
			}
			if changes == 0 && name != "UTC" && name != "Asia/Kathmandu" {
				t.Error("it has no change to look at")
			}
		})
	}
}

// anyCron makes up a cron text of numbers, mostly about the hours in which clocks are changed.
func anyCron(chance *rand.Rand) string {
	number := func(low, high int) string { return strconv.Itoa(low + chance.IntN(high-low+1)) }
	field := func(low, high, focus int) string {
		switch chance.IntN(6) {
		case 0:
			return "*"
		case 1:
			return "*/" + number(1, (high-low)/2)
		case 2:
			from := low + chance.IntN(high-low)
			return fmt.Sprintf("%d-%s/%s", from, number(from+1, high), number(1, 5))
		case 3:
			return number(low, high) + "," + number(low, focus) + "," + number(low, focus)
		}
		return number(low, focus)
	}
	day, weekday := "*", "*"
	if chance.IntN(4) == 0 {
		day, weekday = field(1, 31, 31), field(0, 7, 7)
	}
	return strings.Join([]string{field(0, 59, 59), field(0, 23, 4), day, "*", weekday}, " ")
}

// FuzzNext: whatever the text, the next time is later, no minute in between is due, and asking from in between changes nothing.
func FuzzNext(f *testing.F) {
	f.Add("30 2 * * *", uint8(0), int64(1774742400))
	f.Add("*/7 1-3 29 2 *", uint8(2), int64(4107542400))
	f.Fuzz(func(t *testing.T, cron string, zone uint8, second int64) {
		name := oddZones[int(zone)%len(oddZones)]
		s, err := NewSchedule(cron, name)
		if err != nil {
			return
		}
		after := time.Unix(second%(1<<32), 0)
		next := s.Next(after)
		if next.IsZero() || !next.After(after) || next.Second()+next.Nanosecond() != 0 && after.Year() > 1985 {
			t.Fatalf("%q in %s after %s is %s", cron, name, after, next)
		}
		if between := after.Add(next.Sub(after) / 2); between.Before(next) && !s.Next(between).Equal(next) {
			t.Fatalf("%q in %s after %s is %s, and after %s %s", cron, name, after, next, between, s.Next(between))
		}
		if strings.Trim(cron, "0123456789*/-, ") != "" || after.Year() < 1985 {
			return
		}
		o := newOracle(cron, s.zone)
		from := after.Truncate(time.Minute).Add(time.Minute)
		due := o.due(from, from.Add(min(next.Sub(from), 72*time.Hour)+time.Minute))
		if len(due) > 0 && due[0].Before(next) || next.Sub(from) <= 72*time.Hour && len(due) == 0 {
			t.Fatalf("%q in %s after %s is %s; by the minute %v", cron, name, after, next, due)
		}
	})
}
