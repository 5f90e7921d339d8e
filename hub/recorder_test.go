package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/wire"
)

// thing is the identifier of what these tests record.
type thing string

// shelf is a keeper in memory, which takes its time.
type shelf struct {
	slow time.Duration

	mu      sync.Mutex
	ended   map[thing]bool
	refuses map[thing]bool
	logs    map[thing][]piece
	saving  map[thing]bool // their pieces are being stored
	saves   int
	clashes int // stores of one log at the same time
}

func newShelf(slow time.Duration) *shelf {
	return &shelf{slow: slow, ended: map[thing]bool{}, refuses: map[thing]bool{}, logs: map[thing][]piece{}, saving: map[thing]bool{}}
}

func (s *shelf) load(_ context.Context, id thing) (*recording[int], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended[id] {
		return nil, nil
	}
	return &recording[int]{worker: "wrk_1", number: uint64(len(s.logs[id]))}, nil
}

func (s *shelf) save(_ context.Context, all []news[thing, int]) error { return s.store(all...) }

// store takes some time, and takes all or nothing.
func (s *shelf) store(all ...news[thing, int]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves++
	for _, n := range all {
		if s.saving[n.id] {
			s.clashes++
		}
		s.saving[n.id] = true
	}
	s.mu.Unlock()
	time.Sleep(s.slow)
	s.mu.Lock()
	refused := slices.ContainsFunc(all, func(n news[thing, int]) bool { return s.refuses[n.id] })
	for _, n := range all {
		delete(s.saving, n.id)
		if !refused {
			s.logs[n.id] = append(s.logs[n.id], n.pieces...)
		}
	}
	if refused {
		return errors.New("no")
	}
	return nil
}

// text returns a log, and complains about its numbers.
func (s *shelf) text(t *testing.T, id thing) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	for i, p := range s.logs[id] {
		if p.number != uint64(i+1) {
			t.Errorf("piece %d of %s has number %d", i+1, id, p.number)
		}
		text.WriteString(p.text)
	}
	return text.String()
}

// recorderOn is a recorder of things that runs until the test's bubble is told to end.
func recorderOn(t *testing.T, s *shelf) (r *recorder[thing, int], end func()) {
	r = newRecorder[thing, int]("thing", s, surroundings{now: time.Now, report: func(string, error, ...any) {},
		as: func(ctx context.Context) (context.Context, bool) { return ctx, true }})
	ctx, cancel := context.WithCancel(t.Context())
	go r.run(ctx)
	return r, cancel
}

func TestAnEndWaitsForWhatIsBeingStoredOfItsLogAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(time.Second)
		r, end := recorderOn(t, s)
		defer end()
		for _, id := range []thing{"a", "b"} {
			if err := r.track(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		r.line("a", "one\n")
		time.Sleep(500 * time.Millisecond) // it is being stored
		r.line("a", "two\n")
		began := time.Now()
		conclude := func(id thing) {
			if err := r.conclude(t.Context(), id, "the end", func(n news[thing, int]) (bool, error) { return true, s.store(n) }); err != nil {
				t.Error(err)
			}
		}
		conclude("b")
		if took := time.Since(began); took != time.Second {
			t.Errorf("the end of b took %v", took)
		}
		conclude("a")
		if got := s.text(t, "a"); got != "one\ntwo\nthe end\n" {
			t.Errorf("the log of a is %q", got)
		}
		if s.clashes > 0 || r.tracked("a") || r.tracked("b") {
			t.Errorf("%d clashes; a is recorded: %t, b: %t", s.clashes, r.tracked("a"), r.tracked("b"))
		}
	})
}

func TestManyEndsAndLinesLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(7 * time.Millisecond)
		r, end := recorderOn(t, s)
		defer end()
		var all sync.WaitGroup
		for i := range 50 {
			id := thing(fmt.Sprint(i))
			all.Go(func() {
				if err := r.track(t.Context(), id); err != nil {
					t.Error(err)
				}
				for n := range 40 {
					e := wire.Event{ID: core.CommandID("cmd_" + id), Attempt: 1, Number: uint64(n + 1), Log: fmt.Sprintln(n)}
					r.hear(id, e, asSaid, func(*int) {})
					r.hear(id, e, asSaid, func(*int) {}) // which comes again
					time.Sleep(time.Duration(i+n) * time.Millisecond)
				}
				if err := r.conclude(t.Context(), id, "", func(n news[thing, int]) (bool, error) { return true, s.store(n) }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var want strings.Builder
		for n := range 40 {
			fmt.Fprintln(&want, n)
		}
		for i := range 50 {
			if got := s.text(t, thing(fmt.Sprint(i))); got != want.String() {
				t.Fatalf("the log of %d is %q", i, got)
			}
		}
		if s.clashes > 0 {
			t.Errorf("%d clashes", s.clashes)
		}
	})
}

func TestWhatCannotBeStoredDoesNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(time.Millisecond)
		s.refuses["bad"] = true
		r, end := recorderOn(t, s)
		defer end()
		for _, id := range []thing{"bad", "good"} {
			if err := r.track(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			r.line(id, "one\n")
		}
		time.Sleep(10 * time.Second)
		if got := s.text(t, "good"); got != "one\n" {
			t.Errorf("the log of the good one is %q", got)
		}
		s.mu.Lock()
		s.refuses["bad"] = false
		s.mu.Unlock()
		time.Sleep(10 * time.Second)
		if got := s.text(t, "bad"); got != "one\n" {
			t.Errorf("the log of the bad one is %q", got)
		}
	})
}

func TestWhatIsHandedOverIsStoredAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(time.Second)
		r, end := recorderOn(t, s)
		defer end()
		if err := r.track(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		r.line("a", "one\n")
		time.Sleep(500 * time.Millisecond) // it is being stored
		r.line("a", "two\n")
		r.handOver(t.Context(), "wrk_2") // which has nothing
		if !r.tracked("a") {
			t.Error("another worker's is forgotten")
		}
		r.handOver(t.Context(), "wrk_1")
		if got := s.text(t, "a"); got != "one\ntwo\n" || r.tracked("a") {
			t.Errorf("the log is %q, recorded: %t", got, r.tracked("a"))
		}
		s.ended["a"] = true
		if err := r.track(t.Context(), "a"); err != nil || r.tracked("a") {
			t.Errorf("what has ended is recorded: %t, %v", r.tracked("a"), err)
		}
	})
}

func TestAFailedEndKeepsWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(0)
		r, end := recorderOn(t, s)
		defer end()
		if err := r.track(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		r.line("a", "one\n")
		if err := r.conclude(t.Context(), "a", "the end", func(news[thing, int]) (bool, error) { return false, errors.New("no") }); err == nil {
			t.Error("the failure is not told")
		}
		time.Sleep(time.Second)
		if got := s.text(t, "a"); got != "one\n" || !r.tracked("a") {
			t.Errorf("the log is %q, recorded: %t", got, r.tracked("a"))
		}
	})
}

// TestWhoSaysTooMuchIsHeldBack while the store is behind, and not by a store that takes nothing.
func TestWhoSaysTooMuchIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(flushEvery / 2)
		r, end := recorderOn(t, s)
		defer end()
		if err := r.track(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		chunk := strings.Repeat("x", 32<<10-1) + "\n"
		number := uint64(0)
		say := func() {
			number++
			r.hear("a", wire.Event{ID: "cmd_a", Attempt: 1, Number: number, Log: chunk}, asSaid, func(*int) {})
			r.hold(t.Context(), "a")
		}
		const most = 8 * maxPending
		for range most / len(chunk) {
			say()
		}
		time.Sleep(time.Second)
		if got := len(s.text(t, "a")); got != most {
			t.Errorf("%d bytes of %d were stored", got, most)
		}

		held := func(says int) time.Duration {
			began := time.Now()
			for range says {
				say()
			}
			return time.Since(began)
		}
		s.mu.Lock()
		s.refuses["a"] = true
		s.mu.Unlock()
		if took := held(most / len(chunk)); took > holdWithin {
			t.Errorf("a store that refuses held it for %v", took)
		}
		s.mu.Lock()
		s.refuses["a"], s.slow = false, time.Hour
		s.mu.Unlock()
		time.Sleep(time.Minute)
		if took := held(most / len(chunk)); took > holdWithin {
			t.Errorf("a store that does not answer held it for %v", took)
		}
		time.Sleep(2 * time.Hour)
	})
}
