package stacks

import (
	"testing"
	"time"
)

func TestTheTimeOfALine(t *testing.T) {
	at := time.Date(2026, 3, 14, 15, 9, 26, 50, time.FixedZone("", 2*60*60))
	line := LineTime(at) + "web-1 | hello"
	if line != "2026-03-14T13:09:26.000000050Z web-1 | hello" {
		t.Fatalf("it is %q", line)
	}
	if got, text, timed := CutLineTime(line); !timed || !got.Equal(at) || text != "web-1 | hello" {
		t.Errorf("it is read as %v, %q, %v", got, text, timed)
	}
	if _, text, timed := CutLineTime(LineTime(at)); !timed || text != "" {
		t.Errorf("an empty line is %q, %v", text, timed)
	}
	for _, line := range []string{"", " ", "hello", "hello you", "2026-03-14T13:09:26Z what programs write", "2026-03-14T13:09:26.000000050Z", "2026-13-14T13:09:26.000000050Z x", "2026-03-14T13:09:26.000000050+ x"} {
		if at, text, timed := CutLineTime(line); timed || text != line || !at.IsZero() {
			t.Errorf("%q has the time %v and the text %q", line, at, text)
		}
	}
}
