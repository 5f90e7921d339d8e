package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/journal"
)

var one, two = journal.Key{ID: "cmd_1", Attempt: 1}, journal.Key{ID: "cmd_2", Attempt: 1}

// fakeLink takes events as long as it has room.
type fakeLink struct {
	room    int // events that it takes; then it is over
	events  []wire.Event
	at      []time.Duration // since begin
	begin   time.Time
	flushed int // events that were there at the last flush
	refuse  func(wire.Event) error
}

var errOver = errors.New("the link is over")

func newLink(room int) *fakeLink { return &fakeLink{room: room, begin: time.Now()} }

func (l *fakeLink) Send(_ context.Context, msg any) error {
	e := msg.(wire.Event)
	if l.refuse != nil {
		if err := l.refuse(e); err != nil {
			return err
		}
	}
	if len(l.events) == l.room {
		return errOver
	}
	l.events, l.at = append(l.events, e), append(l.at, time.Since(l.begin))
	return nil
}

func (l *fakeLink) Flush(context.Context) error { l.flushed = len(l.events); return nil }

// run lets the box send for d.
func run(t *testing.T, b *Box, l *fakeLink, d time.Duration) (emptied int, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	err = b.Run(ctx, l, func() { emptied++ })
	return emptied, err
}

func texts(events []wire.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Log)
	}
	return b.String()
}

func TestLinesAreGatheredForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		f := b.Open(one, 0)
		f.Line("a")
		f.Line("b\nc\r\n")
		run(t, b, l, 99*time.Millisecond)
		if len(l.events) != 0 {
			t.Fatalf("sent too early: %+v", l.events)
		}
		run(t, b, l, time.Second)
		if len(l.events) != 1 || l.events[0].Log != "a\nb\nc\n" || l.events[0].Number != 1 || l.at[0] != 100*time.Millisecond {
			t.Errorf("events %+v at %v", l.events, l.at)
		}
	})
}

func TestPhasesGoAtOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		f := b.Open(one, 1<<20)
		f.Line("before")
		f.Phase(wire.PhaseEvent{Name: stacks.PhasePull, State: stacks.PhaseRunning})
		f.Line("after")
		f.Finish()
		emptied, _ := run(t, b, l, time.Second)
		if len(l.events) != 3 || l.events[0].Log != "before\n" || l.events[1].Phase == nil || l.events[2].Log != "after\n" {
			t.Fatalf("events %+v", l.events)
		}
		for i, e := range l.events {
			if e.Number != 1<<20+1+uint64(i) || e.ID != one.ID || e.Attempt != 1 || l.at[i] != 0 {
				t.Errorf("event %d: %+v at %v", i, e, l.at[i])
			}
		}
		if emptied != 1 || l.flushed != 3 || b.Pending(one) {
			t.Errorf("emptied %d times, %d flushed, pending %v", emptied, l.flushed, b.Pending(one))
		}
	})
}

func TestAFinishedFeedWithoutEventsIsEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Open(one, 0).Finish()
		if emptied, _ := run(t, b, newLink(1), time.Second); emptied != 1 || b.Pending(one) {
			t.Errorf("emptied %d times, pending %v", emptied, b.Pending(one))
		}
	})
}

func TestFloodIsBoundedAndTheGapIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(1000)
		f := b.Open(one, 0)
		line := strings.Repeat("x", 1000)
		const lines = 3000
		f.Phase(wire.PhaseEvent{Name: stacks.PhasePull, State: stacks.PhaseRunning})
		for range lines {
			f.Line(line)
		}
		f.Finish()
		run(t, b, l, time.Second)
		if l.events[0].Phase == nil {
			t.Error("the phase was dropped")
		}
		text := texts(l.events)
		if len(text) > feedBytes+chunkBytes {
			t.Errorf("%d bytes waited", len(text))
		}
		first, rest, _ := strings.Cut(text, "\n")
		var lost int
		if _, err := fmt.Sscanf(first, "… %d lines are missing", &lost); err != nil {
			t.Fatalf("the text begins with %q", first)
		}
		if got := strings.Count(rest, "\n") + lost; got != lines {
			t.Errorf("%d lines arrived or were marked as missing, want %d", got, lines)
		}
		if l.events[1].Number <= 2 || uint64(b.Dropped()) != l.events[1].Number-2 {
			t.Errorf("numbers %d, %d with %d chunks dropped", l.events[0].Number, l.events[1].Number, b.Dropped())
		}
		for _, e := range l.events {
			if len(e.Log) > wire.MaxLogChunk {
				t.Errorf("a chunk of %d bytes", len(e.Log))
			}
		}
	})
}

func TestWhatALinkDidNotTakeWaitsForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, first, second := New(), newLink(1), newLink(10)
		f := b.Open(one, 0)
		for _, p := range []stacks.PhaseName{stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify} {
			f.Phase(wire.PhaseEvent{Name: p})
		}
		if _, err := run(t, b, first, time.Second); !errors.Is(err, errOver) {
			t.Fatalf("Run = %v", err)
		}
		f.Finish()
		run(t, b, second, time.Second)
		if len(second.events) != 2 || second.events[0].Number != 2 || second.events[1].Number != 3 {
			t.Errorf("the second link got %+v", second.events)
		}
	})
}

func TestGapIsCountedOnceWhateverTheLinksDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, dead, alive := New(), newLink(0), newLink(1000)
		f := b.Open(one, 0)
		flood := func() {
			for range 700 {
				f.Line(strings.Repeat("y", 1000))
			}
		}
		flood()
		run(t, b, dead, time.Second)
		flood()
		f.Finish()
		run(t, b, alive, time.Second)
		text := texts(alive.events)
		var lost int
		fmt.Sscanf(text, "… %d lines are missing", &lost)
		if got := strings.Count(text, "\n") - 1 + lost; got != 1400 {
			t.Errorf("%d lines arrived or were marked, want 1400", got)
		}
	})
}

func TestFeedsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(6)
		f, g := b.Open(one, 0), b.Open(two, 0)
		for range 3 {
			f.Phase(wire.PhaseEvent{})
		}
		for range 3 {
			g.Phase(wire.PhaseEvent{})
		}
		f.Finish()
		g.Finish()
		run(t, b, l, time.Second)
		var order []string
		for _, e := range l.events {
			order = append(order, string(e.ID))
		}
		for i := range len(order) - 1 {
			if order[i] == order[i+1] {
				t.Fatalf("order %v", order)
			}
		}
	})
}

func TestAnEventThatCannotBeSentDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		l.refuse = func(e wire.Event) error {
			if e.Number == 1 {
				return fault.New(fault.Invalid, wire.CodeInvalid, "no")
			}
			return nil
		}
		f := b.Open(one, 0)
		f.Phase(wire.PhaseEvent{})
		f.Phase(wire.PhaseEvent{})
		f.Finish()
		run(t, b, l, time.Second)
		if len(l.events) != 1 || l.events[0].Number != 2 {
			t.Errorf("events %+v", l.events)
		}
	})
}

func TestFinishedFeedsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		var keys []journal.Key
		for n := range maxFinished + 5 {
			key := journal.Key{ID: "cmd_1", Attempt: n + 1}
			keys = append(keys, key)
			f := b.Open(key, 0)
			f.Line("text")
			f.Finish()
		}
		dropped := b.Open(two, 0)
		dropped.Line("x")
		dropped.Drop()
		pending := slices.DeleteFunc(keys, func(k journal.Key) bool { return !b.Pending(k) })
		if len(pending) != maxFinished || pending[0].Attempt != 6 || b.Pending(two) {
			t.Errorf("%d feeds wait, from attempt %d", len(pending), pending[0].Attempt)
		}
	})
}

func TestLongLinesAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		f := b.Open(one, 0)
		f.Line(strings.Repeat("é", maxLine))
		f.Finish()
		run(t, b, l, time.Second)
		if got := texts(l.events); len(got) > maxLine+10 || strings.Contains(got, "\ufffd") || !strings.HasSuffix(got, "é…\n") {
			t.Errorf("the line has %d bytes and ends with %q", len(got), got[len(got)-8:])
		}
	})
}

func TestLastCountsWhatIsNotAnEventYetAndWhatWasDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(1000)
		f := b.Open(one, 7)
		if n := f.Last(); n != 7 {
			t.Errorf("before the first event the last one is %d", n)
		}
		for range 3000 {
			f.Line(strings.Repeat("x", 1000))
		}
		last := f.Last()
		f.Finish()
		run(t, b, l, time.Second)
		if sent := l.events[len(l.events)-1].Number; b.Dropped() == 0 || last != sent || f.Last() != last {
			t.Errorf("event %d was the last, %d is told, and %d afterwards", sent, last, f.Last())
		}
	})
}

// numbers lists the numbers of events.
func numbers(events []wire.Event) (all []uint64) {
	for _, e := range events {
		all = append(all, e.Number)
	}
	return all
}

func TestWhatTheHubDoesNotHaveIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		f := b.Open(one, 0)
		say := func(l *fakeLink, texts ...string) {
			t.Helper()
			for _, text := range texts {
				f.Line(text)
				if _, err := run(t, b, l, time.Second); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
			}
		}
		first := newLink(10)
		say(first, "a", "b", "c")
		f.Line("d")
		f.Finish()
		b.Again(one, 1, "")
		b.Again(two, 0, "")
		second := newLink(10)
		if emptied, _ := run(t, b, second, time.Second); emptied != 1 || texts(second.events) != "b\nc\nd\n" || fmt.Sprint(numbers(second.events)) != "[2 3 4]" {
			t.Errorf("emptied %d times, %+v", emptied, second.events)
		}

		b.Again(one, 0, "") // another hub has nothing: what is left of the beginning comes too
		if !b.Pending(one) {
			t.Error("nothing is pending")
		}
		third := newLink(10)
		run(t, b, third, time.Second)
		b.Again(one, 4, "")
		run(t, b, third, time.Second)
		if fmt.Sprint(numbers(third.events)) != "[1 2 3 4]" {
			t.Errorf("%+v", third.events)
		}
		b.Forget(one)
		b.Again(one, 0, "")
		if emptied, _ := run(t, b, third, time.Second); emptied != 0 || len(third.events) != 4 || b.Pending(one) {
			t.Errorf("emptied %d times, %+v", emptied, third.events)
		}
	})
}

func TestWhatIsKeptOfWhatWasSentIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10_000)
		f := b.Open(one, 0)
		text := strings.Repeat("x", maxLine-1)
		for range 40 {
			for range 4 {
				f.Line(text)
			}
			run(t, b, l, time.Second)
		}
		for range 2 * tailEvents {
			f.Phase(wire.PhaseEvent{Name: stacks.PhasePull, State: stacks.PhaseRunning})
		}
		run(t, b, l, time.Second)
		if b.Again(one, 0, ""); len(f.waiting) != tailEvents {
			t.Errorf("%d events are kept", len(f.waiting))
		}
		run(t, b, l, time.Second)
		for range 40 {
			f.Line(text)
			run(t, b, l, time.Second)
		}
		if b.Again(one, 0, ""); f.bytes > tailBytes || f.bytes < tailBytes/2 || f.kept != 0 {
			t.Errorf("%d bytes are sent again, %d are counted as kept", f.bytes, f.kept)
		}
	})
}

func TestAGapStaysWhereItIsWhenTheLinesBeforeItAreSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		f := b.Open(one, 0)
		f.Line("before")
		run(t, b, l, time.Second)
		text := strings.Repeat("x", maxLine-1)
		for range feedBytes/maxLine + 4 {
			f.Line(text)
		}
		f.Finish()
		b.Again(one, 0, "")
		again := newLink(1000)
		run(t, b, again, time.Second)
		if len(again.events) < 3 || again.events[0].Log != "before\n" || !strings.Contains(again.events[1].Log, "lines are missing here") {
			t.Errorf("%d events, first %.80q and %.80q", len(again.events), again.events[0].Log, again.events[1].Log)
		}
	})
}

func TestWhatWaitsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		is := func(what string, want int) {
			t.Helper()
			if got := b.Waiting(); got != want {
				t.Errorf("%s %d events wait, want %d", what, got, want)
			}
		}
		is("at first", 0)
		f, other := b.Open(one, 0), b.Open(two, 0)
		f.Line("first")
		is("with a line that is no event yet", 1)
		f.Phase(wire.PhaseEvent{Name: stacks.PhaseApply, State: stacks.PhaseRunning})
		other.Line("of another command")
		is("with a line, a phase and a line of another", 3)
		l := newLink(2)
		if _, err := run(t, b, l, time.Minute); !errors.Is(err, errOver) {
			t.Fatal(err)
		}
		is("when a link took two", 1)
		if _, err := run(t, b, newLink(10), time.Minute); !errors.Is(err, context.DeadlineExceeded) && err != nil {
			t.Fatal(err)
		}
		is("when all were taken", 0)
	})
}

func TestOneLineThatIsMissingIsNotSeveral(t *testing.T) {
	if one, more := lostMark(1), lostMark(2); !strings.Contains(one, "1 line is missing") || !strings.Contains(more, "2 lines are missing") {
		t.Errorf("%q, %q", one, more)
	}
}

// TestEventsOfAContainer carry how far its log is told with them; the worker's own lines say nothing of that.
func TestEventsOfAContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := New(), newLink(10)
		f := b.Open(one, 0)
		f.Line("pulling")
		f.Started(1500 * time.Millisecond)
		tell(t, f, "a", "1")
		tell(t, f, "b", "2")
		f.Line("stopping")
		tell(t, f, "c", "3")
		f.Finish()
		run(t, b, l, time.Second)
		if len(l.events) != 5 || l.events[0].LogTo != "" || !l.events[1].Started || l.events[1].RanMS != 1500 || l.events[2].Log != "a\nb\n" || l.events[2].LogTo != "2" ||
			l.events[3].Log != "stopping\n" || l.events[3].LogTo != "" || l.events[4].Log != "c\n" || l.events[4].LogTo != "3" {
			t.Errorf("events %+v", l.events)
		}
	})
}

// TestWhoCanWaitLosesNoLine, whenever a link comes, and is not held up for ever.
func TestWhoCanWaitLosesNoLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		f := b.Open(one, 0)
		said, full := 0, time.Second
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ; said < 4*feedBytes/1000; said++ {
				if f.Tell(ctx, strings.Repeat("x", 999), "1") != nil {
					break
				}
			}
		}()
		time.Sleep(full)
		synctest.Wait()
		if waited := said; waited == 0 || waited > feedBytes/1000 || b.Dropped() != 0 {
			t.Fatalf("%d lines were said to no link, %d chunks dropped", waited, b.Dropped())
		}
		l := newLink(1 << 20)
		run(t, b, l, full)
		<-done
		run(t, b, l, full)
		if got := strings.Count(texts(l.events), "\n"); got != said || b.Dropped() != 0 {
			t.Errorf("%d lines of %d came, %d chunks were dropped", got, said, b.Dropped())
		}
		if !b.Has(one) || b.Has(two) {
			t.Error("what is kept is not known")
		}
		cancel()
		for n := range feedBytes {
			if err := f.Tell(ctx, strings.Repeat("x", 999), "1"); err != nil {
				if n == 0 || !errors.Is(err, context.Canceled) {
					t.Errorf("line %d: %v", n, err)
				}
				return
			}
		}
		t.Error("there is room for ever")
	})
}

func tell(t *testing.T, f *Feed, text, to string) {
	t.Helper()
	if err := f.Tell(t.Context(), text, to); err != nil {
		t.Fatal(err)
	}
}
