package jobs

import (
	"testing"
	"time"

	"berth/core"
)

// TestWhatIsRememberedIsWhatIsFoundAnew asks for a job again and again, while what it says and is changes.
func TestWhatIsRememberedIsWhatIsFoundAnew(t *testing.T) {
	all := NewExpectations()
	nightly := `{"cron":"0 3 * * *","timezone":"UTC","resources":{"timeout":600000000000}}`
	hourly := `{"cron":"0 * * * *","timezone":"UTC","resources":{"timeout":600000000000}}`
	night, hour := time.Date(2026, 3, 6, 3, 10, 0, 0, time.UTC), time.Date(2026, 3, 4, 14, 10, 0, 0, time.UTC)
	for i, step := range []struct {
		definition string
		since      time.Time
		want       time.Time
	}{
		{nightly, noon, night},
		{nightly, noon, night},
		{hourly, noon, hour},
		{hourly, noon.Add(time.Hour), hour.Add(time.Hour)},
		{hourly, time.Time{}, time.Time{}},
		{`{`, noon, time.Time{}},
		{nightly, noon, night},
		{`{}`, noon, time.Time{}},
	} {
		reading := all.Read()
		if got := reading.After("job_1", []byte(step.definition), step.since); !got.Equal(step.want) {
			t.Errorf("step %d: by %s, want %s", i, got, step.want)
		}
		reading.After(core.JobID("job_2"), []byte(nightly), noon)
		reading.Done()
	}
	reading := all.Read()
	reading.After("job_1", []byte(nightly), noon)
	reading.Done()
	if len(all.known) != 1 {
		t.Errorf("%d jobs are remembered, of which one is there", len(all.known))
	}
}
