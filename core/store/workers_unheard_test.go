package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/hubs"
)

// shown tells of every worker how it is shown.
func (r *fleetRoom) shown(t *testing.T) (all string) {
	t.Helper()
	list, err := r.Workers(t.Context(), fleet.Filter{}, core.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list.Items {
		all += fmt.Sprintf("%s %s;", w.Hostname, w.Presence())
		if w.Unheard == w.UnheardSince.IsZero() || w.Unheard && time.Since(w.UnheardSince) < 30*time.Second {
			t.Errorf("%s is unheard of (%t) since %s", w.Hostname, w.Unheard, w.UnheardSince)
		}
	}
	return all
}

// narrowed lists the workers that are online, and after a dash those that are not.
func (r *fleetRoom) narrowed(t *testing.T) (all string) {
	t.Helper()
	for _, online := range []bool{true, false} {
		list, err := r.Workers(t.Context(), fleet.Filter{Online: &online}, core.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list.Items {
			all += w.Hostname
		}
		if online {
			all += "-"
		}
	}
	return all
}

// TestAWorkerIsNotShownOnlineWithoutItsHub is promise 2 of RELIABILITY for workers: what no hub vouches
// for is not known.
func TestAWorkerIsNotShownOnlineWithoutItsHub(t *testing.T) {
	r := openFleet(t)
	r.joined(t, "hub_1")
	r.joined(t, "hub_2")
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil {
		t.Fatal(err)
	}
	on := map[string]core.HubID{"a": "hub_1", "b": "hub_2", "c": "hub_1"}
	ids := map[string]core.WorkerID{}
	for _, name := range []string{"a", "b", "c", "d"} {
		w := r.worker(t, name)
		if hub, linked := on[name]; linked {
			epoch, err := r.WorkerConnected(by(t.Context(), hub), w.ID, fleet.Facts{Hostname: name})
			if err == nil && name == "c" {
				err = r.WorkerLeft(t.Context(), w.ID, epoch)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ids[name] = w.ID
	}
	is := func(when, shown, narrowed string, presence fleet.Presence, away int) {
		t.Helper()
		if got := r.shown(t); got != shown {
			t.Errorf("%s: shown are %s, want %s", when, got, shown)
		}
		if got := r.narrowed(t); got != narrowed {
			t.Errorf("%s: narrowed they are %s, want %s", when, got, narrowed)
		}
		p, err := r.Presence(t.Context())
		if err != nil || p != presence {
			t.Errorf("%s: counted are %+v (%v), want %+v", when, p, err, presence)
		}
		gone, err := r.AwayWorkers(t.Context(), false, 10)
		if err != nil || len(gone) != away {
			t.Errorf("%s: %d are away (%v), want %d", when, len(gone), err, away)
		}
		one, err := r.Worker(t.Context(), ids["a"])
		if err != nil || one.Online != (shown[:8] == "a online") {
			t.Errorf("%s: by itself it is %+v, %v", when, one, err)
		}
	}
	is("both hubs are there", "a online;b online;c offline;d never;", "ab-cd", fleet.Presence{Online: 2, Away: 1, Never: 1}, 1)
	r.late(t, "hub_1", time.Minute)
	is("one is silent", "a unknown;b online;c offline;d never;", "b-acd", fleet.Presence{Online: 1, Unheard: 1, Away: 1, Never: 1}, 1)
	r.late(t, "hub_2", time.Minute)
	if err := execute(t, r.raw, `UPDATE leases SET lease_until = ?`, time.Now().Add(-time.Minute).UnixMicro()); err != nil {
		t.Fatal(err)
	}
	is("none is heard of", "a unknown;b unknown;c unknown;d never;", "-abcd", fleet.Presence{Unheard: 3, Never: 1}, 0)
	r.joined(t, "hub_3")
	r.expire(t)
	is("another has come", "a offline;b offline;c offline;d never;", "-abcd", fleet.Presence{Away: 3, Never: 1}, 3)
}
