package store_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubs"
	"berth/core/store"
)

// joined adds a hub to a store.
func (r *fleetRoom) joined(t *testing.T, id core.HubID) hubs.Hub {
	t.Helper()
	h := hubs.Hub{ID: id, URL: "https://" + string(id) + ":8091", Version: "1", StartedAt: r.at}
	h.Pin[0], h.Pinned = id[len(id)-1], true
	if err := r.JoinHubs(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return h
}

// silent makes a hub one that was not heard of for too long.
func (r *fleetRoom) silent(t *testing.T, id core.HubID) {
	t.Helper()
	for _, query := range []string{`UPDATE hubs SET lease_until = 1 WHERE id = ?`, `UPDATE leases SET lease_until = 1 WHERE holder = ?`} {
		if err := execute(t, r.raw, query, string(id)); err != nil {
			t.Fatal(err)
		}
	}
}

func by(ctx context.Context, id core.HubID) context.Context {
	return hubs.Under(ctx, hubs.Fence{Hub: id})
}

func TestHubsAreThereWhileTheyAreHeardOf(t *testing.T) {
	r := openFleet(t)
	if _, err := r.Hubs(t.Context()); fault.CodeOf(err) != "hub.away" || !fault.Is(err, fault.Unavailable) {
		t.Errorf("without hubs: %v", err)
	}
	one, two := r.joined(t, "hub_1"), r.joined(t, "hub_2")
	all, err := r.Hubs(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != one.ID || all[1].Pin != two.Pin || !all[0].Pinned || all[0].URL != one.URL || !all[0].StartedAt.Equal(r.at) {
		t.Fatalf("got %+v, %v", all, err)
	}
	if until := time.Until(all[0].LeaseUntil); until <= 0 || until > hubs.LeaseTime {
		t.Errorf("the lease runs for %s more", until)
	}
	r.silent(t, one.ID)
	if all, _ := r.Hubs(t.Context()); len(all) != 1 || all[0].ID != two.ID {
		t.Errorf("got %+v", all)
	}
	if err := r.RenewHub(t.Context(), one.ID); err != nil { // nobody has missed it yet
		t.Fatal(err)
	}
	r.silent(t, one.ID)
	if gone, err := r.ExpireHubs(t.Context()); err != nil || !slices.Equal(gone, []core.HubID{one.ID}) {
		t.Errorf("gone: %v, %v", gone, err)
	}
	if err := r.RenewHub(t.Context(), one.ID); !errors.Is(err, hubs.ErrUnknown) {
		t.Errorf("a hub that was taken to be gone: %v", err)
	}
	if err := r.LeaveHubs(t.Context(), two.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hubs(t.Context()); fault.CodeOf(err) != "hub.away" {
		t.Errorf("after the last: %v", err)
	}
}

func TestAWorkersHubIsTheOneThatHoldsItsLink(t *testing.T) {
	r := openFleet(t)
	w := r.worker(t, "web")
	r.joined(t, "hub_1")
	r.joined(t, "hub_2")
	if _, err := r.HubOfWorker(t.Context(), w.ID); fault.CodeOf(err) != "worker.offline" {
		t.Errorf("before its link: %v", err)
	}
	first, err := r.WorkerConnected(by(t.Context(), "hub_1"), w.ID, fleet.Facts{Hostname: "web"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.WorkerConnected(by(t.Context(), "hub_2"), w.ID, fleet.Facts{Hostname: "web"})
	if err != nil || second <= first {
		t.Fatalf("epochs %d and %d, %v", first, second, err)
	}
	if h, err := r.HubOfWorker(t.Context(), w.ID); err != nil || h.ID != "hub_2" {
		t.Errorf("got %v, %v", h.ID, err)
	}
	linked := func(epoch uint64) context.Context {
		return hubs.Under(t.Context(), hubs.Fence{Worker: w.ID, Epoch: epoch})
	}
	if err := r.MarkAccepted(linked(first), w.ID, "cmd_1", 1, first); !errors.Is(err, hubs.ErrLost) {
		t.Errorf("what came over the older link: %v", err)
	}
	if err := r.MarkAccepted(linked(second), w.ID, "cmd_1", 1, second); fault.CodeOf(err) != "command.not_found" {
		t.Errorf("what came over the newer link: %v", err)
	}
	r.silent(t, "hub_2")
	if _, err := r.HubOfWorker(t.Context(), w.ID); fault.CodeOf(err) != "worker.offline" {
		t.Errorf("its hub is silent: %v", err)
	}
	if _, err := r.ExpireHubs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Worker(t.Context(), w.ID); err != nil || got.Online {
		t.Errorf("its hub is gone: %+v, %v", got, err)
	}
	if err := r.MarkAccepted(linked(second), w.ID, "cmd_1", 1, second); !errors.Is(err, hubs.ErrLost) {
		t.Errorf("what a hub says that was taken to be gone: %v", err)
	}
	if _, err := r.WorkerConnected(by(t.Context(), "hub_2"), w.ID, fleet.Facts{Hostname: "web"}); !errors.Is(err, hubs.ErrLost) {
		t.Errorf("a link to such a hub: %v", err)
	}
}

func TestALeaseHasOneHolder(t *testing.T) {
	r := openFleet(t)
	r.joined(t, "hub_1")
	r.joined(t, "hub_2")
	first, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1")
	if err != nil || first.Epoch != 1 || first.Holder != "hub_1" {
		t.Fatalf("got %+v, %v", first, err)
	}
	if again, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil || again != first {
		t.Errorf("renewed: %+v, %v", again, err)
	}
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_2"); fault.CodeOf(err) != "hub.lease_held" {
		t.Errorf("while it is held: %v", err)
	}
	if h, err := r.HolderOf(t.Context(), hubs.Duties); err != nil || h.ID != "hub_1" {
		t.Errorf("holder %v, %v", h.ID, err)
	}
	writes := func(l hubs.Lease) string {
		return fault.CodeOf(r.MarkAccepted(hubs.Under(t.Context(), hubs.Fence{Lease: l}), "wrk_1", "cmd_1", 1, 1))
	}
	const written, refused = "command.not_found", "hub.lease_lost"
	if got := writes(first); got != written {
		t.Errorf("its holder writes: %v", got)
	}
	r.silent(t, "hub_1")
	second, err := r.TakeLease(t.Context(), hubs.Duties, "hub_2")
	if err != nil || second.Epoch != 2 || second.Holder != "hub_2" {
		t.Fatalf("taken over: %+v, %v", second, err)
	}
	if got := writes(first); got != refused {
		t.Errorf("the former holder writes: %v", got)
	}
	if err := r.DropLease(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got := writes(second); got != written {
		t.Errorf("the former holder gave back what it did not hold: %v", got)
	}
	if err := r.DropLease(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if got := writes(second); got != refused {
		t.Errorf("given back: %v", got)
	}
	if third, err := r.TakeLease(t.Context(), hubs.Duties, "hub_2"); err != nil || third.Epoch != 3 {
		t.Errorf("taken again: %+v, %v", third, err)
	}
}

// TestALeaseOfAnotherIsNoError to the database: hubs ask for it every few seconds, and a server logs
// each statement that fails.
func TestALeaseOfAnotherIsNoError(t *testing.T) {
	r := openFleet(t)
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil {
		t.Fatal(err)
	}
	var c counter
	r.db.Measure(&c)
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_2"); fault.CodeOf(err) != "hub.lease_held" {
		t.Errorf("while it is held: %v", err)
	}
	if told, _ := c.take(); !slices.Equal(told, []string{"write rolled_back"}) { // a statement that fails is tried again
		t.Errorf("transactions: %q", told)
	}
}

func TestManyTakeALeaseAtOnce(t *testing.T) {
	r := openFleet(t)
	var mu sync.Mutex
	var holders []core.HubID
	var asking sync.WaitGroup
	for _, id := range []core.HubID{"hub_1", "hub_2", "hub_3", "hub_4", "hub_5", "hub_6"} {
		asking.Go(func() {
			_, err := r.TakeLease(context.Background(), hubs.Duties, id)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				holders = append(holders, id)
			case fault.CodeOf(err) != "hub.lease_held":
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	asking.Wait()
	if len(holders) != 1 {
		t.Errorf("%v all hold it", holders)
	}
}

func TestItIsToldSinceWhenNoHubIsThere(t *testing.T) {
	r := openFleet(t)
	w := r.worker(t, "web")
	is := func(when string, want bool) (since time.Time) {
		t.Helper()
		since, away, err := r.HubAway(t.Context())
		if err != nil || away != want {
			t.Fatalf("%s: away %t since %s, %v", when, away, since, err)
		}
		_, err = r.HubOfWorker(t.Context(), w.ID)
		if code := fault.CodeOf(err); want && code != "hub.away" {
			t.Errorf("%s: the hub of a worker: %v", when, err)
		}
		return since
	}
	is("one server alone, without a row", false)
	r.joined(t, "hub_1")
	r.joined(t, "hub_2")
	if _, err := r.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil {
		t.Fatal(err)
	}
	is("both are there", false)
	r.silent(t, "hub_1")
	is("one is silent", false)
	r.silent(t, "hub_2")
	if since := is("both are silent", true); !since.IsZero() {
		t.Errorf("since %s", since)
	}
	r.joined(t, "hub_3")
	is("another one came", false)
	lease, err := r.TakeLease(t.Context(), hubs.Duties, "hub_3")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.DropLease(t.Context(), lease), r.LeaveHubs(t.Context(), "hub_3")); err != nil {
		t.Fatal(err)
	}
	if since := is("it left", true); time.Since(since).Abs() > time.Hour {
		t.Errorf("since %s", since)
	}
	r.joined(t, "hub_4")
	if again, err := r.TakeLease(t.Context(), hubs.Duties, "hub_4"); err != nil || again.Epoch != lease.Epoch+1 {
		t.Errorf("a lease that was given back: %+v, %v", again, err)
	}
}

func TestHubsOfDifferentReleasesDoNotJoin(t *testing.T) {
	r := openFleet(t)
	one := r.joined(t, "hub_1")
	two := hubs.Hub{ID: "hub_2", URL: "https://hub_2:8091", Version: "2", StartedAt: r.at}
	if err := r.JoinHubs(t.Context(), two); fault.CodeOf(err) != "hub.release" {
		t.Errorf("another release joins: %v", err)
	}
	if all, err := r.Hubs(t.Context()); err != nil || len(all) != 1 || all[0].ID != one.ID {
		t.Errorf("there are %v, %v", all, err)
	}
	r.silent(t, one.ID)
	if err := r.JoinHubs(t.Context(), two); err != nil {
		t.Errorf("beside one that is silent: %v", err)
	}
}

func TestAHubDoesNotJoinOnceANewerReleaseHasChangedTheDatabase(t *testing.T) {
	r := openFleet(t)
	one := r.joined(t, "hub_1")
	if err := r.LeaveHubs(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if err := execute(t, r.raw, `INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (?, 'later', 'x', 1)`, store.Schema()+1); err != nil {
		t.Fatal(err)
	}
	if err := r.JoinHubs(t.Context(), one); fault.CodeOf(err) != "store.newer" {
		t.Errorf("it joins: %v", err)
	}
	if err := execute(t, r.raw, `DELETE FROM schema_steps WHERE number > ?`, store.Schema()); err != nil { // other tests use the database too
		t.Fatal(err)
	}
}
