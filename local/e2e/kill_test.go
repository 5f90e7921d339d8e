package e2e_test

import (
	"net/http"
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/kill"
)

// A real container is replaced again and again, and at each moment of that the server, the
// worker or both are killed with kill -9 and started again: 27 times in all.
func TestKilledWhileAContainerIsReplaced(t *testing.T) {
	for _, victim := range []kill.Victim{kill.Server, kill.Worker, kill.Both} {
		t.Run("the "+string(victim), func(t *testing.T) {
			t.Parallel()
			y := startYard(t)
			calm := y.container(y.calm)
			for _, m := range moments {
				if t.Failed() {
					return
				}
				y.killAt(m, victim)
			}
			if now := y.container(y.calm); now.ID != calm.ID || now.State.StartedAt != calm.State.StartedAt || now.RestartCount != calm.RestartCount {
				t.Errorf("the container that nobody was to touch was %+v, it is %+v", calm, now)
			}
		})
	}
}

// killAt replaces the container, kills at one moment of that, starts what was killed again,
// and checks how the deployment ended.
func (y *yard) killAt(m moment, victim kill.Victim) {
	y.t.Helper()
	y.freshWorker(victim)
	y.t.Logf("%s, the %s killed", m.name, victim)
	if m.before != nil {
		m.before(y)
	}
	y.commit(m.unwell)
	y.hold = nil
	if m.hold != nil {
		y.hold = m.hold(y)
	}
	var d api.DeploymentAnswer
	y.site.Must(http.MethodPost, y.changing.path("/sync"), nil, &d)
	if y.hold != nil {
		y.held(m)
	}
	if m.reached != nil {
		m.reached(y, d.ID)
	}
	y.kill(victim)
	if y.hold != nil {
		y.letGo(m, victim)
	}
	y.restart(victim)
	if m.unwell {
		y.makeWell()
	}
	d = y.ended(d.ID)
	if d.State != stacks.DeploymentSucceeded {
		y.t.Errorf("%s, the %s killed: the deployment ended %s: %s", m.name, victim, d.State, d.Error)
	}
	y.wantReplaced(m, victim, d)
}
