package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubs"
	"berth/core/seal"
)

// known tells of each hub that is shown whether it is up, leads, and how many workers it has.
func (r *fleetRoom) known(t *testing.T) (all string) {
	t.Helper()
	list, err := r.KnownHubs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if k.Up && k.Pin == (seal.Pin{}) { // such a hub could not be called
			t.Errorf("%s is up and has no pin", k.ID)
		}
		if k.URL == "" || k.Version != "1" || k.StartedAt.IsZero() || time.Since(k.HeardAt) > time.Hour && k.Up {
			t.Errorf("%+v", k)
		}
		all += fmt.Sprintf("%s up=%t leads=%t workers=%d;", k.ID, k.Up, k.Leads, k.Workers)
	}
	return all
}

func (r *fleetRoom) expire(t *testing.T) {
	t.Helper()
	if _, err := r.ExpireHubs(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// late makes the last word of a hub one of some time ago.
func (r *fleetRoom) late(t *testing.T, id core.HubID, ago time.Duration) {
	t.Helper()
	until := time.Now().Add(hubs.LeaseTime - ago).UnixMicro()
	if err := execute(t, r.raw, `UPDATE hubs SET lease_until = ? WHERE id = ?`, until, string(id)); err != nil {
		t.Fatal(err)
	}
}

func TestAHubThatDiedIsRememberedForAWhile(t *testing.T) {
	r := openFleet(t)
	if got := r.known(t); got != "" {
		t.Errorf("without hubs: %s", got)
	}
	one := r.joined(t, "hub_1")
	r.joined(t, "hub_2")
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil {
		t.Fatal(err)
	}
	w := r.worker(t, "web")
	if _, err := r.WorkerConnected(by(t.Context(), "hub_1"), w.ID, fleet.Facts{Hostname: "web"}); err != nil {
		t.Fatal(err)
	}
	is := func(when, want string) {
		t.Helper()
		if got := r.known(t); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	const two = "hub_2 up=true leads=false workers=0;"
	is("both are there", "hub_1 up=true leads=true workers=1;"+two)
	r.late(t, "hub_1", time.Minute)
	is("one is silent", "hub_1 up=false leads=false workers=0;"+two)
	r.expire(t)
	is("it is taken to be gone", two+"hub_1 up=false leads=false workers=0;")
	if list, _ := r.KnownHubs(t.Context()); time.Since(list[1].HeardAt) < 30*time.Second || time.Since(list[1].HeardAt) > time.Hour || list[1].URL != one.URL {
		t.Errorf("it was heard of %+v", list[1])
	}
	if all, err := r.Hubs(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("it is still asked: %v, %v", all, err)
	}

	again := one
	again.ID, again.StartedAt = "hub_3", one.StartedAt.Add(time.Second)
	if err := r.JoinHubs(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	is("it was started again", two+"hub_3 up=true leads=false workers=0;")

	if err := r.LeaveHubs(t.Context(), "hub_3"); err != nil {
		t.Fatal(err)
	}
	is("one said goodbye", two)
	r.late(t, "hub_2", hubs.Remember-time.Hour)
	r.expire(t)
	is("one died long ago", "hub_2 up=false leads=false workers=0;")
	if err := r.LeaveHubs(t.Context(), "hub_2"); err != nil {
		t.Fatal(err)
	}
	is("it says goodbye after all", "")
	r.joined(t, "hub_4")
	r.late(t, "hub_4", hubs.Remember+time.Hour)
	r.expire(t)
	is("one died so long ago that it is forgotten", "")
}

func TestAHubThatWasStartedAgainWithinItsLeaseIsNotTakenForDead(t *testing.T) {
	r := openFleet(t)
	one := r.joined(t, "hub_1")
	again := one
	again.ID, again.StartedAt = "hub_2", one.StartedAt.Add(time.Second)
	if err := r.JoinHubs(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	const want = "hub_2 up=true leads=false workers=0;"
	r.late(t, "hub_1", time.Minute)
	if got := r.known(t); got != want {
		t.Errorf("before it is taken to be gone: %s", got)
	}
	r.expire(t)
	if got := r.known(t); got != want {
		t.Errorf("after: %s", got)
	}
}

func TestThePinOfTheWorkerPortIsKnownWithoutAHub(t *testing.T) {
	r := openFleet(t)
	if _, _, err := r.WorkerPortPin(t.Context()); fault.CodeOf(err) != "hub.away" {
		t.Errorf("before any hub: %v", err)
	}
	one := r.joined(t, "hub_1")
	if err := r.LeaveHubs(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if pin, pinned, err := r.WorkerPortPin(t.Context()); err != nil || pin != one.Pin || !pinned {
		t.Errorf("got %v %t, %v", pin, pinned, err)
	}
	other := hubs.Hub{ID: "hub_2", URL: "https://two:8091", Version: "1", StartedAt: r.at} // an authority vouches for its key
	if err := r.JoinHubs(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if pin, pinned, err := r.WorkerPortPin(t.Context()); err != nil || pin != other.Pin || pinned {
		t.Errorf("of the newest: %v %t, %v", pin, pinned, err)
	}
}
