package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// ended stores a deployment of a stack that ended so.
func (y *yard) ended(id core.StackID, state stacks.DeploymentState, at time.Time, took time.Duration) {
	y.t.Helper()
	y.exec(y.t, `INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		VALUES (?, ?, ?, 'poll', '', '', 0, '', '{}', '[]', '', '', '', 0, ?, 0, ?)`, core.NewID(core.PrefixDeployment, at), id, state, at.Add(-took).UnixMicro(), at.UnixMicro())
}

func TestDeploymentsAreTalliedByWhenAndHowTheyEnded(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	span := stacks.LastDay(y.at)
	y.queue(wish(id)) // has not ended
	for i, state := range stacks.Results {
		y.ended(id, state, span.From.Add(-time.Microsecond), time.Hour)
		y.ended(id, state, span.From, time.Minute)
		for range i + 1 {
			y.ended(id, state, span.Step(24).Add(-time.Microsecond), time.Second)
		}
		y.ended(id, state, span.Step(24), time.Hour)
	}
	y.ended(id, stacks.DeploymentSucceeded, span.Step(7), -time.Minute) // by a clock that was set back meanwhile
	tally, err := y.DeploymentTally(t.Context(), span)
	y.must(err)
	want := make([]map[stacks.DeploymentState]int, 24)
	for i := range want {
		want[i] = map[stacks.DeploymentState]int{}
	}
	want[7][stacks.DeploymentSucceeded] = 1
	for i, state := range stacks.Results {
		want[0][state], want[23][state] = 1, i+1
	}
	if tally.Span != span || !slices.EqualFunc(tally.Ended, want, maps.Equal) {
		t.Errorf("%+v\nthere is %v\nand should %v", tally.Span, tally.Ended, want)
	}
	if want := []time.Duration{0, time.Second, time.Second, time.Second, time.Second, time.Minute}; !slices.Equal(tally.Times, want) {
		t.Errorf("what succeeded took %v, want %v", tally.Times, want)
	}
}

func TestTheNewestTellHowLongDeploymentsTake(t *testing.T) {
	y := openYard(t)
	id, span := y.add("web"), stacks.LastFortnight(y.at)
	y.ended(id, stacks.DeploymentSucceeded, span.From, 0)
	// The first again and again, a minute later each and a second longer.
	y.exec(t, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		SELECT 'dep_' || CAST(i AS TEXT), stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at + i * 59000000, 0, finished_at + i * 60000000
		FROM deployments CROSS JOIN n`, stacks.MaxTimes+1))
	tally, err := y.DeploymentTally(t.Context(), span)
	y.must(err)
	if n := len(tally.Times); n != stacks.MaxTimes || tally.Times[0] != 2*time.Second || tally.Times[n-1] != 1001*time.Second {
		t.Errorf("%d times from %s to %s", n, tally.Times[0], tally.Times[n-1])
	}
	if got := tally.Total(); got[stacks.DeploymentSucceeded] != stacks.MaxTimes+2 {
		t.Errorf("all are counted: %v", got)
	}
}

func TestNothingEndedOnANewInstallation(t *testing.T) {
	y := openYard(t)
	span := stacks.LastFortnight(y.at)
	tally, err := y.DeploymentTally(t.Context(), span)
	y.must(err)
	if len(tally.Ended) != 14 || len(tally.Total()) != 0 || len(tally.Times) != 0 {
		t.Errorf("got %+v", tally)
	}
}

func TestPresenceCountsEachWorkerOnce(t *testing.T) {
	y := openYard(t) // with two workers that never connected
	for i, at := range []struct{ connected, left, revoked int }{{5, 3, 0}, {4, 0, 0}, {5, 9, 0}, {6, 6, 0}, {2, 8, 0}, {5, 3, 1}, {1, 2, 1}, {0, 0, 1}} {
		w := y.worker(t, fmt.Sprint("host-", i))
		y.exec(t, `UPDATE workers SET connected_at = ?, left_at = ?, revoked = ? WHERE id = ?`, at.connected, at.left, at.revoked, w.ID)
		if i == 2 || i == 6 {
			y.exec(t, `UPDATE stacks SET worker_id = ? WHERE id = ?`, w.ID, y.add(fmt.Sprint("of-", i)))
		}
	}
	presence, err := y.Presence(t.Context())
	y.must(err)
	if presence.Online != 2 || presence.Away != 3 || presence.Never != 2 || presence.Total() != 7 {
		t.Errorf("got %+v", presence)
	}
	for want, ask := range map[string]struct {
		missed bool
		limit  int
	}{"[host-3 host-4 host-2]": {false, 10}, "[host-3]": {false, 1}, "[host-2]": {true, 10}} {
		away, err := y.AwayWorkers(t.Context(), ask.missed, ask.limit)
		y.must(err)
		var hosts []string
		for _, w := range away {
			hosts = append(hosts, w.Hostname)
		}
		if fmt.Sprint(hosts) != want {
			t.Errorf("away are %v, want %s", hosts, want)
		}
	}
}

// endings counts as /metrics does.
type endings struct {
	ended map[stacks.DeploymentState]int
	times []time.Duration // of those that succeeded
}

func (*endings) Transaction(string, string, time.Duration) {}

func (c *endings) Deployed(_ stacks.Trigger, state stacks.DeploymentState, took time.Duration) {
	c.ended[state]++
	if state == stacks.DeploymentSucceeded {
		c.times = append(c.times, took)
	}
}

// TestPagesTellWhatTheMetricsTell: whichever way deployments end, the rows and the counter agree.
func TestPagesTellWhatTheMetricsTell(t *testing.T) {
	y := openYard(t)
	c := &endings{ended: map[stacks.DeploymentState]int{}}
	y.db.Measure(c)
	id := y.deployed("web", "c1")
	y.deploy(id, "c2")
	y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
	y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentLost)
	_, err := y.CancelDeployment(t.Context(), y.queue(wish(y.add("idle"))).ID, someone)
	y.must(err)
	ask := wish(id)
	ask.Trigger, ask.Aim.Revision = stacks.TriggerRollback, 1
	y.queue(wish(id))
	y.queue(ask) // takes its place
	tally, err := y.DeploymentTally(t.Context(), stacks.LastDay(y.at))
	y.must(err)
	want := map[stacks.DeploymentState]int{stacks.DeploymentSucceeded: 2, stacks.DeploymentFailed: 1, stacks.DeploymentLost: 1, stacks.DeploymentCancelled: 1, stacks.DeploymentSuperseded: 1}
	slices.Sort(c.times)
	if !maps.Equal(c.ended, want) || !maps.Equal(tally.Total(), want) || !slices.Equal(c.times, tally.Times) {
		t.Errorf("counted are %v %v, in rows %v %v, want %v", c.ended, c.times, tally.Total(), tally.Times, want)
	}
}
