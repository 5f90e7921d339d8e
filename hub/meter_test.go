package hub

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/metrics"
	"berth/core/stacks"
	"berth/core/wire"
)

// meters is what a hub tells the metrics.
type meters struct {
	*stand
	own *metrics.Own
}

// newMeters is a stand whose hub is measured.
func newMeters(t *testing.T, change func(*Options)) *meters {
	t.Helper()
	board := metrics.NewBoard(metrics.Config{Version: "test", Process: func() metrics.Process { return metrics.Process{} }, Clock: time.Now})
	return &meters{own: board.Own, stand: newStandWith(t, func(o *Options) {
		o.Meter = board.Own
		change(o)
	})}
}

// value is that of a series, and whether it is there: `name{label="x"}`.
func (m *meters) value(series string) (float64, bool) {
	m.t.Helper()
	for _, f := range m.own.Families() {
		for line := range strings.Lines(string(f.Text)) {
			name, number, _ := strings.Cut(strings.TrimSpace(line), "} ")
			if name += "}"; number == "" {
				name, number, _ = strings.Cut(strings.TrimSpace(line), " ")
			}
			if name == series {
				n, err := strconv.ParseFloat(number, 64)
				if err != nil {
					m.t.Fatal(err)
				}
				return n, true
			}
		}
	}
	return 0, false
}

// is waits until a series has a value.
func (m *meters) is(series string, want float64) {
	m.t.Helper()
	var last float64
	defer func() {
		if m.t.Failed() {
			m.t.Logf("%s is %v", series, last)
		}
	}()
	m.eventually(series+" is "+strconv.FormatFloat(want, 'g', -1, 64), func() bool {
		n, there := m.value(series)
		last = n
		return there && n == want
	})
}

// gone waits until a series is no more.
func (m *meters) gone(series string) {
	m.t.Helper()
	m.eventually(series+" is gone", func() bool {
		_, there := m.value(series)
		return !there
	})
}

func of(st stacks.Stack, more ...string) string {
	return `{stack="` + string(st.ID) + `",name="` + st.Name + `"` + strings.Join(more, "") + `}`
}

func TestADeploymentIsMeasured(t *testing.T) {
	m := newMeters(t, func(*Options) {})
	w, p := m.online()
	st, first := m.sent(w, p)
	m.is(`berth_stack_status`+of(st, `,status="syncing"`), 1)
	m.is(`berth_stack_info`+of(st, `,worker_id="`+string(w.ID)+`"`, `,repository="apps"`), 1)
	m.is(`berth_deployments_in_progress{state="running"}`, 1)
	m.is(`berth_commands_unacknowledged`, 1)
	if _, there := m.value(`berth_stack_healthy` + of(st)); there {
		t.Error("a stack that was never deployed is judged")
	}
	p.succeed(first)
	m.stackIs(st.ID, stacks.StatusActive)
	m.is(`berth_stack_status`+of(st, `,status="active"`), 1)
	m.gone(`berth_stack_status` + of(st, `,status="syncing"`))
	m.is(`berth_stack_healthy`+of(st), 1)
	m.is(`berth_stack_drifted`+of(st), 0)
	m.is(`berth_deployments_in_progress{state="running"}`, 0)
	m.is(`berth_commands_unacknowledged`, 0)
	m.is(`berth_stacks{status="active"}`, 1)
	m.is(`berth_commit_to_healthy_seconds_count`, 1)
	for _, phase := range []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseRender, stacks.PhaseSecrets, stacks.PhaseDispatch, stacks.PhaseApply} {
		m.is(`berth_deployment_phase_duration_seconds_count{phase="`+string(phase)+`"}`, 1)
	}
	if n, _ := m.value(`berth_fetches_total{result="succeeded"}`); n < 1 {
		t.Errorf("%v fetches", n)
	}
	if n, _ := m.value(`berth_store_size_bytes`); n < 4096 {
		t.Errorf("the database has %v bytes", n)
	}
	if at, _ := m.value(`berth_stack_last_success_timestamp_seconds` + of(st)); at < float64(time.Now().Add(-time.Hour).Unix()) {
		t.Errorf("the last success was at %v", at)
	}

	if _, err := m.desk.Redeploy(t.Context(), st.ID, stacks.DeployOptions{}, access.System); err != nil { // nothing that is new
		t.Fatal(err)
	}
	p.succeed(expect[wire.Command](p))
	m.is(`berth_deployment_phase_duration_seconds_count{phase="apply"}`, 2)
	m.commit(map[string]string{"web/compose.yaml": "service web\nservice db\n"})
	m.look()
	third := expect[wire.Command](p)
	m.is(`berth_stack_status`+of(st, `,status="syncing"`), 1)
	if since, there := m.value(`berth_stack_out_of_sync_since_timestamp_seconds` + of(st)); !there || since < float64(time.Now().Add(-time.Hour).Unix()) {
		t.Errorf("it is out of sync since %v (%v)", since, there)
	}
	p.succeed(third)
	m.is(`berth_commit_to_healthy_seconds_count`, 2)
	m.gone(`berth_stack_out_of_sync_since_timestamp_seconds` + of(st))

	m.stop()
	m.gone(`berth_stack_status` + of(st, `,status="active"`))
	for _, series := range []string{`berth_stacks{status="active"}`, `berth_deployments_in_progress{state="running"}`, `berth_commands_unacknowledged`, `berth_store_size_bytes`} {
		if _, there := m.value(series); there {
			t.Errorf("%s is shown by a hub that does not lead", series)
		}
	}
}

// What fails counts as such, and as nothing else.
func TestWhatFailsIsMeasured(t *testing.T) {
	m := newMeters(t, func(*Options) {})
	w, p := m.online()
	st, cmd := m.sent(w, p)
	p.fail(cmd)
	m.stackIs(st.ID, stacks.StatusError)
	m.is(`berth_stack_status`+of(st, `,status="error"`), 1)
	m.is(`berth_stack_healthy`+of(st), 0)
	if n, _ := m.value(`berth_commit_to_healthy_seconds_count`); n != 0 {
		t.Errorf("%v commits became healthy", n)
	}
	p.send(wire.Observed{Stacks: []wire.StackObserved{}, Complete: true})
	p.send(wire.Accepted{ID: core.CommandID(core.NewID(core.PrefixCommand, time.Now())), Attempt: 1})
	m.is(`berth_worker_messages_refused_total{what="accepted"}`, 1)
}

func TestRoundTripsAreMeasured(t *testing.T) {
	m := newMeters(t, func(*Options) {})
	_, p := m.online()
	for n, took := range []int64{0, 700, 30_000} { // the first heartbeat of a link knows none
		p.send(wire.Heartbeat{Number: uint64(n + 1), RoundTripUS: took})
		expect[wire.HeartbeatAck](p)
	}
	for series, want := range map[string]float64{
		`berth_link_round_trip_seconds_bucket{le="0.0005"}`: 0, `berth_link_round_trip_seconds_bucket{le="0.001"}`: 1,
		`berth_link_round_trip_seconds_bucket{le="0.05"}`: 2, `berth_link_round_trip_seconds_count`: 2,
	} {
		m.is(series, want)
	}
}
