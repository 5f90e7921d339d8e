package hub

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/adapter/compose/render"
	"berth/hub/adapter/yaml"
)

// planStand is a stand that reads real Compose files, with a stack whose first revision is in place.
type planStand struct {
	*stand
	stack  stacks.Stack
	puppet *puppet
}

const plannedFile = "services:\n  web:\n    image: web:1\n    environment: {TOKEN: \"${TOKEN}\"}\n    volumes: [\"./app.conf:/app.conf:ro\"]\n"

func newPlanStand(t *testing.T) *planStand {
	t.Helper()
	s := &planStand{stand: newStandWith(t, func(o *Options) { o.Compose, o.Documents = render.New(), yaml.Reader{} })}
	s.secrets["TOKEN"] = secrets.NewValue("hunter2")
	s.files(nil)
	w := s.enrol("host")
	s.puppet = s.connect(w)
	s.stack = s.add("web", "apps/web", w.ID, false)
	if _, err := s.desk.Sync(t.Context(), s.stack.ID, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	s.puppet.succeed(expect[wire.Command](s.puppet))
	s.stackIs(s.stack.ID, stacks.StatusActive)
	return s
}

// files commits the stack's folder with changes.
func (s *planStand) files(change map[string]string) {
	all := map[string]string{"apps/web/compose.yaml": plannedFile, "apps/web/app.conf": "a"}
	for name, text := range change {
		all["apps/web/"+name] = text
	}
	s.commit(all)
}

func (s *planStand) plan() stacks.Plan {
	s.t.Helper()
	p, err := s.hub.Plan(s.t.Context(), s.stack.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func TestAPlanOfWhatIsInPlaceFindsNothingToDo(t *testing.T) {
	s := newPlanStand(t)
	p := s.plan()
	if !p.UpToDate || p.Revision != 1 || p.Current != 1 || !p.Observed || p.Worker != s.stack.Worker || len(p.Services) != 1 || p.Services[0].Action != stacks.PlanLeave || len(p.Commit) != 40 {
		t.Errorf("the plan is %+v", p)
	}
}

func TestAPlanSaysWhatChangedAndStoresNothing(t *testing.T) {
	s := newPlanStand(t)
	s.files(map[string]string{"compose.yaml": strings.Replace(plannedFile, "web:1", "web:2", 1) + "  more: {image: b, environment: {A: \"${WHICH}\"}}\n", "app.conf": "b"})
	s.secrets["TOKEN"] = secrets.NewValue("hunter3")
	wrote := s.watchWrites()
	wrote()
	p := s.plan()
	if wrote() {
		t.Error("the plan was written to the database")
	}
	if len(p.Services) != 2 {
		t.Fatalf("the plan is %+v", p)
	}
	more, web := p.Services[0], p.Services[1]
	if more.Service != "more" || more.Action != stacks.PlanCreate || web.Action != stacks.PlanRecreate || p.UpToDate || p.Revision != 0 || len(p.Missing) != 1 || p.Missing[0] != "WHICH" {
		t.Errorf("the plan is %+v", p)
	}
	var names []string
	for _, r := range web.Reasons {
		names = append(names, string(r.Kind)+" "+r.Name)
		if want := "@@ line 1 @@\n-a (no line break at the end)\n+b (no line break at the end)"; r.Kind == stacks.ReasonFile && r.Diff != want {
			t.Errorf("the file differs in %q, want %q", r.Diff, want)
		}
		if strings.Contains(r.Before+r.After, "hunter") {
			t.Errorf("the plan tells a secret: %+v", r)
		}
	}
	if got := strings.Join(names, ", "); got != "field image, file apps/web/app.conf, variable TOKEN" {
		t.Errorf("the reasons are %s", got)
	}
}

func TestAPlanNamesProvidersThatDoNotAnswer(t *testing.T) {
	s := newPlanStand(t)
	s.hub.opts.Variables = away{s.stand}
	p := s.plan()
	if len(p.Providers) != 1 || !strings.Contains(p.Providers[0], "TOKEN: provider internal") || p.Revision != 0 || p.Services[0].Action != stacks.PlanLeave {
		t.Errorf("the plan is %+v", p)
	}
}

// away is a provider that does not answer for any secret.
type away struct{ *stand }

func (away) Secrets(_ context.Context, _ core.StackID, names []string) (map[string]secrets.Value, error) {
	if len(names) == 0 {
		return map[string]secrets.Value{}, nil
	}
	f := fault.New(fault.Unavailable, "secret.unresolved", "internal does not answer")
	for _, name := range names {
		f.Fields = append(f.Fields, fault.Field{Path: name, Problem: "provider internal: it does not answer"})
	}
	return nil, f
}

func TestAPlanFailsAsTheDeploymentWould(t *testing.T) {
	s := newPlanStand(t)
	cases := []struct {
		files map[string]string
		code  string
	}{
		{map[string]string{"compose.yaml": "services: {web: {build: .}}\n"}, "compose.unsupported"},
		{map[string]string{"compose.yaml": "services: [\n"}, "compose.invalid"},
		{map[string]string{"wireops.yaml": "version: nonsense\n"}, "manifest.invalid"},
	}
	for _, c := range cases {
		s.files(c.files)
		if _, err := s.hub.Plan(t.Context(), s.stack.ID); fault.CodeOf(err) != c.code {
			t.Errorf("got %v, want %s", err, c.code)
		}
	}
	if _, err := s.hub.Plan(t.Context(), "stk_none"); fault.CodeOf(err) != "stack.not_found" {
		t.Errorf("no such stack: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.hub.Plan(ctx, s.stack.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
}

func TestPlansWaitForTheirTurn(t *testing.T) {
	s := newPlanStand(t)
	for range maxPlans {
		s.hub.plans <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.hub.Plan(ctx, s.stack.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one too many did not wait: %v", err)
	}
	<-s.hub.plans
	if _, err := s.hub.Plan(t.Context(), s.stack.ID); err != nil {
		t.Error(err)
	}
}

func TestAPlanKnowsThatTheWorkerIsAway(t *testing.T) {
	s := newPlanStand(t)
	s.puppet.leave()
	s.eventually("the worker is away", func() bool { return !s.hub.Online(s.stack.Worker) })
	if p := s.plan(); p.Observed || p.Worker != s.stack.Worker {
		t.Errorf("the plan is %+v", p)
	}
}
