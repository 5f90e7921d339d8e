package hub

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/lint"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/adapter/compose/render"
)

// linting is a stack whose real Compose file has more settings for its compose service.
func linting(t *testing.T, settings string) (*stand, *puppet, stacks.Deployment, stacks.DeploymentState) {
	t.Helper()
	s := newStandWith(t, func(o *Options) { o.Compose, o.Drafts = render.New(), render.New() })
	s.commit(composed(settings))
	w := s.enrol("host-1")
	p := s.connectAs(w, wire.Hello{Judges: true})
	st := s.add("web", "web", w.ID, false)
	d, err := s.desk.Sync(t.Context(), st.ID, access.System)
	if err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	return s, p, d, d.State
}

func TestErrorsOfLintStopADeploymentInItsPhase(t *testing.T) {
	s, _, asked, _ := linting(t, "    networks: [front]\n    environment: {A: '${NOBODY}'}\n")
	d := s.newest(asked.Stack, stacks.DeploymentFailed)
	if d.ErrorCode != "lint.failed" || !strings.Contains(d.Error, "web/compose.yaml:4: web networks.front: ") || !strings.Contains(d.Error, "web/compose.yaml:5: NOBODY: ") {
		t.Errorf("the deployment failed with %s: %s", d.ErrorCode, d.Error)
	}
	if phase := phaseOf(d, stacks.PhaseLint); phase.State != stacks.PhaseFailed {
		t.Errorf("the phase is %+v", phase)
	}
	if _, err := s.hub.Plan(t.Context(), asked.Stack); fault.CodeOf(err) != "lint.failed" {
		t.Errorf("the plan says %v", err)
	}
}

// A person was quicker than polling: the failure is one, not two.
func TestWhatLintRefusedByHandIsNotDeployedAgainByPolling(t *testing.T) {
	s := newStandWith(t, func(o *Options) { o.Compose, o.Drafts = render.New(), render.New() })
	s.commit(composed(""))
	w := s.enrol("host-1")
	p := s.connectAs(w, wire.Hello{Judges: true})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	bad := s.commit(composed("    environment: {A: '${NOBODY}'}\n"))
	if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	s.hub.Nudge()
	s.newest(st.ID, stacks.DeploymentFailed)
	s.look()
	s.eventually("polling has decided on the commit, and recorded the head", func() bool {
		r, err := s.store.Repository(t.Context(), s.repo)
		return err == nil && r.Head == bad && r.AskedAt.IsZero()
	})
	list, err := s.store.Decisions(t.Context(), st.ID, core.Page{Limit: 1})
	if err != nil || list.Items[0].Deployed || !strings.Contains(list.Items[0].Reason, "failed for what is in its files") {
		t.Errorf("it decided %+v, %v", list.Items, err)
	}
	if all := s.deployments(st.ID); len(all) != 2 {
		t.Errorf("of one bad commit there are %+v", all)
	}
	s.commit(composed(""))
	s.look()
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
}

func TestAdviceStopsNothing(t *testing.T) {
	s, p, asked, _ := linting(t, "    environment: {DB_PASSWORD: hunter2}\n")
	p.succeed(expect[wire.Command](p))
	s.newest(asked.Stack, stacks.DeploymentSucceeded)
	plan, err := s.hub.Plan(t.Context(), asked.Stack)
	if err != nil || len(plan.Findings) != 3 || len(lint.Errors(plan.Findings)) > 0 {
		t.Errorf("the plan advises %v, %v", plan.Findings, err)
	}
}

func TestFilesAreLintedWithoutARepository(t *testing.T) {
	h := newStandWith(t, func(o *Options) { o.Compose, o.Drafts = render.New(), render.New() }).hub
	for name, c := range map[string]struct {
		files map[string]string
		code  string // of the first finding
		line  int
	}{
		"a reference":     {map[string]string{"compose.yaml": "services:\n  web:\n    image: a:1\n    networks: [n]\n"}, "network.undeclared", 4},
		"no YAML":         {map[string]string{"compose.yaml": "services:\n  web: [\n"}, "compose.invalid", 2},
		"a build":         {map[string]string{"compose.yaml": "services:\n  web:\n    build: .\n"}, "compose.unsupported", 3},
		"a remote file":   {map[string]string{"compose.yaml": "include: ['https://example.com/x.yaml']\nservices: {web: {image: a}}\n"}, "compose.path_escapes", 1},
		"no Compose file": {map[string]string{"other.txt": "x"}, "compose.file_missing", 0},
		"advice alone":    {map[string]string{"compose.yaml": "services: {web: {image: a, mem_limit: 1g, healthcheck: {test: [CMD, x]}}}\n"}, "image.unpinned", 1},
		"an included one": {map[string]string{"compose.yaml": "include: [b.yaml]\nservices: {web: {image: 'a:1', depends_on: [gone]}}\n", "b.yaml": "services: {b: {image: 'b:1'}}"}, "service.undeclared", 2},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := h.Lint(t.Context(), lint.Ask{Files: c.files})
			if err != nil || len(found) == 0 || found[0].Code != c.code || found[0].Line != c.line {
				t.Errorf("found is %+v, %v; want %s on line %d", found, err, c.code, c.line)
			}
		})
	}
	for name, files := range map[string]map[string]string{"nothing": {}, "a way out": {"../x": ""}, "an absolute path": {"/etc/x": ""}, "too much": {"compose.yaml": strings.Repeat("#", maxLintBytes+1)}} {
		if _, err := h.Lint(t.Context(), lint.Ask{Files: files}); fault.CodeOf(err) != "lint.invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFolderIsLintedBeforeThereIsAStack(t *testing.T) {
	s, _, asked, _ := linting(t, "    networks: [front]\n")
	s.newest(asked.Stack, stacks.DeploymentFailed)
	s.looked()
	st, err := s.store.Stack(t.Context(), asked.Stack)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ask  lint.Ask
		code string // of the first finding, or of the fault
		line int
	}{
		"its file":         {lint.Ask{Repository: st.Repository, Path: "web"}, "network.undeclared", 4},
		"no such folder":   {lint.Ask{Repository: st.Repository, Path: "none"}, "stack.folder_missing", 0},
		"no repository":    {lint.Ask{Repository: "rep_none", Path: "web"}, "repository.not_found", 0},
		"files beside it":  {lint.Ask{Repository: st.Repository, Path: "web", Files: map[string]string{"compose.yaml": ""}}, "lint.invalid", 0},
		"neither of those": {lint.Ask{}, "lint.invalid", 0},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := s.hub.Lint(t.Context(), c.ask)
			code, line := fault.CodeOf(err), 0
			if len(found) > 0 {
				code, line = found[0].Code, found[0].Line
			}
			if code != c.code || line != c.line {
				t.Errorf("found is %+v, %v; want %s on line %d", found, err, c.code, c.line)
			}
		})
	}
}
