package jobs

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Sets of everything that a field may have.
const (
	allMinutes  = 1<<60 - 1
	allDays     = 1<<32 - 2
	allMonths   = 1<<13 - 2
	allWeekdays = 1<<7 - 1
)

// Words says for people when it is due: "at 03:15 on weekdays, Europe/Zurich". Empty for the zero.
func (s Schedule) Words() string {
	if s.zone == nil {
		return ""
	}
	p := s.pattern
	clock, days := p.clockWords(), p.dayWords()
	switch {
	case days != "":
		return fmt.Sprintf("%s %s, %s", clock, days, s.zone)
	case p.hours == allHours:
		return clock
	}
	if strings.HasPrefix(clock, "at ") {
		clock += " every day"
	}
	return fmt.Sprintf("%s, %s", clock, s.zone)
}

// clockWords says at what times of a day it is due.
func (p pattern) clockWords() string {
	first, last, hours := lowest(p.hours), highest(p.hours), bits.OnesCount64(p.hours)
	minute, minutes := lowest(p.minutes), bits.OnesCount64(p.minutes)
	each := eachMinute(p.minutes)
	switch {
	case each != "" && p.hours == allHours:
		return each
	case each != "" && last-first+1 == hours:
		return fmt.Sprintf("%s from %02d:00 to %02d:59", each, first, last)
	case hours*minutes <= 4 && p.hours != allHours:
		return "at " + p.times()
	case p.hours == allHours:
		return "every hour" + atMinutes(p.minutes)
	case steps(p.hours, 24) > 0:
		return fmt.Sprintf("every %d hours%s", steps(p.hours, 24), atMinutes(p.minutes))
	case minutes == 1 && last-first+1 == hours:
		return fmt.Sprintf("every hour from %02d:%02d to %02d:%02d", first, minute, last, minute)
	case hours*minutes <= 8:
		return "at " + p.times()
	}
	if each == "" {
		each = "at minute" + plural(minutes) + " " + spans(p.minutes, plain)
	}
	return fmt.Sprintf("%s of hour%s %s", each, plural(hours), spans(p.hours, plain))
}

// eachMinute says in what steps the minutes go through the whole hour; empty when they do not.
func eachMinute(minutes uint64) string {
	switch step := steps(minutes, 60); {
	case minutes == allMinutes:
		return "every minute"
	case step > 0 && step < 60:
		return fmt.Sprintf("every %d minutes", step)
	}
	return ""
}

// times lists every time of a day.
func (p pattern) times() string {
	var times []string
	for h := range 24 {
		for m := range 60 {
			if has(p.hours, h) && has(p.minutes, m) {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
	}
	return listed(times)
}

// dayWords says on what days it is due; empty for every day.
func (p pattern) dayWords() string {
	days, weekdays := p.days != allDays, p.weekdays != allWeekdays
	months := ""
	if p.months != allMonths {
		months = spans(p.months, func(m int) string { return time.Month(m).String() })
	}
	switch ofMonth := p.ofMonth(months); {
	case days && weekdays && (p.anyDay || p.anyWeekday):
		return weekdayWords(p.weekdays) + " that are " + ofMonth
	case days && weekdays:
		return fmt.Sprintf("on %s, and %s%s", ofMonth, weekdayWords(p.weekdays), in(months))
	case days:
		return "on " + ofMonth
	case weekdays:
		return weekdayWords(p.weekdays) + in(months)
	case months != "":
		return "every day" + in(months)
	}
	return ""
}

// ofMonth names the days of the month: "the 1st and 15th of January".
func (p pattern) ofMonth(months string) string {
	if months == "" {
		months = "every month"
	}
	return fmt.Sprintf("the %s of %s", spans(p.days, ordinal), months)
}

func in(months string) string {
	if months == "" {
		return ""
	}
	return " in " + months
}

func weekdayWords(set uint64) string {
	switch set {
	case 0b0111110:
		return "on weekdays"
	case 0b1000001:
		return "at weekends"
	}
	var names []string
	for _, day := range []time.Weekday{1, 2, 3, 4, 5, 6, 0} {
		if has(set, int(day)) {
			names = append(names, day.String()+"s")
		}
	}
	return "on " + listed(names)
}
