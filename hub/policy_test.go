package hub

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/policy"
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
		!strings.Contains(d.Error, "which this host does not allow") || !strings.HasSuffix(d.Error, "of worker host-1 add privileged to its WORKER_ALLOW.") {
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
	if err != nil || len(plan.Violations) != 1 {
		t.Fatalf("the plan has the violations %v, %v", plan.Violations, err)
	}
	if v := plan.Violations[0]; v.Service != "web" || v.Field != "privileged" || v.File != "web/compose.yaml" || v.Line != 4 || v.Needs != "privileged" {
		t.Errorf("the violation is %+v", v)
	}
}

// workerOf is the worker of a stack.
func (s *stand) workerOf(t *testing.T, id core.StackID) core.WorkerID {
	t.Helper()
	st, err := s.store.Stack(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return st.Worker
}

// ruled stores rules and returns them.
func (s *stand) ruled(t *testing.T, worker core.WorkerID, r policy.Rules) policy.Layer {
	t.Helper()
	p, err := s.store.EditPolicy(t.Context(), worker, func(fleet.Policy) (fleet.Policy, access.AuditEvent) {
		return fleet.Policy{Worker: worker, Rules: r, UpdatedAt: time.Now()}, access.System.Audit("policy.change", "policy", "")
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Layer()
}

func TestRulesOfTheServerTravelWithTheOrder(t *testing.T) {
	s, p, id := judged(t, wire.Hello{Judges: true, Allow: []string{"all"}}, "")
	p.succeed(expect[wire.Command](p))
	s.newest(id, stacks.DeploymentSucceeded)
	want := []policy.Layer{s.ruled(t, s.workerOf(t, id), policy.Rules{Block: policy.Blocks{HostPID: true}}), s.ruled(t, "", policy.Rules{Allow: policy.Lists{Images: []string{"web"}}})}
	s.commit(composed("    environment: {A: '1'}\n"))
	if _, err := s.desk.Sync(t.Context(), id, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	c := expect[wire.Command](p)
	if !reflect.DeepEqual(c.Deploy.Policy, want) {
		t.Errorf("the order has %+v, want %+v", c.Deploy.Policy, want)
	}
	p.succeed(c)
	s.newest(id, stacks.DeploymentSucceeded)
}

func TestEveryViolationIsToldAtOnce(t *testing.T) {
	limits := &policy.Rules{Allow: policy.Lists{Capabilities: []string{}}}
	s, p, id := judged(t, wire.Hello{Judges: true, Allow: []string{"all"}, Limits: limits}, "")
	p.succeed(expect[wire.Command](p))
	s.newest(id, stacks.DeploymentSucceeded)
	s.ruled(t, "", policy.Rules{Allow: policy.Lists{Images: []string{"other"}}, Block: policy.Blocks{Privileged: true, PublishedPorts: []string{"22"}}})
	s.commit(composed("    privileged: true\n    ports: ['80:80', '22:22']\n    cap_add:\n      - CHOWN\n      - NET_ADMIN\n"))
	if _, err := s.desk.Sync(t.Context(), id, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	d := s.newest(id, stacks.DeploymentFailed)
	for _, part := range []string{"web/compose.yaml:3: services.web.image: ", "web/compose.yaml:4: services.web.privileged: ", "web/compose.yaml:5: services.web.ports[1]: ",
		"web/compose.yaml:8: services.web.cap_add[1]: ", "the policy for all workers refuses (allow.images)", "the policy file of the host refuses (allow.capabilities)", "let an administrator change the policy"} {
		if !strings.Contains(d.Error, part) {
			t.Errorf("the error lacks %q:\n%s", part, d.Error)
		}
	}
	if d.ErrorCode != "policy.refused" {
		t.Errorf("the code is %s", d.ErrorCode)
	}
}

func TestAKeptRevisionIsJudgedByTheRulesOfNow(t *testing.T) {
	s, p, id := judged(t, wire.Hello{Judges: true}, "")
	p.succeed(expect[wire.Command](p))
	s.newest(id, stacks.DeploymentSucceeded)
	s.ruled(t, s.workerOf(t, id), policy.Rules{Allow: policy.Lists{Images: []string{"other"}}})
	if _, err := s.desk.Redeploy(t.Context(), id, stacks.DeployOptions{RecreateContainers: true}, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	if d := s.newest(id, stacks.DeploymentFailed); d.ErrorCode != "policy.refused" || !strings.Contains(d.Error, "allow.images") {
		t.Errorf("the deployment failed with %s: %s", d.ErrorCode, d.Error)
	}
}

func TestAPlanOfRulesNamesWhatTheyWouldRefuse(t *testing.T) {
	s, p, id := judged(t, wire.Hello{Judges: true}, "")
	p.succeed(expect[wire.Command](p))
	s.newest(id, stacks.DeploymentSucceeded)
	rules := policy.Rules{Allow: policy.Lists{Images: []string{"other"}}}
	for name, worker := range map[string]core.WorkerID{"for all": "", "for its worker": s.workerOf(t, id)} {
		plan, err := s.hub.PolicyPlan(t.Context(), worker, rules)
		if err != nil || len(plan.Stacks) != 1 || plan.Stacks[0].ID != id || len(plan.Stacks[0].Violations) != 1 || plan.Stacks[0].Violations[0].Field != "image" {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
	if plan, err := s.hub.PolicyPlan(t.Context(), "wrk_other", rules); err != nil || len(plan.Stacks) != 0 {
		t.Errorf("for another worker: %+v, %v", plan, err)
	}
	if _, err := s.hub.PolicyPlan(t.Context(), "", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"x"}}}); fault.CodeOf(err) != "policy.invalid" {
		t.Errorf("rules that are none: %v", err)
	}
}

func TestAPlanOfRulesNamesTheJobsOfItsWorker(t *testing.T) {
	s := newStand(t)
	w := s.enrol("host-1") // with the tags that enrol gives
	for name, c := range map[string]struct {
		worker core.WorkerID
		tags   []string
		runs   bool
	}{
		"for all workers":              {"", []string{"nobody-has-this"}, true},
		"a job without tags":           {w.ID, nil, true},
		"a job for another worker":     {w.ID, []string{"nobody-has-this"}, false},
		"a worker that does not exist": {"wrk_other", nil, false},
	} {
		runs, err := s.hub.jobsRunOn(t.Context(), c.worker)
		if err != nil || runs(jobs.Job{Definition: jobs.Definition{Tags: c.tags}}) != c.runs {
			t.Errorf("%s: not %t, %v", name, c.runs, err)
		}
	}
}
