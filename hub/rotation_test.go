package hub

import (
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/core/wire"
)

// rotating is a stand whose hub compares secrets again and again.
func rotating(t *testing.T) *stand {
	t.Helper()
	return newStandWith(t, func(o *Options) { o.Rotation = 10 * time.Millisecond })
}

func (s *stand) rotation(id core.StackID) stacks.Rotation {
	s.t.Helper()
	r, err := s.store.Rotation(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stand) stale(id core.StackID, names ...string) {
	s.t.Helper()
	s.eventually("what is older is noticed", func() bool { return slices.Equal(s.rotation(id).Stale, names) })
}

func TestAnOlderSecretIsNoticedUntilItIsDeployed(t *testing.T) {
	s := rotating(t)
	w, p := s.online()
	s.secret("TOKEN", "one")
	s.secret("OTHER", "same")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\nsecret OTHER\n"})
	s.secret("TOKEN", "two")
	s.stale(st.ID, "TOKEN")
	since := s.rotation(st.ID).Since
	if since.IsZero() {
		t.Error("nobody knows since when")
	}
	s.secret("TOKEN", "") // its provider is away: what was known stays known
	s.secret("OTHER", "")
	writes := s.watchWrites()
	s.eventually("nothing is written while nothing is new", func() bool {
		writes()
		s.compareNow()
		return !writes()
	})
	s.stale(st.ID, "TOKEN")
	s.secret("TOKEN", "one")
	s.stale(st.ID)
	s.secret("TOKEN", "three")
	s.secret("OTHER", "same")
	s.stale(st.ID, "TOKEN")
	p.silent() // the manifest does not ask for it
	if _, err := s.desk.Redeploy(t.Context(), st.ID, stacks.DeployOptions{}, access.System); err != nil {
		t.Fatal(err)
	}
	p.succeed(expect[wire.Command](p))
	s.stale(st.ID)
}

// compareNow looks at every stack once more than the hub does by itself.
func (s *stand) compareNow() {
	s.t.Helper()
	if err := s.hub.compareAll(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func TestAManifestMayAskForDeploymentsOnRotation(t *testing.T) {
	s := rotating(t)
	w, p := s.online()
	s.secret("TOKEN", "one")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n",
		"web/wireops.yaml": `{"version": "wireops.v1", "secrets": {"redeploy_on_rotation": true}}`})
	s.secret("TOKEN", "two")
	cmd := expect[wire.Command](p)
	if d := s.deployments(st.ID)[0]; d.Trigger != stacks.TriggerRotation || d.Aim.Revision != 1 || cmd.Deploy.Secrets["TOKEN"] != "two" || cmd.Deploy.Revision != 1 || cmd.Deploy.Recreate {
		t.Errorf("the deployment is %+v", d)
	}
	if d := s.lastDecision(st.ID); d.Reason != "the value of TOKEN is newer at its provider" {
		t.Errorf("the decision is %+v", d)
	}
	p.succeed(cmd)
	s.stale(st.ID)
	// Paused, it is noticed and waits.
	if _, err := s.desk.Pause(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	s.secret("TOKEN", "three")
	s.stale(st.ID, "TOKEN")
	s.compareNow()
	p.silent()
	if _, err := s.desk.Resume(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	cmd = expect[wire.Command](p)
	if cmd.Deploy.Secrets["TOKEN"] != "three" {
		t.Errorf("the command carries %q", cmd.Deploy.Secrets["TOKEN"])
	}
	// One that fails is tried again by itself, but not asked for again at every look.
	p.fail(cmd)
	s.eventually("it has failed", func() bool { return s.deployments(st.ID)[0].State == stacks.DeploymentFailed })
	n := len(s.deployments(st.ID))
	s.compareNow()
	s.compareNow()
	if got := len(s.deployments(st.ID)); got != n {
		t.Errorf("%d deployments, want %d", got, n)
	}
}
