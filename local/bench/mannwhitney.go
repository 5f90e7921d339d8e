package main

import (
	"cmp"
	"math"
	"slices"
)

// mannWhitney returns how probable it is that two samples of one distribution differ at least as much in their
// ranks as these: the two-sided test of Mann and Whitney in its normal approximation, with ties corrected. It
// holds from about twenty values each; NaN when one has none.
func mannWhitney[T cmp.Ordered](a, b []T) float64 {
	type valued struct {
		value T
		of    int
	}
	var all []valued
	for _, v := range a {
		all = append(all, valued{v, 0})
	}
	for _, v := range b {
		all = append(all, valued{v, 1})
	}
	slices.SortFunc(all, func(x, y valued) int { return cmp.Compare(x.value, y.value) })
	n, m := float64(len(a)), float64(len(b))
	ranks, ties := 0.0, 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].value == all[i].value {
			j++
		}
		rank, t := float64(i+j+1)/2, float64(j-i)
		for _, v := range all[i:j] {
			if v.of == 0 {
				ranks += rank
			}
		}
		ties += t*t*t - t
		i = j
	}
	u := ranks - n*(n+1)/2
	variance := n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1)))
	if variance == 0 {
		return 1 // all are alike
	}
	return math.Erfc(math.Abs(u-n*m/2) / math.Sqrt(variance) / math.Sqrt2)
}
