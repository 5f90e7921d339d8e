package jobs

import (
	"testing"
	"time"
)

func TestWhenAJobIsExpectedToEndWell(t *testing.T) {
	for sentence, c := range map[string]struct {
		cron, zone string
		want       time.Time
	}{
		"by the end of the second run":    {"0 3 * * *", "UTC", time.Date(2026, 3, 6, 4, 10, 0, 0, time.UTC)},
		"counted from a working day":      {"0 9-17 * * 1-5", "UTC", time.Date(2026, 3, 4, 15, 10, 0, 0, time.UTC)},
		"in its zone":                     {"0 3 * * *", "Europe/Zurich", time.Date(2026, 3, 6, 3, 10, 0, 0, time.UTC)},
		"years ahead":                     {"0 0 29 2 *", "UTC", time.Date(2032, 2, 29, 1, 10, 0, 0, time.UTC)},
		"not when it is on demand":        {"", "UTC", time.Time{}},
		"not by a text that is none":      {"x", "UTC", time.Time{}},
		"not in a zone that is not there": {"0 3 * * *", "Mars", time.Time{}},
	} {
		e := Expectation{Cron: c.cron, Timezone: c.zone, StartDeadline: time.Hour}
		e.Resources.Timeout = 10 * time.Minute
		if got := e.After(noon.Add(time.Minute)); !got.Equal(c.want) {
			t.Errorf("%s: by %s, want %s", sentence, got, c.want)
		}
		if got := e.After(time.Time{}); !got.IsZero() {
			t.Errorf("%s: since never by %s", sentence, got)
		}
	}
}
