package worker

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/wire"
)

// With the hub away a deployment runs to its end, its result survives a restart of the
// worker, and reaches the hub when that is back.
func TestAHubThatIsAwayDelaysNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release, verified := make(chan struct{}), make(chan struct{})
		s.engine.on("apply", func(context.Context, Project, func(string)) error { <-release; return nil })
		s.engine.on("verify", func(_ context.Context, _ Project, report func(string)) error {
			report("said while nobody listened")
			close(verified)
			return nil
		})
		cmd := deployOf(h, newStack(), 3)
		h.send(cmd)
		h.accepted(cmd.ID)
		s.hub.refuse(errors.New("the hub is away"))
		h.end.Cut()
		close(release)
		<-verified
		synctest.Wait()
		if n := len(s.engine.called("verify")); n != 1 {
			t.Errorf("verified %d times without a hub", n)
		}
		s.stop()
		if left := s.journal(); len(left) != 1 || left[0].Result == nil || left[0].Result.Status != wire.ResultSucceeded {
			t.Fatalf("the journal holds %+v", left)
		}
		s.start()
		time.Sleep(time.Hour) // of fake time
		s.hub.refuse(nil)
		again := s.link()
		hello := again.greet(goOn)
		if len(hello.Journal) != 1 || hello.Journal[0].State != wire.JournalResult {
			t.Errorf("journal %+v", hello.Journal)
		}
		events, result := collect(again, cmd)
		if result.Status != wire.ResultSucceeded || result.Observed == nil || result.Observed.Revision != 3 {
			t.Errorf("result %+v", result)
		}
		if len(events) != 1 || !strings.Contains(events[0].Log, "lines may be missing") || events[0].Number <= numbersPerStart {
			t.Errorf("the gap in the log is told as %+v", events)
		}
		again.end.Cut()
		third := s.greeted()
		if events, _ := collect(third, cmd); len(events) != 0 {
			t.Errorf("the gap is told again: %+v", events)
		}
		third.ack(cmd.ID, 1)
		third.send(wire.Cancel{ID: cmd.ID, Attempt: 1}) // too late, and answered
		third.result(cmd.ID)
		if n := len(s.engine.called("apply")); n != 1 {
			t.Errorf("applied %d times", n)
		}
	})
}

func TestLinesThatNoLinkTookAreMissedVisibly(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		away, spoken := make(chan struct{}), make(chan struct{})
		s.engine.on("verify", func(_ context.Context, _ Project, report func(string)) error {
			<-away
			for range 2000 {
				report(strings.Repeat("x", 1000))
			}
			close(spoken)
			return nil
		})
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		h.accepted(cmd.ID)
		h.end.Cut()
		synctest.Wait()
		close(away)
		<-spoken
		events, result := collect(s.greeted(), cmd)
		var log strings.Builder
		for i, e := range events {
			log.WriteString(e.Log)
			if i > 0 && e.Number <= events[i-1].Number {
				t.Errorf("event %d comes after %d", e.Number, events[i-1].Number)
			}
		}
		if !strings.Contains(log.String(), "lines are missing here") || log.Len() > 1<<20 {
			t.Errorf("of 2 MB, %d bytes were told, and no gap", log.Len())
		}
		if last := events[len(events)-1].Number; result.Events != last {
			t.Errorf("the result tells of %d events, the last one was %d", result.Events, last)
		}
		checkPhases(t, result.Phases, "pull succeeded", "apply succeeded", "verify succeeded")
	})
}

// On a host whose disk is full the worker takes no new commands and says why. What it had
// taken on comes to its end, and is told, whatever happens to the worker then.
func TestAFullDisk(t *testing.T) {
	d := coretest.NewDisk(t, 4<<20)
	bubbleIn(t, d.Dir, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release, began := make(chan struct{}), make(chan struct{})
		running := deployOf(h, newStack(), 1)
		s.engine.on("verify "+running.Deploy.Project, until(release, began))
		h.send(running)
		<-began
		ballast := d.Fill()

		refused := refusedBy(h)
		if refused.Status != wire.ResultFailed || refused.Code != "worker.disk" || !strings.Contains(refused.Error, "no space left") || !strings.Contains(refused.Error, "Make room") {
			t.Errorf("refused with %+v", refused)
		}
		unknown := deployOf(h, newStack(), 1)
		h.send(wire.Cancel{ID: unknown.ID, Attempt: 1})
		if r := h.result(unknown.ID); r.Status != wire.ResultCancelled {
			t.Errorf("result %+v", r)
		}
		close(release)
		if r := h.result(running.ID); r.Status != wire.ResultSucceeded || r.Observed.Revision != 1 {
			t.Errorf("result %+v", r)
		}
		s.stop()
		again := s.start().greeted() // another process, on the same full disk
		if r := again.result(running.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		again.ack(running.ID, 1)

		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		s.engine.on("verify "+running.Deploy.Project, nil)
		last := deployOf(again, running.Deploy.Stack, 2)
		again.send(last)
		if r := again.result(last.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("with room again: %+v", r)
		}
	})
}

// until returns a hook that tells when it began and waits until it is released.
func until(release <-chan struct{}, began chan<- struct{}) func(context.Context, Project, func(string)) error {
	return func(ctx context.Context, _ Project, _ func(string)) error {
		close(began)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refusedBy sends commands until one is refused: the disk's last block may have room for some.
func refusedBy(h *hubEnd) wire.Result {
	h.t.Helper()
	for range 100 {
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		r := h.result(cmd.ID)
		if len(r.Phases) == 0 {
			return r
		}
		if r.Status != wire.ResultFailed || r.Code != "worker.disk" {
			h.t.Fatalf("on a full disk: %+v", r)
		}
	}
	h.t.Fatal("no command was refused")
	return wire.Result{}
}

// Nothing is said that is not on the disk: neither that a command was accepted nor how one
// ended.
func TestNothingIsSaidThatIsNotOnTheDisk(t *testing.T) {
	d := coretest.NewDisk(t, 4<<20)
	bubbleIn(t, d.Dir, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release, began := make(chan struct{}), make(chan struct{})
		wait := until(release, began)
		s.engine.on("verify", func(ctx context.Context, p Project, report func(string)) error {
			if err := wait(ctx, p, report); err != nil {
				return err
			}
			return fault.New(fault.Conflict, "engine.unhealthy", "No.").Because(FailedService{Service: "web", Lines: strings.Repeat("more than a block has room for\n", 500)})
		})
		running := deployOf(h, newStack(), 1)
		h.send(running)
		h.accepted(running.ID)
		<-began
		if err := os.Remove(s.dir + "/data/journal.reserve"); err != nil {
			t.Fatal(err)
		}
		ballast := d.Fill()
		late := deployOf(h, newStack(), 1)
		h.send(late)
		answer := await(h, "an answer", func(m any) bool {
			switch m := m.(type) {
			case wire.Accepted:
				return m.ID == late.ID
			case wire.Result:
				return m.ID == late.ID
			}
			return false
		})
		if r, is := answer.(wire.Result); !is || r.Status != wire.ResultFailed || r.Code != "worker.disk" {
			t.Errorf("the answer is %+v", answer)
		}
		close(release)
		silentFor(h, 10*time.Minute, any1[wire.Result])
		if log := s.log.String(); !strings.Contains(log, "a result could not be journaled") {
			t.Errorf("log:\n%s", log)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if r := h.result(running.ID); r.Code != "engine.unhealthy" || r.Service != "web" {
			t.Errorf("with room again: %+v", r)
		}
		if n := len(s.engine.called("apply")); n != 1 {
			t.Errorf("applied %d times", n)
		}
	})
}
