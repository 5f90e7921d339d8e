package main

import (
	"strings"
	"testing"

	"berth/core/metrics"
	"berth/hub/adapter/promtext"
)

func TestASimulatedSnapshotIsAsLargeAsItIsSaidToBe(t *testing.T) {
	for _, r := range []*reporter{{}, {number: 9999, tick: 500}} {
		text := r.text()
		families, dropped := promtext.Validator{}.Validate(text, []metrics.Label{{Name: "worker", Value: "w"}})
		n := 0
		for _, f := range families {
			n += f.Series
			if f.Help == "" {
				t.Errorf("%s has no help", f.Name)
			}
		}
		if len(dropped) != 0 || n != reportSeries || series(text) != reportSeries {
			t.Errorf("%d series are read of %d, dropped %v; want %d of\n%s", n, series(text), dropped, reportSeries, text)
		}
	}
}

func TestMostOfASnapshotStaysAsItWas(t *testing.T) {
	r := &reporter{number: 7, tick: 3}
	before := strings.Split(r.text(), "\n")
	r.tick++
	after, changed := strings.Split(r.text(), "\n"), 0
	for i := range before {
		if before[i] != after[i] {
			changed++
		}
	}
	if changed < 6 || changed > reportSeries/4 {
		t.Errorf("%d lines changed", changed)
	}
}

func TestNumbersOfWorkersAreRead(t *testing.T) {
	if sizes, err := fleetSizes("1, 100"); err != nil || len(sizes) != 2 || sizes[1] != 100 {
		t.Errorf("read as %v, %v", sizes, err)
	}
	for _, bad := range []string{"", "0", "1,,2", "20000", "many"} {
		if sizes, err := fleetSizes(bad); err == nil {
			t.Errorf("%q was read as %v", bad, sizes)
		}
	}
}
