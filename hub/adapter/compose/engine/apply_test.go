package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"berth/core"
	"berth/core/fault"
	"berth/hub/adapter/compose"
	"berth/hub/adapter/compose/render"
	"berth/hub/worker"
)

// oneFile is a commit with a single Compose file.
type oneFile struct{ text string }

func (o oneFile) Hashes(_ context.Context, paths []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, p := range paths {
		if p == "compose.yaml" {
			hashes[p] = "1"
		}
	}
	return hashes, nil
}

func (o oneFile) List(context.Context, string) ([]core.TreeEntry, error) {
	return []core.TreeEntry{{Path: "compose.yaml", Size: int64(len(o.text))}}, nil
}

func (o oneFile) Read(context.Context, string, int64) ([]byte, error) { return []byte(o.text), nil }
func (o oneFile) Close() error                                        { return nil }

// The whole way of a value: from the stack's variable through rendering, transport and
// the engine to what a program in the container reads.
func TestValuesReachContainersByteForByte(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"NEWLINES": "-----BEGIN KEY-----\nabc\n\ndef\n-----END KEY-----\n",
		"DOLLARS":  "$A ${B} $$ ${C:-d} $",
		"QUOTES":   `"a" 'b' ` + "`c`",
		"SLASHES":  `\n \\ C:\x`,
		"EQUALS":   "a=b==",
		"SPACES":   "  lead and trail  ",
		"UNICODE":  "naïve 日本語 🚢",
		"JSON":     `{"a": "b\nc", "d": ["$x"]}`,
		"CONTROL":  "a\tb\rc\x01",
		"EMPTY":    "",
	}
	file := "services:\n  web:\n    image: " + testImage + "\n    network_mode: none\n    environment: ["
	src := core.ComposeSource{}
	s := newStack(t, "")
	var script []string
	for name, value := range values {
		file += "P_" + name + ", S_" + name + ", "
		src.Variables = append(src.Variables, core.ComposeVariable{Name: "P_" + name, Value: value}, core.ComposeVariable{Name: "S_" + name, Secret: true})
		s.secret("S_"+name, value)
		for _, kind := range []string{"P_", "S_"} {
			script = append(script, "echo "+kind+name+` $(printf %s "$$`+kind+name+`" | base64 -w0)`)
		}
	}
	file += "]\n    command:\n      - sh\n      - -c\n      - |\n        " + strings.Join(script, "\n        ") + "\n"
	src.Project, src.Tree = s.Name, oneFile{file}
	rendered, err := render.New().Read(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.YAML = rendered.YAML
	s.apply()
	got := map[string]string{}
	for line := range strings.Lines(s.output("web")) {
		name, encoded, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got[name] = string(text)
	}
	for name, want := range values {
		for _, kind := range []string{"P_", "S_"} {
			if text, there := got[kind+name]; !there || text != want {
				t.Errorf("%s arrived as %q, want %q", kind+name, text, want)
			}
		}
	}
}

func TestOnlyListedVariablesReachContainers(t *testing.T) {
	t.Setenv("WORKER_TOKEN", "of-the-worker")
	t.Setenv("LISTED", "of-the-worker")
	t.Setenv("HTTP_PROXY", "http://of-the-worker")
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [env], environment: {A: "${SECRET}", LISTED: null, WORKER_TOKEN: null}}}`)
	s.secret("SECRET", "listed")
	s.secret("OTHER", "not-listed")
	s.apply()
	out := s.output("web")
	for _, bad := range []string{"of-the-worker", "not-listed", "OTHER", "PROXY"} {
		if strings.Contains(out, bad) {
			t.Errorf("%s reached the container:\n%s", bad, out)
		}
	}
	if !strings.Contains(out, "A=listed\n") {
		t.Errorf("the listed secret is missing:\n%s", out)
	}
}

func TestAnUnchangedProjectIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStack(t, `
services:
  web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, configs: [c], secrets: [s], environment: {A: "${S}"}, volumes: [{type: bind, source: /.berth/state/d, target: /d}, {type: volume, source: v, target: /v}]}
configs: {c: {content: "x ${S}", name: c}}
secrets: {s: {environment: S, "x-#value": "${S}", name: s}}
volumes: {v: {}}
`)
	s.secret("S", "secret")
	s.apply()
	if !s.hasLine("web: container created") || !s.hasLine("web: container started") {
		t.Errorf("log is %q", s.lines)
	}
	before := s.containers()
	s.Labels = map[string]string{worker.LabelStack: "stk_test", worker.LabelRevision: "2"} // changes with every deployment
	s.apply()
	if got := s.replaced(before); got != "" {
		t.Errorf("%s was recreated", got)
	}
	if !s.hasLine("web: container up to date") {
		t.Errorf("log is %q", s.lines)
	}
	if c := s.containers()["web"]; c.Revision != 1 || c.Labels[worker.LabelStack] != "stk_test" || c.Project != s.Name {
		t.Errorf("container is %+v", c)
	}
}

func TestAChangeRecreatesExactlyItsUsers(t *testing.T) {
	t.Parallel()
	const base = `
services:
  mount: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, volumes: [{type: bind, source: /.berth/content/MOUNT/f, target: /f, read_only: true, bind: {create_host_path: false}}]}
  config: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, configs: [{source: inline, target: /c}]}
  configfile: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, configs: [{source: file, target: /c}]}
  secret: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, secrets: [s]}
  environment: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, environment: {E: "${E}"}}
  other: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none}
configs: {inline: {content: INLINE, name: i}, file: {file: /.berth/content/FILE/f, name: f}}
secrets: {s: {environment: S, "x-#value": "${S}", name: s}}
`
	text := func(mount, inline, file string) string {
		return strings.NewReplacer("MOUNT", mount, "INLINE", inline, "FILE", file).Replace(base)
	}
	s := newStack(t, text("aaa", "one", "aaa"))
	s.content("aaa/f", "1")
	s.content("bbb/f", "2")
	s.secret("S", "secret one")
	s.secret("E", "env one")
	s.apply()
	steps := []struct {
		change string
		do     func()
	}{
		{"mount", func() { s.set(text("bbb", "one", "aaa")) }},
		{"config", func() { s.set(text("bbb", "two", "aaa")) }},
		{"configfile", func() { s.set(text("bbb", "two", "bbb")) }},
		{"secret", func() { s.secret("S", "secret two") }},
		{"environment", func() { s.secret("E", "env two") }},
	}
	for _, step := range steps {
		before := s.containers()
		step.do()
		s.apply()
		if got := s.replaced(before); got != step.change {
			t.Errorf("changing what %s uses recreated %q", step.change, got)
		}
		if !s.hasLine(step.change + ": container recreated") {
			t.Errorf("log is %q", s.lines)
		}
	}
	for _, c := range s.containers() {
		for name, value := range c.Labels {
			if strings.Contains(value, "two") {
				t.Errorf("label %s shows a value: %s", name, value)
			}
		}
	}
	if s.containers()["secret"].Labels[compose.LabelConfigDigest] == "" {
		t.Error("no digest label")
	}
}

func TestConfigsAndSecretsArrive(t *testing.T) {
	t.Parallel()
	s := newStack(t, `
services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "cat /inline /file /run/secrets/s"], configs: [{source: inline, target: /inline}, {source: file, target: /file}], secrets: [s]}}
configs: {inline: {content: "inline $$x ${S}\n", name: i}, file: {file: /.berth/content/abc/f, name: f}}
secrets: {s: {environment: S, "x-#value": "${S}", name: s}}
`)
	s.content("abc/f", "from a file\n")
	s.secret("S", "se$$cret")
	s.apply()
	if got := s.output("web"); got != "inline $x se$$cret\nfrom a file\nse$$cret" && got != "inline $x se$$cret\nfrom a file\nse$$cret\n" {
		t.Errorf("the container read %q", got)
	}
}

func TestStateSurvivesForcedRecreation(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "cat /d/f; echo first > /d/f"], volumes: [{type: bind, source: /.berth/state/a/b, target: /d}]}}`)
	s.apply()
	s.output("web")
	before := s.containers()
	s.Recreate = true
	s.apply()
	if got := s.replaced(before); got != "web" {
		t.Errorf("recreated %q", got)
	}
	if got := s.output("web"); got != "first\n" {
		t.Errorf("the second container read %q", got)
	}
	if _, err := os.Stat(filepath.Join(s.StateDir, "a/b/f")); err != nil {
		t.Error(err)
	}
}

func TestOrphansAreRemovedWhenAsked(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", old: "+sleeper+"}")
	s.apply()
	s.set("services: {web: " + sleeper + "}")
	s.RemoveOrphans = false
	s.apply()
	if _, there := s.containers()["old"]; !there {
		t.Fatal("an orphan was removed without being asked")
	}
	s.RemoveOrphans = true
	s.apply()
	if _, there := s.containers()["old"]; there {
		t.Error("the orphan is still there")
	}
	if !s.hasLine("old-1 removed") {
		t.Errorf("log is %q", s.lines)
	}
}

// Whatever can be known before a container is touched must be known by then.
func TestWhatCannotWorkTouchesNothing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ yaml, code, text string }{
		"an image that nobody has": {"services: {first: " + sleeper + ", web: {image: registry.invalid/no/such:1}}", "engine.image", "web: the image registry.invalid/no/such:1 cannot be used: its registry cannot be reached"},
		"an image not to be pulled": {"services: {first: " + sleeper + ", web: {image: no-such-image, pull_policy: never}}", "engine.image",
			"web: the image no-such-image cannot be used: it is not on the host, and pull_policy forbids"},
		"an image that is no name":      {"services: {first: " + sleeper + ", web: {image: 'A B'}}", "engine.image", "web: the image A B cannot be used"},
		"a secret that did not come":    {"services: {first: " + sleeper + ", web: {image: IMAGE, environment: {A: \"${ABSENT}\"}}}", "engine.apply", "The secret variables ABSENT did not reach the worker"},
		"a secret file without a value": {"services: {first: " + sleeper + ", web: {image: IMAGE, secrets: [s]}}\nsecrets: {s: {environment: EMPTY, x-#value: \"${EMPTY}\"}}", "engine.apply", "web: the secret s needs the variable EMPTY"},
		"content that did not come":     {"services: {first: " + sleeper + ", web: {image: IMAGE, volumes: [{type: bind, source: /.berth/content/abc/f, target: /f}]}}", "engine.apply", `web: the content "abc/f" of the repository is not on this worker`},
		"content elsewhere":             {"services: {first: " + sleeper + ", web: {image: IMAGE, volumes: [{type: bind, source: /.berth/content/../../srv, target: /f}]}}", "engine.apply", "leaves its folder"},
		"state elsewhere":               {"services: {first: " + sleeper + ", web: {image: IMAGE, volumes: [{type: bind, source: /.berth/state/a/../../../srv, target: /f}]}}", "engine.apply", "leaves its folder"},
		"state through a link":          {"services: {first: " + sleeper + ", web: {image: IMAGE, volumes: [{type: bind, source: /.berth/state/link/x, target: /f}]}}", "engine.apply", "a symbolic link is not mounted"},
		"a provider":                    {"services: {first: " + sleeper + ", web: {image: IMAGE, provider: {type: sh}}}", "engine.apply", "something that a worker does not do"},
		"a build":                       {"services: {first: " + sleeper + ", web: {image: IMAGE, build: {context: /}}}", "engine.apply", "something that a worker does not do"},
		"the engine's socket":           {"services: {first: " + sleeper + ", web: {image: IMAGE, use_api_socket: true}}", "engine.apply", "something that a worker does not do"},
		"no Compose project":            {"services: [a", "engine.apply", "The rendered project of"},
		"a project that misleads":       {"services: {web: 1}", "engine.apply", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, c.yaml)
			s.secret("EMPTY", "")
			if err := os.MkdirAll(s.StateDir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/etc", filepath.Join(s.StateDir, "link")); err != nil {
				t.Fatal(err)
			}
			err := s.tryApply()
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) || fault.KindOf(err) != fault.Invalid {
				t.Errorf("got  %v\nwant %s: … %s", err, c.code, c.text)
			}
			if bad := failing(err); bad.Service != "web" && !strings.HasPrefix(c.text, "The ") && c.text != "" || bad.Service != "" && bad.Lines == "" {
				t.Errorf("it is about %+v: %v", bad, err)
			}
			if got := s.containers(); len(got) != 0 {
				t.Errorf("containers were made: %v", got)
			}
		})
	}
}

func TestSecretsAreKeptOutOfErrorsAndLog(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: ["/no/such/program-${S}"]}}`)
	s.secret("S", "hunter2-hunter2")
	err := s.tryApply()
	if fault.CodeOf(err) != "engine.apply" || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
	if all := err.Error() + strings.Join(s.lines, "\n"); strings.Contains(all, "hunter2") {
		t.Errorf("the secret shows:\n%s", all)
	}
}

func TestProjectsAreAppliedSideBySide(t *testing.T) {
	t.Parallel()
	var wait sync.WaitGroup
	for _, name := range []string{"one", "two", "three"} {
		s := newStack(t, "services: {web: "+sleeper+"}")
		s.Name += "-" + name
		t.Cleanup(func() { _ = s.engine.Down(context.Background(), s.Name, "stk_test", true, func(string) {}) })
		wait.Go(func() {
			if err := s.tryApply(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestACancelledApplySaysSo(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, healthcheck: {test: [CMD, "false"], interval: 1h}}, late: {image: IMAGE, network_mode: none, command: ['true'], depends_on: {web: {condition: service_healthy}}}}`)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.engine.Apply(ctx, s.Project, func(line string) {
		if strings.Contains(line, "web: container started") {
			cancel()
		}
	})
	cancel()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOthersWaitForAContainerAsLongAsItMayTakeToBecomeHealthy(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {db: {image: IMAGE, command: [sh, -c, "echo still loading; exec sleep 3600"], stop_signal: SIGKILL, network_mode: none, healthcheck: {test: [CMD, "false"], interval: 1s, retries: 10000}}, web: {image: IMAGE, network_mode: none, command: ['true'], depends_on: {db: {condition: service_healthy}}}}`)
	s.HealthTimeout = 2 * time.Second
	err := s.tryApply()
	if fault.CodeOf(err) != "engine.unhealthy" || !strings.Contains(err.Error(), "db did not become healthy within 2s") || failing(err).Service != "db" || !strings.Contains(failing(err).Lines, "still loading") {
		t.Errorf("got %v", err)
	}
}

func TestAFailedDependencyIsExplained(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {db: {image: IMAGE, network_mode: none, command: [sh, -c, "echo no room on disk; exit 3"]}, web: {image: IMAGE, network_mode: none, command: ['true'], depends_on: {db: {condition: service_completed_successfully, required: true}}}}`)
	err := s.tryApply()
	if fault.CodeOf(err) != "engine.unhealthy" || !strings.Contains(err.Error(), "db is not healthy") || !strings.Contains(err.Error(), "code 3") || !strings.Contains(err.Error(), "no room on disk") || failing(err) != (worker.FailedService{Service: "db", Lines: "no room on disk"}) {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsWrittenToTheProcess(t *testing.T) {
	stdout, stderr := os.Stdout, os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout, os.Stderr = w, w
	s := newStack(t, "services: {web: "+sleeper+", old: "+sleeper+"}")
	s.RemoveOrphans = false
	applied := s.tryApply()
	s.set("services: {web: " + sleeper + "}")
	again := s.tryApply()
	os.Stdout, os.Stderr = stdout, stderr
	w.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil || applied != nil || again != nil || out.Len() > 0 {
		t.Errorf("wrote %q; %v, %v, %v", out.String(), err, applied, again)
	}
}

func TestPullSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	if err := s.engine.Pull(t.Context(), s.Project, false, s.note); err != nil || len(s.lines) > 0 {
		t.Errorf("an image that is there needed a registry: %v, %q", err, s.lines)
	}
	err := s.engine.Pull(t.Context(), s.Project, true, s.note)
	if fault.CodeOf(err) != "engine.image" || !s.hasLine("web: pulling image "+testImage) {
		t.Errorf("forced: %v, %q", err, s.lines)
	}
}

func TestTheEngineAway(t *testing.T) {
	t.Parallel()
	e, err := Open(Options{Host: "unix://" + filepath.Join(t.TempDir(), "no.sock")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	project := worker.Project{Name: "x", YAML: []byte("services: {a: {image: b}}"), StateDir: t.TempDir() + "/", ContentDir: t.TempDir() + "/"}
	silent := func(string) {}
	_, infoErr := e.Info(t.Context())
	_, listErr := e.Containers(t.Context(), "")
	for what, err := range map[string]error{
		"Info": infoErr, "Containers": listErr,
		"Apply":  e.Apply(t.Context(), project, silent),
		"Pull":   e.Pull(t.Context(), project, true, silent),
		"Verify": e.Verify(t.Context(), project, 0, 0, silent),
		"Down":   e.Down(t.Context(), "x", "stk_test", false, silent),
		"Start":  e.Start(t.Context(), "x", "a"),
		"Logs":   e.Logs(t.Context(), "x", "a", worker.LogAsk{Tail: 1}, &bytes.Buffer{}),
	} {
		if fault.CodeOf(err) != "engine.unreachable" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "no.sock does not answer") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func TestOpenRefusesANonsenseAddress(t *testing.T) {
	t.Parallel()
	if _, err := Open(Options{Host: "nonsense"}); fault.CodeOf(err) != "engine.address" {
		t.Errorf("got %v", err)
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	info, err := s.engine.Info(t.Context())
	if err != nil || info.Version == "" || info.APIVersion == "" || info.APIVersion == client.MaxAPIVersion+"x" || info.Arch == "" || info.Running < 1 || info.Containers < info.Running {
		t.Errorf("%+v, %v", info, err)
	}
}
