package jobs

import (
	"fmt"
	"strings"
)

// pattern is a cron text, read: for each field the values that match, as bits.
type pattern struct {
	minutes, hours, days, months, weekdays uint64
	// anyDay and anyWeekday say that the field begins with *: then the other one alone restricts the days. When
	// neither does, a day matches when either field does, as in Vixie cron.
	anyDay, anyWeekday bool
}

// shorthands are the cron texts with a name.
var shorthands = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

const maxCron = 500 // bytes

// parseCron reads a cron text and returns everything that is wrong with it.
func parseCron(text string) (p pattern, problems []string) {
	if len(text) > maxCron {
		return p, []string{fmt.Sprintf("at most %d characters", maxCron)}
	}
	parts := strings.Fields(text)
	if len(parts) > 0 && strings.HasPrefix(parts[0], "@") {
		full, known := shorthands[strings.ToLower(strings.Join(parts, " "))]
		if !known {
			return p, []string{fmt.Sprintf("%.40q is not known; known are @hourly, @daily, @weekly, @monthly and @yearly", text)}
		}
		parts = strings.Fields(full)
	}
	if len(parts) != len(fields) {
		return p, []string{wrongCount(parts)}
	}
	for i, into := range []*uint64{&p.minutes, &p.hours, &p.days, &p.months, &p.weekdays} {
		set, err := fields[i].parse(parts[i])
		if err != nil {
			problems = append(problems, fmt.Sprintf("the %s, %.60q: %v", fields[i].name, parts[i], err))
		}
		*into = set
	}
	p.anyDay, p.anyWeekday = strings.HasPrefix(parts[2], "*"), strings.HasPrefix(parts[4], "*")
	p.weekdays = p.weekdays&0x7f | p.weekdays>>7 // 7 is Sunday too
	if len(problems) == 0 && !p.comes() {
		problems = append(problems, fmt.Sprintf("%.60q never comes: no such month has that day", text))
	}
	return p, problems
}

func wrongCount(parts []string) string {
	const want = "five are read: minute, hour, day of the month, month, day of the week"
	switch {
	case len(parts) > 0 && strings.Contains(parts[0], "TZ="):
		return "a time zone is written under timezone, such as timezone: Europe/Zurich"
	case len(parts) == 6 || len(parts) == 7:
		return fmt.Sprintf("it has %d fields; %s, without seconds and years", len(parts), want)
	case len(parts) == 1:
		return "it has 1 field; " + want
	}
	return fmt.Sprintf("it has %d fields; %s", len(parts), want)
}

// has reports whether a set of bits has a value.
func has(set uint64, value int) bool { return set>>value&1 != 0 }
