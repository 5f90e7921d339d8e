package guard_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/guard"
)

// slowDoor takes a while to judge a key.
type slowDoor struct {
	door
	takes time.Duration
}

func (d slowDoor) ByAPIKey(ctx context.Context, text, address string) (access.Principal, error) {
	time.Sleep(d.takes)
	return d.door.ByAPIKey(ctx, text, address)
}

// TestAllKeysAreRefusedInTheSameTime, and those that are good, or cannot be judged, in their own.
func TestAllKeysAreRefusedInTheSameTime(t *testing.T) {
	away := fault.New(fault.Unavailable, "store.away", "away")
	for name, c := range map[string]struct {
		key    string
		door   slowDoor
		status int
		want   time.Duration
	}{
		"found out at once":         {"bad", slowDoor{}, 401, 2 * time.Millisecond},
		"found out after a look":    {"bad", slowDoor{takes: time.Millisecond}, 401, 2 * time.Millisecond},
		"found out late":            {"bad", slowDoor{takes: time.Second}, 401, time.Second},
		"a good one":                {"good key", slowDoor{takes: time.Millisecond}, 204, time.Millisecond},
		"one that nobody can judge": {"bad", slowDoor{door: door{away}}, 503, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := config("http://berth.test")
				cfg.Doorkeeper = c.door
				h := protect(t, cfg, guard.Rule{Capability: access.View, Surface: guard.API}, ok)
				began := time.Now()
				w := play(h, request("GET", "/", guard.KeyHeader, c.key))
				if took := time.Since(began); w.Code != c.status || took != c.want {
					t.Errorf("%d after %s, want %d after %s", w.Code, took, c.status, c.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // nobody waits for somebody who has left
		ctx, leave := context.WithCancel(t.Context())
		leave()
		began := time.Now()
		h := protect(t, config("http://berth.test"), guard.Rule{Capability: access.View, Surface: guard.API}, ok)
		h.ServeHTTP(httptest.NewRecorder(), request("GET", "/", guard.KeyHeader, "bad").WithContext(ctx))
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %s", took)
		}
	})
}
