package hub

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/adapter/compose/render"
)

// judged is a stack whose real Compose file has more settings for its compose service, on a host that allows something.
func judged(t *testing.T, hello wire.Hello, settings string) (*stand, *puppet, core.StackID) {
	t.Helper()
	s := newStandWith(t, func(o *Options) { o.Compose = render.New() })
	s.commit(composed(settings))
	w := s.enrol("host-1")
	p := s.connectAs(w, hello)
	st := s.add("web", "web", w.ID, false)
	if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	return s, p, st.ID
}

func composed(settings string) map[string]string {
	return map[string]string{"web/compose.yaml": "services:\n  web:\n    image: web:1\n" + settings}
}

func TestWhatAHostDoesNotAllowIsNotSentToIt(t *testing.T) {
	s, _, id := judged(t, wire.Hello{Judges: true, Allow: []string{"devices", "/etc/ssl"}},
		"    devices: [/dev/fuse]\n    privileged: true\n    volumes: ['/etc/ssl/certs:/certs']\n")
	d := s.newest(id, stacks.DeploymentFailed)
	if d.ErrorCode != "policy.refused" || !strings.Contains(d.Error, "web/compose.yaml:5: services.web.privileged: ") ||
		!strings.Contains(d.Error, "worker host-1 does not allow") || !strings.HasSuffix(d.Error, "add privileged to its WORKER_ALLOW.") {
		t.Errorf("the deployment failed with %s: %s", d.ErrorCode, d.Error)
	}
	if phase := phaseOf(d, stacks.PhasePolicy); phase.State != stacks.PhaseFailed {
		t.Errorf("the phase is %+v", phase)
	}
}

func TestWhoJudgesIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		hello    wire.Hello
		settings string
		says     string
	}{
		"nothing is asked for":                  {wire.Hello{Judges: true}, "", "nothing beyond what every project may have"},
		"the host allows it":                    {wire.Hello{Judges: true, Allow: []string{"devices"}}, "    devices: [/dev/fuse]\n", "devices, which host-1 allows"},
		"the host allows everything":            {wire.Hello{Judges: true, Allow: []string{"all"}}, "    devices: [/dev/fuse]\n", "devices, which host-1 allows"},
		"a worker of before":                    {wire.Hello{}, "    devices: [/dev/fuse]\n", "asks for devices; the worker will say"},
		"a worker that knows more than the hub": {wire.Hello{Judges: true, Allow: []string{"quantum"}}, "    devices: [/dev/fuse]\n", "asks for devices; the worker will say"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p, id := judged(t, c.hello, c.settings)
			p.succeed(expect[wire.Command](p))
			d := s.newest(id, stacks.DeploymentSucceeded)
			if phase := phaseOf(d, stacks.PhasePolicy); phase.State != stacks.PhaseSucceeded || !strings.Contains(phase.Message, c.says) {
				t.Errorf("the phase is %+v", phase)
			}
		})
	}
}

func TestAPlanSaysWhatTheHostWouldRefuse(t *testing.T) {
	s, p, id := judged(t, wire.Hello{Judges: true}, "")
	p.succeed(expect[wire.Command](p))
	s.newest(id, stacks.DeploymentSucceeded)
	s.commit(composed("    privileged: true\n"))
	plan, err := s.hub.Plan(t.Context(), id)
	if err != nil || len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "services.web.privileged") {
		t.Errorf("the plan warns of %q, %v", plan.Warnings, err)
	}
}
