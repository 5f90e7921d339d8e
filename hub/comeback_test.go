package hub

import "testing"

// N1: after a planned stop, many workers come back over some time, and few at once.
func TestManyWorkersAreToldDifferentTimes(t *testing.T) {
	for range 1000 {
		if at := comeBack(backRate - 1); at != 1 {
			t.Fatalf("one of a few is told to wait %d s", at)
		}
	}
	const links = 20 * backRate
	told := map[int]int{}
	for range links {
		told[comeBack(links)]++
	}
	for second := 1; second <= 21; second++ {
		if n := told[second]; n < backRate/2 || n > 2*backRate {
			t.Errorf("%d workers come back in second %d", n, second)
		}
		delete(told, second)
	}
	if len(told) != 0 {
		t.Errorf("some come back at other times: %v", told)
	}
}
