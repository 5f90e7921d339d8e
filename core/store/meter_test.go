package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/store"
)

// counter is what a database counted.
type counter struct {
	mu       sync.Mutex
	told     []string        // guarded by mu; transactions
	deployed []string        // guarded by mu
	took     []time.Duration // guarded by mu; of deployments
}

func (c *counter) Transaction(kind, result string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if took <= 0 {
		result += " in no time"
	}
	c.told = append(c.told, kind+" "+result)
}

func (c *counter) Deployed(trigger stacks.Trigger, state stacks.DeploymentState, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deployed, c.took = append(c.deployed, fmt.Sprintf("%s %s", trigger, state)), append(c.took, took)
}

// take returns what was counted since the last call.
func (c *counter) take() (transactions, deployments []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	transactions, deployments = c.told, c.deployed
	c.told, c.deployed = nil, nil
	return transactions, deployments
}

func TestTransactionsAreCounted(t *testing.T) {
	db, _ := migrated(t)
	var c counter
	db.Measure(&c)
	stopped, stop := context.WithCancel(t.Context())
	nothing := func(*store.Tx) error { return nil }
	for name, step := range map[string]struct {
		do   func() error
		want string
		ok   bool
	}{
		"a read":              {func() error { return db.Read(t.Context(), nothing) }, "read committed", true},
		"a write":             {func() error { return db.Write(t.Context(), nothing) }, "write committed", true},
		"a write that begins": {func() error { return db.WriteNew(t.Context(), nothing) }, "write committed", true},
		"what ran did not want": {func() error {
			return db.Write(t.Context(), func(*store.Tx) error { return fault.New(fault.Conflict, "some.code", "No.") })
		}, "write rolled_back", false},
		"it was stopped": {func() error { return db.Read(stopped, func(*store.Tx) error { stop(); return stopped.Err() }) }, "read rolled_back", false},
		"the database refused": {func() error {
			return db.Write(t.Context(), func(*store.Tx) error { return errors.New("disk I/O error") })
		}, "write failed", false},
		"a question without sense": {func() error {
			_, err := texts(t, db, `SELECT nothing FROM nowhere`)
			return err
		}, "read failed", false},
	} {
		err := step.do()
		if told, _ := c.take(); (err == nil) != step.ok || !slices.Equal(told, []string{step.want}) {
			t.Errorf("%s: %v, counted %q, want %q", name, err, told, step.want)
		}
	}
	if inUse, idle := db.Connections(); inUse != 0 || idle < 1 {
		t.Errorf("%d connections are in use and %d idle", inUse, idle)
	}
	err := db.Read(t.Context(), func(*store.Tx) error {
		if inUse, _ := db.Connections(); inUse != 1 {
			t.Errorf("within a transaction %d connections are in use", inUse)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Meeting another transaction is nothing that anybody must look at.
func TestWhatIsRunAgainDidNotFail(t *testing.T) {
	db, _ := migrated(t)
	var c counter
	db.Measure(&c)
	met := errors.New("met another transaction")
	store.Retry(db, func(err error) bool { return errors.Is(err, met) })
	runs := 0
	err := db.Write(t.Context(), func(*store.Tx) error {
		if runs++; runs == 1 {
			return met
		}
		return nil
	})
	if told, _ := c.take(); err != nil || !slices.Equal(told, []string{"write rolled_back", "write committed"}) {
		t.Errorf("%v, counted %q", err, told)
	}
}

func TestTheSizeOfTheDatabase(t *testing.T) {
	y := openYard(t)
	before, err := y.Size(t.Context())
	y.must(err)
	for i := range 40 {
		y.add(fmt.Sprintf("app-%d", i))
		y.exec(t, `UPDATE stacks SET error = ?`, fmt.Sprintf("%065536d", i)) // every row of it
	}
	after, err := y.Size(t.Context())
	y.must(err)
	if before < 4096 || after <= before {
		t.Errorf("the size went from %d to %d", before, after)
	}
}

// Whoever ends a deployment, it is counted once, and only when that is stored.
func TestEveryEndOfADeploymentIsCounted(t *testing.T) {
	y := openYard(t)
	var c counter
	y.db.Measure(&c)
	is := func(what string, want ...string) {
		t.Helper()
		if _, got := c.take(); !slices.Equal(got, want) {
			t.Errorf("%s: counted %q, want %q", what, got, want)
		}
	}
	id := y.add("web")
	d := y.start(y.queue(polled(id, "c1")))
	y.send(d, "c1")
	is("nothing has ended")
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	is("succeeded", "poll succeeded")
	if c.took[0] <= 0 {
		t.Errorf("it took %v", c.took[0])
	}
	y.end(d.ID, stacks.DeploymentFailed)
	is("it had ended before")

	queued := y.queue(wish(id))
	_, err := y.CancelDeployment(t.Context(), queued.ID, someone)
	y.must(err)
	is("cancelled in the queue", "manual cancelled")

	y.queue(polled(id, "c2"))
	y.queue(stacks.Ask{Stack: id, Trigger: stacks.TriggerRollback, Actor: "ada@example.org", Reason: "back", Aim: stacks.Aim{Revision: 1}})
	is("displaced", "poll superseded")

	refusal := y.db.Write(t.Context(), func(tx *store.Tx) error {
		y.must(store.EndWithin(tx, y.Store, stacks.Outcome{Deployment: y.history(id)[3].ID, State: stacks.DeploymentCancelled, At: y.tick()}))
		return fault.New(fault.Conflict, "some.code", "No.")
	})
	if refusal == nil {
		t.Error("the write was not refused")
	}
	is("not stored")
}

func TestSinceWhenACommitWasWanted(t *testing.T) {
	y := openYard(t)
	wanted := func(d stacks.Deployment) time.Time {
		t.Helper()
		at, err := y.Wanted(t.Context(), d)
		y.must(err)
		return at
	}
	id := y.add("web")
	first := y.queue(polled(id, "c1"))
	y.start(first)
	y.send(first, "c1")
	y.end(first.ID, stacks.DeploymentFailed)
	y.at = y.at.Add(time.Minute)
	again := y.queue(stacks.Ask{Stack: id, Trigger: stacks.TriggerPoll, Actor: "system", Reason: "again", Commit: "c1", Retry: true})
	y.start(again)
	y.send(again, "c1")
	y.end(again.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if at := wanted(y.deployment(again.ID)); !at.Equal(first.QueuedAt) {
		t.Errorf("what was tried again was wanted at %v, want %v", at, first.QueuedAt)
	}
	if at := wanted(y.deploy(id, "c1")); !at.IsZero() {
		t.Errorf("what is in place already was wanted at %v", at)
	}
	asked := y.deploy(id, "c2")
	if at := wanted(asked); !at.Equal(asked.QueuedAt) {
		t.Errorf("what polling did not see was wanted at %v, want %v", at, asked.QueuedAt)
	}
}
