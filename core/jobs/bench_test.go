package jobs

import (
	"testing"
	"time"
)

func BenchmarkNewSchedule(b *testing.B) {
	for b.Loop() {
		if _, err := NewSchedule("15 3 * * 1-5", "Europe/Zurich"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for name, cron := range map[string]string{"each minute": "* * * * *", "weekdays": "15 3 * * 1-5", "leap day": "0 0 29 2 *"} {
		s, err := NewSchedule(cron, "Europe/Zurich")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Next(noon)
			}
		})
	}
}

// BenchmarkFire is one decision about a job that is due, with three workers.
func BenchmarkFire(b *testing.B) {
	j, roster := hourly(nil), crew("a", "b", "c")
	for b.Loop() {
		if f := Fire(j, nil, roster, noon); len(f.Runs) != 1 {
			b.Fatal(f)
		}
	}
}

// BenchmarkFireAfterAYear is a decision about a job that is due each minute and was not looked at for a year.
func BenchmarkFireAfterAYear(b *testing.B) {
	j, roster := hourly(func(j *Job) { j.Definition.Cron = "* * * * *" }), crew("a")
	for b.Loop() {
		if f := Fire(j, nil, roster, noon.Add(365*24*time.Hour)); len(f.Runs) != 1 {
			b.Fatal(f)
		}
	}
}
