package jobs

import (
	"errors"
	"strings"
	"testing"

	"berth/core/fault"
)

func TestCronSaysWhatIsWrong(t *testing.T) {
	for text, says := range map[string]string{
		"":                           "it has 0 fields; five are read: minute, hour, day of the month, month, day of the week",
		"5":                          "it has 1 field; five",
		"* * * *":                    "it has 4 fields",
		"0 * * * * *":                "it has 6 fields; five are read: minute, hour, day of the month, month, day of the week, without seconds and years",
		"CRON_TZ=UTC 0 3 * * *":      "a time zone is written under timezone",
		"@reboot":                    `"@reboot" is not known; known are @hourly, @daily, @weekly, @monthly and @yearly`,
		"@every 5m":                  `"@every 5m" is not known`,
		"60 * * * *":                 `the minute, "60": "60" is not a number from 0 to 59`,
		"0 24 * * *":                 `the hour, "24": "24" is not a number from 0 to 23`,
		"0 0 0 * *":                  `the day of the month, "0": "0" is not a number from 1 to 31`,
		"0 0 32 * *":                 `the day of the month`,
		"0 0 * 13 *":                 `the month, "13": "13" is neither from 1 to 12 nor from jan to dec`,
		"0 0 * * 8":                  `the day of the week, "8": "8" is neither from 0 to 7 nor from sun to sat`,
		"0 0 * * monday":             `"monday" is neither from 0 to 7`,
		"0 0 ? * *":                  `the day of the month, "?"`,
		"0 0 L * *":                  `the day of the month, "L"`,
		"0 0 * * 5#3":                `the day of the week, "5#3"`,
		"-5 * * * *":                 `the minute, "-5": "" is not a number`,
		"5- * * * *":                 `the minute, "5-": "" is not a number`,
		"1,,2 * * * *":               `the minute, "1,,2": "" is not a number`,
		"+5 * * * *":                 `"+5" is not a number`,
		"005 * * * *":                `"005" is not a number`,
		"０ * * * *":                  `is not a number from 0 to 59`,
		"* 20-6 * * *":               `the hour, "20-6": the range runs backwards; write it as two: 20-23,0-6`,
		"0 0 * * fri-mon":            `write it as two: fri-sat,sun-mon`,
		"0 0 * nov-feb *":            `write it as two: nov-dec,jan-feb`,
		"5/15 * * * *":               `the minute, "5/15": a step needs * or a range before it, such as 5-59/15`,
		"*/0 * * * *":                `the step after / is a number from 1 to 59`,
		"*/60 * * * *":               `the step after / is a number from 1 to 59`,
		"*/ * * * *":                 `the step after /`,
		"*/2/2 * * * *":              `the step after /`,
		"** * * * *":                 `the minute, "**"`,
		"0 0 30 2 *":                 `"0 0 30 2 *" never comes: no such month has that day`,
		"0 0 31 4,6,9,11 *":          `never comes`,
		"61 25 * * *":                `the minute, "61": "61" is not a number from 0 to 59`,
		strings.Repeat("1,", 300):    "at most 500 characters",
		"0 0 * * " + "x\x00\nrm -rf": "fields",
	} {
		_, err := NewSchedule(text, "UTC")
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != "job.invalid" || f.Fields[0].Path != "cron" || !strings.Contains(f.Fields[0].Problem, says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func TestCronSaysAllThatIsWrongAtOnce(t *testing.T) {
	_, err := NewSchedule("61 25 32 13 9", "Mars")
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 6 || f.Fields[4].Path != "cron" || f.Fields[5].Path != "timezone" {
		t.Errorf("got %v", err)
	}
}

func TestCronTextsThatMeanTheSame(t *testing.T) {
	for text, same := range map[string]string{
		"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@Weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@annually": "0 0 1 1 *",
		" 0\t0 * * * ": "0 0 * * *", "0 0 * JAN-Mar Mon,wed": "0 0 * 1-3 1,3", "0 0 * * 7": "0 0 * * 0", "0 0 * * sat-sun": "0 0 * * 6,0", "0 0 * * 5-7": "0 0 * * 5,6,0",
		"*/1 * * * *": "* * * * *", "0-59/20 * * * *": "0,20,40 * * * *", "00 03 01 01 *": "0 3 1 1 *", "0 0 * * 1-7": "0 0 * * 0-6",
	} {
		got, want := schedule(t, text, "UTC"), schedule(t, same, "UTC")
		got.pattern.anyWeekday = want.pattern.anyWeekday // 0-6 restricts as much as *
		if got != want {
			t.Errorf("%q is %+v, and %q %+v", text, got, same, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"15 3 * * 1-5":             "at 03:15 on weekdays, Europe/Zurich",
		"0 0 * * *":                "at 00:00 every day, Europe/Zurich",
		"* * * * *":                "every minute",
		"*/5 * * * *":              "every 5 minutes",
		"0,30 * * * *":             "every 30 minutes",
		"@hourly":                  "every hour",
		"20 * * * *":               "every hour at minute 20",
		"5,20,50 * * * *":          "every hour at minutes 5, 20 and 50",
		"*/7 * * * *":              "every hour at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56",
		"0 */2 * * *":              "every 2 hours, Europe/Zurich",
		"10 */6 * * *":             "at 00:10, 06:10, 12:10 and 18:10 every day, Europe/Zurich",
		"10 */3 * * *":             "every 3 hours at minute 10, Europe/Zurich",
		"0 8-17 * * 1-5":           "every hour from 08:00 to 17:00 on weekdays, Europe/Zurich",
		"*/10 8-17 * * *":          "every 10 minutes from 08:00 to 17:59, Europe/Zurich",
		"* 2 * * *":                "every minute from 02:00 to 02:59, Europe/Zurich",
		"*/15 8,10 * * *":          "at 08:00, 08:15, 08:30, 08:45, 10:00, 10:15, 10:30 and 10:45 every day, Europe/Zurich",
		"*/5 8,10 * * *":           "every 5 minutes of hours 8 and 10, Europe/Zurich",
		"1,2,7 3,5,9 * * *":        "at minutes 1, 2 and 7 of hours 3, 5 and 9 every day, Europe/Zurich",
		"15 3,15 * * *":            "at 03:15 and 15:15 every day, Europe/Zurich",
		"0 4 * * 0,6":              "at 04:00 at weekends, Europe/Zurich",
		"0 4 * * mon,thu,sun":      "at 04:00 on Mondays, Thursdays and Sundays, Europe/Zurich",
		"0 4 1 * *":                "at 04:00 on the 1st of every month, Europe/Zurich",
		"0 4 1,2,3,15,22 * *":      "at 04:00 on the 1st to 3rd, 15th and 22nd of every month, Europe/Zurich",
		"0 4 11-13,21,30,31 1,7 *": "at 04:00 on the 11th to 13th, 21st, 30th and 31st of January and July, Europe/Zurich",
		"0 4 * 6-8 *":              "at 04:00 every day in June to August, Europe/Zurich",
		"*/5 * * 12 *":             "every 5 minutes every day in December, Europe/Zurich",
		"0 4 * 3 1":                "at 04:00 on Mondays in March, Europe/Zurich",
		"0 0 13 * fri":             "at 00:00 on the 13th of every month, and on Fridays, Europe/Zurich",
		"0 0 13 6 fri":             "at 00:00 on the 13th of June, and on Fridays in June, Europe/Zurich",
		"0 0 */15 * 1":             "at 00:00 on Mondays that are the 1st, 16th and 31st of every month, Europe/Zurich",
		"0 12 29 2 *":              "at 12:00 on the 29th of February, Europe/Zurich",
	} {
		if got := schedule(t, text, "Europe/Zurich").Words(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
