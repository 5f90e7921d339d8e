package post

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/outbox"
	"berth/core/seal"
)

// shelf is an outbox in memory that keeps the promises of outbox.Store.
type shelf struct {
	mu   sync.Mutex
	all  map[core.LetterID]outbox.Letter // guarded by mu
	away error                           // guarded by mu: of every call
}

func (s *shelf) AddLetter(_ context.Context, l outbox.Letter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[l.ID] = l
	return s.away
}

func (s *shelf) Letter(_ context.Context, id core.LetterID) (outbox.Letter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[id], s.away
}

func (s *shelf) Letters(context.Context, outbox.Kind, int) ([]outbox.Letter, error) { return nil, nil }

func (s *shelf) ClaimLetters(_ context.Context, limit int, until time.Time) (due []outbox.Letter, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.all)) {
		if l := s.all[id]; s.away == nil && l.State == outbox.Waiting && !l.NextAt.After(time.Now()) && len(due) < limit {
			l.Attempts++
			l.NextAt = until
			s.all[id] = l
			due = append(due, l)
		}
	}
	return due, s.away
}

func (s *shelf) SettleLetter(_ context.Context, l outbox.Letter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away == nil && s.all[l.ID].State == outbox.Waiting && s.all[l.ID].Attempts == l.Attempts {
		s.all[l.ID] = l
	}
	return s.away
}

func (s *shelf) OutboxFigures(context.Context) (map[outbox.Kind]outbox.Figure, error) {
	return map[outbox.Kind]outbox.Figure{outbox.Mail: {Waiting: 1}}, nil
}

func (s *shelf) breakWith(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = err
}

// Open implements Opener: nothing is sealed here, but "damaged" cannot be opened.
func (s *shelf) Open(_ seal.Place, sealed seal.Sealed) ([]byte, error) {
	if string(sealed) == "damaged" {
		return nil, errors.New("it does not open")
	}
	return sealed, nil
}

type meter struct {
	mu      sync.Mutex
	carried map[string]int // guarded by mu
	known   bool           // guarded by mu
}

func (m *meter) Carried(kind outbox.Kind, result string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.carried[string(kind)+" "+result]++
}

func (m *meter) KnowOutbox(map[outbox.Kind]outbox.Figure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = true
}

func (m *meter) UnknowOutbox() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = false
}

type carry func(ctx context.Context, l outbox.Letter, content []byte) (string, error)

func (c carry) Carry(ctx context.Context, l outbox.Letter, content []byte) (string, error) {
	return c(ctx, l, content)
}

type office struct {
	*shelf
	*meter
	*Post
	end  context.CancelFunc
	over chan struct{}
}

func open(t *testing.T, c carry) *office {
	t.Helper()
	o := &office{shelf: &shelf{all: map[core.LetterID]outbox.Letter{}}, meter: &meter{carried: map[string]int{}}}
	o.Post = New(Options{Store: o.shelf, Seals: o.shelf, Carriers: map[outbox.Kind]Carrier{outbox.Mail: c}, Meter: o.meter, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	o.begin(t)
	return o
}

func (o *office) begin(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	o.end, o.over = end, over
	go func() { defer close(over); o.Run(ctx) }()
}

func (o *office) put(t *testing.T, id core.LetterID, change ...func(*outbox.Letter)) {
	t.Helper()
	l := outbox.Letter{ID: id, Kind: outbox.Mail, Sealed: seal.Sealed("x"), State: outbox.Waiting, CreatedAt: time.Now(), NextAt: time.Now(), GiveUpAt: time.Now().Add(time.Hour)}
	for _, c := range change {
		c(&l)
	}
	if err := o.AddLetter(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	o.Wake()
}

func (o *office) is(t *testing.T, id core.LetterID, state outbox.State, attempts int) outbox.Letter {
	t.Helper()
	l, err := o.Letter(t.Context(), id)
	if err != nil || l.State != state || l.Attempts != attempts {
		t.Errorf("%s is %s after %d attempts (%q, %v), want %s after %d", id, l.State, l.Attempts, l.Answer, err, state, attempts)
	}
	return l
}

func (o *office) stop() { o.end(); <-o.over }

var errAway = fault.New(fault.Unavailable, "smtp.unreachable", "It does not answer.")

func TestWhatBecomesOfLetters(t *testing.T) {
	for name, c := range map[string]struct {
		answers  []error
		change   func(*outbox.Letter)
		state    outbox.State
		attempts int
		says     string
	}{
		"it is sent at once":             {nil, nil, outbox.Sent, 1, "250"},
		"it is tried until it arrives":   {[]error{errAway, errAway, errAway}, nil, outbox.Sent, 4, "250"},
		"it was refused for good":        {[]error{outbox.Final(errAway)}, nil, outbox.Failed, 1, "It does not answer."},
		"it is given up in the end":      {slices.Repeat([]error{errAway}, 100), nil, outbox.Failed, 10, "It does not answer."},
		"it cannot be opened":            {nil, func(l *outbox.Letter) { l.Sealed = seal.Sealed("damaged") }, outbox.Failed, 1, "It cannot be opened with this server's SECRET_KEY."},
		"nobody carries such":            {nil, func(l *outbox.Letter) { l.Kind = "pigeon" }, outbox.Failed, 10, "This server is not configured to send it any more."},
		"a carrier has a defect":         {[]error{errors.New("panic")}, nil, outbox.Failed, 1, ""},
		"one that is tried but once":     {[]error{errAway}, func(l *outbox.Letter) { l.GiveUpAt = l.CreatedAt }, outbox.Failed, 1, "It does not answer."},
		"one that is due only in a time": {nil, func(l *outbox.Letter) { l.NextAt = l.NextAt.Add(30 * time.Minute) }, outbox.Sent, 1, "250"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := c.answers
				o := open(t, func(context.Context, outbox.Letter, []byte) (string, error) {
					if len(left) == 0 {
						return "250", nil
					}
					err := left[0]
					left = left[1:]
					if err.Error() == "panic" {
						panic("defect")
					}
					return "", err
				})
				defer o.stop()
				change := c.change
				if change == nil {
					change = func(*outbox.Letter) {}
				}
				o.put(t, "ltr_1", change)
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				attempts := c.attempts
				if attempts == 10 { // an hour of pauses, each spread by a quarter
					l, _ := o.Letter(t.Context(), "ltr_1")
					if attempts = l.Attempts; attempts < 6 || attempts > 10 {
						t.Errorf("%d attempts in an hour", attempts)
					}
				}
				if l := o.is(t, "ltr_1", c.state, attempts); c.says != "" && l.Answer != c.says {
					t.Errorf("it says %q", l.Answer)
				}
			})
		})
	}
}

// TestASlowServerHoldsUpOnlyItsOwn: as many letters are carried at once as there is room for, and no more.
func TestASlowServerHoldsUpOnlyItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free, busy, most := make(chan struct{}), 0, 0
		var mu sync.Mutex
		o := open(t, func(_ context.Context, l outbox.Letter, _ []byte) (string, error) {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			if l.About == "slow" {
				<-free
			}
			mu.Lock()
			busy--
			mu.Unlock()
			return "250", nil
		})
		defer o.stop()
		for i := range maxCarrying - 1 {
			o.put(t, core.LetterID("ltr_slow"+string(rune('a'+i))), func(l *outbox.Letter) { l.About = "slow" })
		}
		for i := range 20 {
			o.put(t, core.LetterID("ltr_x"+string(rune('a'+i))))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		o.is(t, "ltr_xt", outbox.Sent, 1)
		o.is(t, "ltr_slowa", outbox.Waiting, 1)
		if most > maxCarrying {
			t.Errorf("%d at once", most)
		}
		close(free)
		synctest.Wait()
		o.is(t, "ltr_slowa", outbox.Sent, 1)
	})
}

// TestAnEndInTheMiddle leaves the letter to the next start, and waits for what is under way.
func TestAnEndInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		o := open(t, func(ctx context.Context, _ outbox.Letter, _ []byte) (string, error) {
			if first {
				first = false
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "250", nil
		})
		o.put(t, "ltr_1")
		synctest.Wait()
		o.stop()
		if l := o.is(t, "ltr_1", outbox.Waiting, 1); l.NextAt.After(time.Now()) {
			t.Errorf("it is due %s", l.NextAt)
		}
		if o.known {
			t.Error("it tells what waits while another leads")
		}
		o.begin(t)
		synctest.Wait()
		o.is(t, "ltr_1", outbox.Sent, 2)
		o.stop()
	})
}

// TestTwoPostsOnOneOutbox, and an outbox that is away for a while: every letter is carried once.
func TestTwoPostsOnOneOutbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		carried := map[core.LetterID]int{}
		o := open(t, func(_ context.Context, l outbox.Letter, _ []byte) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			carried[l.ID]++
			return "250", nil
		})
		other := New(o.Post.o)
		ctx, end := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); other.Run(ctx) }()
		o.breakWith(errors.New("away"))
		time.Sleep(time.Minute)
		o.breakWith(nil)
		for i := range 50 {
			o.put(t, core.LetterID("ltr_"+string(rune('A'+i))))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		end()
		<-over
		o.stop()
		for id, n := range carried {
			if n != 1 {
				t.Errorf("%s was carried %d times", id, n)
			}
		}
		if len(carried) != 50 || o.carried["mail sent"] != 50 {
			t.Errorf("%d were carried, %d counted", len(carried), o.carried["mail sent"])
		}
	})
}
