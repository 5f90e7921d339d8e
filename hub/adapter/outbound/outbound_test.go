package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
)

var codes = Codes{Address: "t.address", Unreachable: "t.unreachable", Untrusted: "t.untrusted", Slow: "t.slow", TooLarge: "t.too_large",
	Malformed: "t.malformed", Redirected: "t.redirected", Busy: "t.busy", Failed: "t.failed"}

func TestAnswersUpToTheLimitAreWhole(t *testing.T) {
	for _, size := range []int{0, 1, MaxAnswer - 1, MaxAnswer, MaxAnswer + 1, 2 * MaxAnswer} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", size)) // the client may go before its end
		}))
		service, err := New("Test", server.URL, codes, Options{Limit: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := service.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		switch {
		case size <= MaxAnswer && (err != nil || len(body) != size):
			t.Errorf("%d bytes came as %d, %v", size, len(body), err)
		case size > MaxAnswer && (fault.CodeOf(service.Trouble(t.Context(), err)) != "t.too_large" || len(body) > MaxAnswer):
			t.Errorf("%d bytes came as %d, %v", size, len(body), err)
		}
		service.Close()
		server.Close()
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "99999999999": time.Hour, "9999999999999999999999": 0, "soon": 0, "1.5": 0,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:00:00 GMT": 0, "Fri, 02 Jan 2099 03:00:00 GMT": time.Hour,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// A fault of the dialer, which knows where it may not go, is passed on as it is.
func TestDialersFaultIsPassedOn(t *testing.T) {
	refusal := fault.New(fault.Conflict, "t.refused", "that address is not allowed")
	service, err := New("Test", "http://10.0.0.1", codes, Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, refusal }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = service.Client().Get(service.Address)
	if got := service.Trouble(t.Context(), err); got != refusal {
		t.Errorf("%v", got)
	}
	service, err = New("Test", "http://169.254.169.254", codes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = service.Client().Get(service.Address)
	if got := service.Trouble(t.Context(), err); fault.CodeOf(got) != "outbound.address_refused" {
		t.Errorf("where no service lives: %v", got)
	}
}

func TestEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Int32
		var mu sync.Mutex
		running, most := 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			running += by
			most = max(most, running)
		}
		err := Each(t.Context(), 100, func(context.Context, int) error {
			count(1)
			defer count(-1)
			time.Sleep(time.Second)
			done.Add(1)
			return nil
		})
		if err != nil || most != Parallel || done.Load() != 100 {
			t.Errorf("%d at a time, %d done, %v", most, done.Load(), err)
		}
		broken := errors.New("broken")
		done.Store(0)
		err = Each(t.Context(), 100, func(ctx context.Context, i int) error {
			if i == 3 {
				return broken
			}
			<-ctx.Done()
			done.Add(1)
			return ctx.Err()
		})
		if !errors.Is(err, broken) || done.Load() >= Parallel {
			t.Errorf("%d others, %v", done.Load(), err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		err = Each(ended, 3, func(context.Context, int) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if err := Each(t.Context(), 0, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestProblems(t *testing.T) {
	away := fault.New(fault.Unavailable, "t.away", "away").After(time.Second)
	gone := fault.New(fault.Conflict, "t.gone", "gone")
	var none, one, both Problems
	one.Add(away)
	one.Add(away)
	both.Add(away)
	both.Add(gone)
	if err := none.Fault(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{{one.Fault(), "unavailable t.away away"}, {both.Fault(), "conflict t.away away; gone"}} {
		if got := fmt.Sprint(fault.KindOf(c.err), " ", fault.CodeOf(c.err), " ", fault.PublicOf(c.err)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestANameThatNobodyHasIsTold apart from a port where nothing answers.
func TestANameThatNobodyHasIsTold(t *testing.T) {
	missing := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "gone.example", IsNotFound: true}}
	service, err := New("Test", "http://gone.example", codes, Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, missing }})
	if err != nil {
		t.Fatal(err)
	}
	if got := service.Trouble(t.Context(), missing); fault.CodeOf(got) != "t.unreachable" || !strings.Contains(got.Public, "no server has the name in http://gone.example") {
		t.Errorf("told is %v", got)
	}
}
