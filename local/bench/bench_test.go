package main

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for name, c := range map[string]struct {
		values []time.Duration
		want   time.Duration
	}{
		"none":                      {nil, 0},
		"one":                       {[]time.Duration{7}, 7},
		"odd, out of order":         {[]time.Duration{9, 1, 5}, 5},
		"even: the mean of both":    {[]time.Duration{4, 1, 2, 100}, 3},
		"one extreme weighs little": {[]time.Duration{1, 2, 3, 4, 1_000_000}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if got := median(c.values); got != c.want {
				t.Errorf("median is %d, want %d", got, c.want)
			}
		})
	}
	values := []time.Duration{3, 1, 2}
	median(values)
	if values[0] != 3 {
		t.Error("median reordered what it was given")
	}
}

func TestOverheadIsHeldAgainstBothGoals(t *testing.T) {
	for name, c := range map[string]struct {
		ours, bare time.Duration
		met        bool
	}{
		"faster":                        {400 * time.Millisecond, 500 * time.Millisecond, true},
		"a little slower":               {1100 * time.Millisecond, time.Second, true},
		"small in ratio, large in time": {2200 * time.Millisecond, 2 * time.Second, false},
		"small in time, large in ratio": {200 * time.Millisecond, 100 * time.Millisecond, false},
		"nothing to hold it against":    {time.Millisecond, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withinOverhead(c.ours, c.bare); got != c.met {
				t.Errorf("goal met: %v, want %v", got, c.met)
			}
		})
	}
}

func TestProcessLinesAreReadBehindTheName(t *testing.T) {
	// A process may be called anything, closing brackets and spaces included.
	stat := "42 (a) b (c) S 1 42 42 0 -1 4194304 100 200 0 0 130 20 7 3 20 0 9 0 1000 1 1"
	ticks, err := ticksOf(stat)
	if err != nil || ticks != 160 {
		t.Errorf("ticks %d, %v; want 160", ticks, err)
	}
	for _, bad := range []string{"", "42 (a", "42 (a) S 1 2"} {
		if _, err := ticksOf(bad); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
	if got := kilobytesIn("Name:\tx\nVmRSS:\t   2048 kB\nRssAnon:\t 1024 kB\n", "VmRSS"); got != 2048<<10 {
		t.Errorf("VmRSS is %d bytes", got)
	}
	if got := kilobytesIn("Name:\tx\n", "VmRSS"); got != 0 {
		t.Errorf("a missing line counts %d bytes", got)
	}
}

func TestMeasurementsAreFoundByName(t *testing.T) {
	all, err := choose(nil)
	if err != nil || len(all) != len(measurements) {
		t.Errorf("no name chose %d measurements, %v", len(all), err)
	}
	some, err := choose([]string{"idle", "deploy"})
	if err != nil || len(some) != 2 || some[0].name != "idle" {
		t.Errorf("chosen %v, %v", some, err)
	}
	if _, err := choose([]string{"idel"}); err == nil || !strings.Contains(err.Error(), "noop-sync") {
		t.Errorf("an unknown name gives %v, which does not list what there is", err)
	}
}

func TestComposeVersionsBeforeTwoAreNotCompared(t *testing.T) {
	for text, want := range map[string]bool{"5.5.1": true, "v2.29.7-desktop.1": true, "2.0.0": true, "1.29.2": false, "": false, "dev": false} {
		if got := newEnough(text); got != want {
			t.Errorf("%q: new enough %v, want %v", text, got, want)
		}
	}
}
