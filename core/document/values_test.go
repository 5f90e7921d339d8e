package document

import (
	"testing"
	"time"
)

func TestLimitsOfDurationsAreToldWithoutZerosAtTheirEnd(t *testing.T) {
	for want, d := range map[string]time.Duration{"168h": 7 * 24 * time.Hour, "1h30m": 90 * time.Minute, "10m": 10 * time.Minute, "1s": time.Second, "1h0m5s": time.Hour + 5*time.Second, "0s": 0} {
		if got := short(d); got != want {
			t.Errorf("%d is told as %q; want %q", d, got, want)
		}
	}
}
