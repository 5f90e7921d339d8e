package e2e_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/githost"
)

// failedAs checks that a deployment failed in a phase, and that stack, phase and log say
// each of these texts.
func failedAs(t *testing.T, stack *rig.Stack, d api.DeploymentAnswer, phase stacks.PhaseName, texts ...string) {
	t.Helper()
	var failed stacks.Phase
	for _, p := range d.Phases {
		if p.State == stacks.PhaseFailed {
			failed = p
		} else if failed.Name != "" && p.State != stacks.PhaseSkipped {
			t.Errorf("after the failed %s comes %s, %s", failed.Name, p.Name, p.State)
		}
	}
	if failed.Name != phase {
		t.Errorf("it failed in %q, want %s", failed.Name, phase)
	}
	now := stack.Until("the stack shows its error", func(now api.StackAnswer) bool { return now.Status == stacks.StatusError })
	if !now.OutOfSync {
		t.Error("the stack is not shown as out of sync")
	}
	for where, text := range map[string]string{"deployment": d.Error, "phase": failed.Message, "stack": now.Error, "log": stack.LogOf(d.ID)} {
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing from the %s's text: %s", want, where, text)
			}
		}
	}
}

func unknownImage(t *testing.T, s *rig.Server) {
	const nowhere = "127.0.0.1:1/no/such:1" // nothing listens there
	repository := s.Repository(one(compose(box(t, "fine"), box(t, "web", "image: "+nowhere))))
	stack := repository.On("", "app")
	d := stack.Deployment(stack.First)
	if d.State != stacks.DeploymentFailed {
		t.Fatalf("it ended %s", d.State)
	}
	failedAs(t, stack, d, stacks.PhasePull, "web", nowhere)
	if d.FailedService != "web" || !strings.Contains(d.FailedLines, "127.0.0.1:1") {
		t.Errorf("it names the compose service %q with %q", d.FailedService, d.FailedLines)
	}
	if len(stack.Containers()) != 0 {
		t.Error("containers were made although an image is missing")
	}
	stack.At(repository.Commit(one(compose(box(t, "fine"), box(t, "web")))))
}

func takenPort(t *testing.T, s *rig.Server) {
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	file := compose(box(t, "fine"), box(t, "web", "network_mode: bridge", fmt.Sprintf(`ports: ["%d:80"]`, port)))
	file = strings.ReplaceAll(file, "    network_mode: bridge\n", "") // the stack's own network
	stack := s.Repository(one(file)).On("", "app")
	d := stack.Failed("engine.apply")
	failedAs(t, stack, d, stacks.PhaseApply, "web", "already in use", fmt.Sprint(port))
	if d.FailedService != "web" || !strings.Contains(d.FailedLines, "already in use") {
		t.Errorf("it names the compose service %q with %q", d.FailedService, d.FailedLines)
	}
}

func unhealthyContainer(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "fine"),
		box(t, "web", "command: [sh, -c, 'echo the database is away; sleep 3600']", `healthcheck: {test: [CMD-SHELL, "echo not ready yet; exit 1"], interval: 200ms, timeout: 2s, retries: 2}`)),
		"exits/compose.yaml": compose(box(t, "web", "command: [sh, -c, 'echo no config given >&2; exit 3']")), "exits/wireops.yaml": "version: wireops.v1\ndeploy: {stable_for: 2s}\n"})
	stack, exits := repository.On("", "app"), repository.On("", "exits")
	d := stack.Failed("engine.unhealthy")
	failedAs(t, stack, d, stacks.PhaseVerify, "web is not healthy", "unhealthy", "not ready yet", "the database is away")
	failedAs(t, exits, exits.Failed("engine.unhealthy"), stacks.PhaseVerify, "web", "code 3", "no config given")
}

func invalidCompose(t *testing.T, s *rig.Server) {
	cases := map[string]struct {
		file  string
		texts []string
	}{
		"broken": {"services:\n  web:\n    image: x\n   command: [a\n", []string{"app/broken/compose.yaml:4: "}},
		"key":    {"services:\n  web:\n    image: x\n    imagee: y\n", []string{"app/key/compose.yaml:4: ", "imagee"}},
		"type":   {"services:\n  web:\n    image: x\n    ports: seven\n", []string{"app/type/compose.yaml:4: ", "ports"}},
		"empty":  {"volumes: {}\n", []string{"app/empty/compose.yaml"}},
		"escape": {"services:\n  web:\n    image: x\n    volumes: [../../../etc:/etc]\n", []string{"app/escape/compose.yaml:4: ", "services.web.volumes", "../../../etc"}},
	}
	files := map[string]string{"app/nothing/README.md": "no Compose file here"}
	for name, c := range cases {
		files["app/"+name+"/compose.yaml"] = c.file
	}
	repository := s.Repository(files)
	for name, c := range cases {
		stack := repository.On("", "app/"+name)
		d := stack.Deployment(stack.First)
		if d.State != stacks.DeploymentFailed || d.Revision != 0 {
			t.Errorf("%s: it ended %s with revision %d", name, d.State, d.Revision)
			continue
		}
		failedAs(t, stack, d, stacks.PhaseRender, c.texts...)
	}
	stack := repository.On("", "app/nothing")
	failedAs(t, stack, stack.Deployment(stack.First), stacks.PhaseRender, "app/nothing", "compose.yaml")
}

func invalidManifest(t *testing.T, s *rig.Server) {
	files := map[string]string{
		"app/compose.yaml": compose(box(t, "web")), "app/wireops.yaml": "version: wireops.v1\ntimeout: soon\ndeploi: {}\n",
		"torn/compose.yaml": compose(box(t, "web")), "torn/wireops.yaml": "version: wireops.v1\nname: [\n",
	}
	repository := s.Repository(files)
	stack, torn := repository.On("", "app"), repository.On("", "torn")
	failedAs(t, stack, stack.Failed("manifest.invalid"), stacks.PhaseLint, "app/wireops.yaml", "timeout: line 2", "deploi: line 3")
	failedAs(t, torn, torn.Deployment(torn.First), stacks.PhaseLint, "torn/wireops.yaml", "line")
}

func missingFolder(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"))))
	stack, absent := repository.On("", "app"), repository.On("", "no/such/folder")
	stack.Deployed()
	before := stack.Containers()
	d := absent.Failed("stack.folder_missing")
	failedAs(t, absent, d, stacks.PhaseLint, "no folder no/such/folder", d.Commit.Short())

	gone := repository.Apply(githost.Change{Delete: []string{"app"}, Files: map[string]string{"README.md": "moved"}})
	now := stack.Until("the stack misses its folder", func(now api.StackAnswer) bool { return now.Error != "" })
	if !strings.Contains(now.Error, "no folder app; what runs was left alone") || !strings.Contains(now.Error, gone.Short()) || !now.OutOfSync {
		t.Errorf("the stack shows %+v", now)
	}
	if decision := stack.Decisions()[0]; decision.Deployed || decision.Commit != gone {
		t.Errorf("the decision is %+v", decision)
	}
	wantAnew(t, before, stack.Containers())
	back := repository.Commit(one(compose(box(t, "web"), box(t, "back"))))
	if now := stack.At(back); now.Error != "" {
		t.Errorf("with the folder back the stack shows %+v", now)
	}
}
