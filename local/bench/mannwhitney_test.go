package main

import (
	"math"
	"testing"
)

// The wanted values are worked out by hand: with ties, ranks 1, 3, 3, 6 give U = 3 about a mean of 8 with a variance of 10.857.
func TestMannWhitney(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []float64
		want float64
	}{
		"apart":    {[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0.009023},
		"mixed":    {[]float64{1, 4, 5, 8}, []float64{2, 3, 6, 7}, 1},
		"ties":     {[]float64{1, 2, 2, 3}, []float64{2, 3, 3, 4}, 0.129155},
		"all same": {[]float64{1, 1}, []float64{1, 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mannWhitney(c.a, c.b); math.Abs(got-c.want) > 1e-5 {
				t.Errorf("mannWhitney = %.6f, want %.6f", got, c.want)
			}
		})
	}
}
