package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wide is a line of which there are few in what is kept.
func wide(n int) string { return fmt.Sprint(n, " ", strings.Repeat("x", maxLine-20)) }

// said is a feed that sent its own line, the container's start and many lines of that, one event each.
func said(t *testing.T, b *Box, base uint64, lines int) (*Feed, *fakeLink) {
	t.Helper()
	f, l := b.Open(one, base), newLink(10_000)
	f.Line("preparing")
	f.Started(0)
	for n := 1; n <= lines; n++ {
		tell(t, f, wide(n), fmt.Sprint(n))
		run(t, b, l, time.Second)
	}
	return f, l
}

// TestWhatIsNotKeptIsToldAgain: a hub that has less of a container's log than was sent gets it from where its own ends, with
// the numbers that it expects, whether or not somebody still tells.
func TestWhatIsNotKeptIsToldAgain(t *testing.T) {
	const lines = 3 * tailBytes / maxLine
	for name, c := range map[string]struct {
		base, heard uint64
		to          string
		finished    bool
		next        uint64 // number of what is sent next
	}{
		"the hub has a part":                            {heard: 4, to: "2", next: 5},
		"the hub has nothing":                           {next: 1},
		"the hub has nothing since the worker began":    {base: 1 << 20, heard: 77, to: "2", next: 1<<20 + 1},
		"nobody tells any more":                         {heard: 4, to: "2", finished: true, next: 5},
		"the hub has what the container did not say":    {heard: 2, next: 3},
		"the hub has what is not kept, and little more": {heard: lines / 2, to: fmt.Sprint(lines/2 - 2), next: lines/2 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := New()
				f, _ := said(t, b, c.base, lines)
				if c.finished {
					f.Finish()
				}
				calls := 0
				f.OnAgain(func() { calls++ })
				if idle := b.Again(one, c.heard, c.to); (idle == f) != c.finished {
					t.Errorf("the feed that nobody tells is %p, it is to be %t", idle, c.finished)
				}
				if f.Finish() {
					t.Error("it is finished while lines are missing")
				}
				if err := f.Tell(t.Context(), "after the gap", "later"); !errors.Is(err, ErrAgain) {
					t.Errorf("the line after the gap: %v", err)
				}
				if f.OnAgain(func() { calls++ }); calls != 2 {
					t.Errorf("who tells was called %d times", calls)
				}
				f.OnAgain(nil)
				to, again := f.Later()
				if _, twice := f.Later(); to != c.to || !again || twice {
					t.Errorf("it goes on after %q, %t, and again %t", to, again, twice)
				}
				tell(t, f, "told again", "x")
				if !b.Telling(one) || !f.Finish() || b.Telling(one) {
					t.Error("it is not known whether more comes")
				}
				l := newLink(1000)
				run(t, b, l, time.Second)
				if got := texts(l.events); !strings.HasSuffix(got, "told again\n") || strings.Contains(got, "x x") || strings.Contains(got, "missing") {
					t.Errorf("what is sent is %q", got)
				}
				for i, e := range l.events {
					if e.Number != c.next+uint64(i) {
						t.Errorf("event %d has number %d, the first is to have %d", i, e.Number, c.next)
					}
				}
				if last := f.Last(); last != c.next+uint64(len(l.events))-1 {
					t.Errorf("the last event is %d", last)
				}
			})
		})
	}
}

// TestWhatTheWorkerSaidIsKept when a container's lines are told again: nobody else has it.
func TestWhatTheWorkerSaidIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		f, l := said(t, b, 0, 3*tailBytes/maxLine)
		f.Line("stopping")
		run(t, b, l, time.Second)
		tell(t, f, "waits", "n")
		b.Again(one, 0, "")
		again := newLink(1000)
		run(t, b, again, time.Second)
		if got := texts(again.events); got != "preparing\nstopping\n" || len(again.events) != 3 || !again.events[1].Started {
			t.Errorf("%d events: %q", len(again.events), got)
		}
	})
}

// TestWhatIsKeptIsNotToldAgain: it is sent as it was.
func TestWhatIsKeptIsNotToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		f, l := said(t, b, 0, 4)
		if idle := b.Again(one, 3, "1"); idle != nil {
			t.Error("it is told again")
		}
		tell(t, f, "more", "5")
		l.events = nil
		run(t, b, l, time.Second)
		if len(l.events) != 4 || l.events[0].Number != 4 || l.events[3].Log != "more\n" {
			t.Errorf("%d events: %.200q", len(l.events), texts(l.events))
		}
	})
}

// TestALineThatWaitsForRoomIsNotSaid when others come first.
func TestALineThatWaitsForRoomIsNotSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		f := b.Open(one, 0)
		refused := make(chan error)
		go func() {
			for n := 1; ; n++ {
				if err := f.Tell(t.Context(), wide(n), fmt.Sprint(n)); err != nil {
					refused <- err
					return
				}
			}
		}()
		synctest.Wait()
		run(t, b, newLink(5), time.Second)
		f.sent = nil // as if it were long ago
		b.Again(one, 0, "")
		if err := <-refused; !errors.Is(err, ErrAgain) {
			t.Errorf("it was refused for %v", err)
		}
		f.Postpone("far")
		if to, again := f.Later(); to != "" || !again {
			t.Errorf("it goes on after %q, %t", to, again)
		}
		f.Postpone("9")
		if to, again := f.Later(); to != "9" || !again {
			t.Errorf("what was put off begins after %q, %t", to, again)
		}
		if n := b.Waiting(); n != 0 {
			t.Errorf("%d events wait", n)
		}
	})
}

// TestOfAContainerNobodySpoke: what was dropped then cannot be told again, and is marked as before.
func TestOfAContainerNobodySpoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10_000)
		f := b.Open(one, 0)
		for range 2 * tailBytes / maxLine {
			f.Line(wide(0))
			run(t, b, l, time.Second)
		}
		if b.Again(one, 0, ""); f.later != nil {
			t.Error("it is to be told again")
		}
		l.events = nil
		if _, err := run(t, b, l, time.Second); err != nil && !errors.Is(err, context.DeadlineExceeded) || len(l.events) == 0 || l.events[0].Number == 1 {
			t.Errorf("%v, %d events", err, len(l.events))
		}
	})
}
