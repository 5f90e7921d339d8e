package process

import (
	"runtime/debug"
	"testing"
)

func TestSpareYieldsToWhoeverStartedTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want int
	}{"not set": {"", sparing}, "set": {"200", 100}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", c.set)
			before := debug.SetGCPercent(100)
			Spare()
			if got := debug.SetGCPercent(before); got != c.want {
				t.Errorf("%d percent, want %d", got, c.want)
			}
		})
	}
}
