package hubclient

import (
	"testing"
	"time"

	"berth/core/hubs"
)

func TestOneCallerFindsOutWhetherAHubIsBack(t *testing.T) {
	now := time.Unix(1, 0)
	l := newLines(func() time.Time { return now })
	t.Cleanup(l.close)
	at := hubs.Hub{URL: "https://127.0.0.1:1"}
	try := func(what string, want bool) *line {
		t.Helper()
		line, err := l.to(at)
		if got := err == nil; got != want {
			t.Fatalf("%s: may call %t, %v", what, got, err)
		}
		return line
	}
	line := try("at first", true)
	try("beside it", true).over()
	line.broke()
	line.over()
	try("just after", false)
	now = now.Add(restTime)
	trial := try("after a rest", true)
	try("while that one tries", false)
	trial.over() // its caller gave up
	trial = try("the next one", true)
	trial.broke()
	trial.over()
	try("it is away still", false)
	now = now.Add(restTime)
	trial = try("once more", true)
	trial.works()
	try("it is back", true)
	try("for everybody", true)
}
