package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/wire"
	"berth/hub/worker/runs"
)

// floods is how many lines a flooding container writes: several times what a worker keeps.
const floods = 3000

// flood has containers write many lines once begin is closed, and end with code 0 once end is.
func flood(s *setup) (begin, end chan struct{}) {
	begin, end = make(chan struct{}), make(chan struct{})
	s.engine.OnRun = func(ctx context.Context, _ runs.Spec, line func(string)) int {
		for n := range floods {
			if n == 1 {
				<-begin
			}
			line(fmt.Sprint("line ", n+1, " ", strings.Repeat("x", 1000)))
		}
		select {
		case <-end:
		case <-ctx.Done():
		}
		return 0
	}
	return begin, end
}

// checkFlood checks that events have each line once and in order, with numbers as a hub expects them.
func checkFlood(t *testing.T, events []wire.Event, result wire.Result, own ...string) {
	t.Helper()
	lines := logOf(events, own...)
	for n, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprint("line ", n+1, " x")) {
			t.Fatalf("line %d is %.60q", n+1, line)
		}
	}
	if len(lines) != floods {
		t.Errorf("%d lines came of %d", len(lines), floods)
	}
	for i, e := range events[1:] {
		if e.Number != events[i].Number+1 && e.Number-events[i].Number < numbersPerStart/2 {
			t.Errorf("after event %d comes %d", events[i].Number, e.Number)
		}
	}
	if last := events[len(events)-1].Number; result.Events != last || result.Status != wire.ResultSucceeded {
		t.Errorf("the last event is %d, the result %+v", last, result)
	}
}

// TestALogIsWholeWhateverTheHubHasLost of what was sent to it, at whatever moment it died.
func TestALogIsWholeWhateverTheHubHasLost(t *testing.T) {
	for name, c := range map[string]struct {
		kept  int  // events that the hub had stored
		ended bool // the container has ended, and its result was sent
	}{
		"nothing was stored":                     {},
		"little was stored":                      {kept: 3},
		"nearly all was stored":                  {kept: 80},
		"nothing was stored of what has ended":   {ended: true},
		"little was stored of what has ended":    {kept: 3, ended: true},
		"nearly all of what has ended is stored": {kept: 80, ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				begin, end := flood(s)
				close(begin)
				h := s.start().greeted()
				cmd := runOf(h)
				h.send(cmd)
				events := told(h, cmd, fmt.Sprint("line ", floods, " "))
				if c.ended {
					close(end)
					h.result(cmd.ID)
				}
				for again := range 2 {
					events = slices.Clone(events[:min(c.kept, len(events))])
					h.end.Cut()
					h = s.link()
					h.greetWith(events)
					if again == 0 {
						events = append(events, told(h, cmd, fmt.Sprint("line ", floods, " "))...)
					}
				}
				if !c.ended {
					close(end)
				}
				events, result := collectAfter(h, cmd, events)
				checkFlood(t, events, result)
				h.ack(cmd.ID, 1)
				synctest.Wait()
				if n := s.engine.Started(cmd.Run.Container); n != 1 || s.engine.there(cmd) {
					t.Errorf("started %d times; the container is there: %t", n, s.engine.there(cmd))
				}
			})
		})
	}
}

// TestAResultDoesNotWaitForTheHub: it is journaled when the container ends, and all of the log comes when the hub does,
// or to the next worker.
func TestAResultDoesNotWaitForTheHub(t *testing.T) {
	for name, restart := range map[string]bool{"the same worker": false, "another worker": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				begin, end := flood(s)
				h := s.start().greeted()
				cmd := runOf(h)
				h.send(cmd)
				events := told(h, cmd, "line 1")
				s.hub.refuse(errAway)
				h.end.Cut()
				close(begin)
				close(end)
				time.Sleep(24 * time.Hour)
				if e := s.worker.commands.journal.Entries(); len(e) != 1 || e[0].Result == nil || e[0].Result.Status != wire.ResultSucceeded {
					t.Errorf("the journal has %+v", e)
				}
				if kept := s.worker.box.Waiting(); kept > 40 {
					t.Errorf("%d events wait for the hub", kept)
				}
				if restart {
					s.stop()
					s.start()
				}
				s.hub.refuse(nil)
				h = s.link()
				h.greetWith(events)
				events, result := collectAfter(h, cmd, events)
				checkFlood(t, events, result)
			})
		})
	}
}

// TestALogThatTheEngineDoesNotGiveEndsAfterAWhile, which is not the hub's fault, and says so.
func TestALogThatTheEngineDoesNotGiveEndsAfterAWhile(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		begin, end := flood(s)
		h := s.start().greeted()
		cmd := runOf(h)
		h.send(cmd)
		events := told(h, cmd, "line 1")
		s.hub.refuse(errAway)
		h.end.Cut()
		close(begin)
		close(end)
		time.Sleep(time.Hour)
		s.stop()
		s.engine.on("follow", func(context.Context, Project, func(string)) error { return errAway })
		s.start()
		s.hub.refuse(nil)
		h = s.link()
		h.greetWith(events)
		began := time.Now()
		all, result := collectAfter(h, cmd, events)
		if log := logOf(all); log[len(log)-1] != linesMissing || result.Status != wire.ResultSucceeded {
			t.Errorf("the log ends with %.80q, the result is %+v", log[len(log)-1], result)
		}
		if took := time.Since(began); took > 3*logWithin {
			t.Errorf("that took %v", took)
		}
	})
}
