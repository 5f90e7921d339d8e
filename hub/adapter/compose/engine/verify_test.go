package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/hub/worker"
)

func TestVerifyEndsWhenEverythingRuns(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", job: {image: IMAGE, network_mode: none, command: ['true']}}")
	s.apply()
	s.output("job")
	if err := s.verify(patience, 0); err != nil {
		t.Fatal(err)
	}
	if ran := time.Since(s.containers()["web"].StartedAt); ran < minRun {
		t.Errorf("it was up after %v", ran)
	}
}

func TestVerifyWaitsForHealth(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sleep, "3600"], stop_signal: SIGKILL, volumes: [{type: bind, source: /.berth/state/d, target: /d}], healthcheck: {test: [CMD, test, -f, /d/ok], interval: 200ms, retries: 10000}}}`)
	s.apply()
	waited := false
	err := s.engine.Verify(t.Context(), s.Project, patience, 0, func(line string) {
		if !waited && strings.Contains(line, "waiting for web (starting)") {
			waited = true
			s.state("d/ok")
		}
	})
	if err != nil || !waited || s.containers()["web"].Health != "healthy" {
		t.Errorf("%v; waited: %v, %+v", err, waited, s.containers()["web"])
	}
}

func TestVerifyFindsWhatFails(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		service string
		stable  time.Duration
		text    []string
	}{
		"a crash loop":             {`{image: IMAGE, network_mode: none, command: [sh, -c, "echo out of luck; exit 7"], restart: always}`, time.Minute, []string{"web is not healthy", "code 7", "restarted", "out of luck"}},
		"an exit with a code":      {`{image: IMAGE, network_mode: none, command: [sh, -c, "echo no config >&2; exit 2"]}`, time.Minute, []string{"exited with code 2", "no config"}},
		"unhealthy":                {`{image: IMAGE, network_mode: none, command: [sh, -c, "echo started; sleep 3600"], stop_signal: SIGKILL, healthcheck: {test: [CMD-SHELL, "echo not yet; echo soon; exit 1"], interval: 200ms, retries: 2}}`, 0, []string{"unhealthy", `is unhealthy. Its health check said: "not yet; soon". The engine calls`, "start_period", "start. It said last:\nstarted"}},
		"gives up":                 {`{image: IMAGE, network_mode: none, command: ['false'], restart: "on-failure:1"}`, time.Minute, []string{"code 1", "It has written nothing."}},
		"a loop that runs between": {`{image: IMAGE, network_mode: none, command: [sh, -c, "echo up; sleep 1; exit 5"], restart: unless-stopped}`, time.Minute, []string{"restarted 3 times", "up"}},
		"a loop that ends well":    {`{image: IMAGE, network_mode: none, command: [sh, -c, "echo done"], restart: always}`, time.Minute, []string{"restarted", "done"}},
		"dies while it is watched": {`{image: IMAGE, network_mode: none, command: [sh, -c, "sleep 1; exit 4"]}`, time.Minute, []string{"exited with code 4"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: "+c.service+", fine: "+sleeper+"}")
			s.apply()
			err := s.verify(patience, c.stable)
			if fault.CodeOf(err) != "engine.unhealthy" || fault.KindOf(err) != fault.Conflict {
				t.Fatalf("got %v; log %q", err, s.lines)
			}
			var bad worker.FailedService
			if !errors.As(err, &bad) || bad.Service != "web" || bad.Lines != "" && !strings.Contains(err.Error(), strings.TrimSuffix(bad.Lines, "\nhealth check: not yet\nhealth check: soon")) {
				t.Errorf("the cause is %+v of %v", bad, err)
			}
			if name == "unhealthy" && bad.Lines != "started\nhealth check: not yet\nhealth check: soon" {
				t.Errorf("what it said last is %q", bad.Lines)
			}
			for _, part := range c.text {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is missing from: %v", part, err)
				}
			}
		})
	}
}

func TestVerifyIsBoundedInTime(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sleep, "3600"], stop_signal: SIGKILL, healthcheck: {test: [CMD, "false"], interval: 1h}}}`)
	s.apply()
	err := s.verify(500*time.Millisecond, 0)
	if fault.CodeOf(err) != "engine.unhealthy" || !strings.Contains(err.Error(), "web did not become healthy within 500ms") || failing(err).Service != "web" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.engine.Verify(ctx, s.Project, time.Minute, 0, s.note); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestVerifyMissesARemovedContainer(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", gone: "+sleeper+"}")
	s.apply()
	full := s.YAML
	s.set("services: {web: " + sleeper + "}")
	s.apply()
	s.YAML = full
	if err := s.verify(patience, 0); fault.CodeOf(err) != "engine.unhealthy" || !strings.Contains(err.Error(), "gone has no container") || failing(err).Service != "gone" {
		t.Errorf("got %v", err)
	}
}

// failing returns what a fault says for programs.
func failing(err error) worker.FailedService {
	var bad worker.FailedService
	errors.As(err, &bad)
	return bad
}

func TestTheFaultQuotesLittle(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "i=0; while [ $$i -lt 100 ]; do echo line $$i `+strings.Repeat("x", 500)+`; i=$$((i+1)); done; exit 1"]}}`)
	s.apply()
	err := s.verify(patience, time.Minute)
	if err == nil || len(err.Error()) > 5000 || !strings.Contains(err.Error(), "line 99") || strings.Contains(err.Error(), "line 79 ") {
		t.Errorf("got %d bytes: %v", len(err.Error()), err)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		o      observed
		before int
		want   verdict
	}{
		"created":                           {observed{state: container.StateCreated}, 0, waiting},
		"running":                           {observed{state: container.StateRunning}, 0, good},
		"running and starting":              {observed{state: container.StateRunning, health: container.Starting}, 0, waiting},
		"running and healthy":               {observed{state: container.StateRunning, health: container.Healthy}, 0, good},
		"running and unhealthy":             {observed{state: container.StateRunning, health: container.Unhealthy}, 0, failed},
		"paused":                            {observed{state: container.StatePaused}, 0, waiting},
		"dead":                              {observed{state: container.StateDead}, 0, failed},
		"restarting once":                   {observed{state: container.StateRestarting, restarts: 1}, 0, waiting},
		"restarting for the third time":     {observed{state: container.StateRestarting, restarts: 3}, 0, failed},
		"restarted often, but long ago":     {observed{state: container.StateRunning, restarts: 30}, 30, good},
		"exited well":                       {observed{state: container.StateExited}, 0, good},
		"exited badly":                      {observed{state: container.StateExited, exitCode: 1}, 0, failed},
		"exited well, to be restarted":      {observed{state: container.StateExited, policy: container.RestartPolicyAlways}, 0, waiting},
		"exited badly, to be restarted":     {observed{state: container.StateExited, exitCode: 1, policy: container.RestartPolicyUnlessStopped}, 0, waiting},
		"exited badly after all retries":    {observed{state: container.StateExited, exitCode: 1, restarts: 1, policy: container.RestartPolicyOnFailure}, 0, failed},
		"exited well, restarted on failure": {observed{state: container.StateExited, policy: container.RestartPolicyOnFailure}, 0, good},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := judge(c.o, c.before); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestStopStartRestart(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", other: "+sleeper+"}")
	s.apply()
	state := func(service string) stacks.ContainerState { return s.containers()[service].ContainerState }
	if err := s.engine.Stop(t.Context(), s.Name, "web"); err != nil || state("web").State != "exited" || state("other").State != "running" {
		t.Fatalf("stop: %v, %+v", err, state("web"))
	}
	if err := s.engine.Start(t.Context(), s.Name, "web"); err != nil || state("web").State != "running" {
		t.Fatalf("start: %v, %+v", err, state("web"))
	}
	before := state("web").StartedAt
	if err := s.engine.Restart(t.Context(), s.Name, "web"); err != nil || !state("web").StartedAt.After(before) {
		t.Fatalf("restart: %v, %+v", err, state("web"))
	}
	for what, act := range map[string]func(context.Context, string, string) error{"start": s.engine.Start, "stop": s.engine.Stop, "restart": s.engine.Restart} {
		if err := act(t.Context(), s.Name, "none"); fault.CodeOf(err) != "engine.service_missing" || fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s of nothing: %v", what, err)
		}
	}
}

// recorder is a writer that a test may read while it is written.
type recorder struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

func TestLogs(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "echo one; echo two >&2; sleep 1; echo three; sleep 3600"], stop_signal: SIGKILL}, term: {image: IMAGE, network_mode: none, tty: true, command: [echo, plain]}, twin: {image: IMAGE, network_mode: none, scale: 2, command: [echo, hello]}}`)
	s.apply()
	read := func(service string, tail int) string {
		var out bytes.Buffer
		if err := s.engine.Logs(t.Context(), s.Name, service, worker.LogAsk{Tail: tail}, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	s.until("the lines are there", func() bool { return strings.Contains(read("web", 100), "three") })
	if got := read("web", 100); len(got) != len("one\ntwo\nthree\n") || !strings.Contains(got, "two\n") {
		t.Errorf("all lines are %q", got)
	}
	if got := read("web", 1); got != "three\n" {
		t.Errorf("the last line is %q", got)
	}
	if got := read("web", 0); got != "" {
		t.Errorf("no line is %q", got)
	}
	s.output("term")
	if got := read("term", 10); got != "plain\r\n" {
		t.Errorf("a terminal wrote %q", got)
	}
	s.until("both wrote", func() bool { return strings.Count(read("twin", 10), "hello") == 2 })
	if got := read("twin", 10); !strings.Contains(got, s.Name+"-twin-1 | hello\n") || !strings.Contains(got, s.Name+"-twin-2 | hello\n") {
		t.Errorf("two containers wrote %q", got)
	}
}

func TestLogsFollowANewContainer(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "echo hello; sleep 3600"], stop_signal: SIGKILL}}`)
	s.apply()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out recorder
	ended := make(chan error, 1)
	go func() { ended <- s.engine.Logs(ctx, s.Name, "web", worker.LogAsk{Tail: 10, Follow: true}, &out) }()
	s.until("the first hello", func() bool { return out.String() == "hello\n" })
	s.Recreate = true
	s.apply()
	s.until("the second hello", func() bool { return out.String() == "hello\nhello\n" })
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the end of the context is an error: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("following did not end with its context")
	}
}

func TestDown(t *testing.T) {
	t.Parallel()
	s := newStack(t, `
services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, volumes: [{type: volume, source: v, target: /v}]}}
volumes: {v: {}}
networks: {default: {}}`)
	s.apply()
	volumes := func() int { return s.count("volume") }
	if err := s.engine.Down(t.Context(), s.Name, "stk_test", false, s.note); err != nil || len(s.containers()) != 0 || volumes() != 1 || s.count("network") != 0 {
		t.Errorf("%v: %d containers, %d volumes, %d networks", err, len(s.containers()), volumes(), s.count("network"))
	}
	if !s.hasLine("web: container removed") {
		t.Errorf("log is %q", s.lines)
	}
	s.apply()
	if err := s.engine.Down(t.Context(), s.Name, "stk_test", true, s.note); err != nil || volumes() != 0 {
		t.Errorf("%v: %d volumes", err, volumes())
	}
	if err := s.engine.Down(t.Context(), s.Name, "stk_test", true, s.note); err != nil {
		t.Errorf("taking nothing down: %v", err)
	}
}

func TestContainersOfAllStacks(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, ports: [{target: 80, host_ip: 127.0.0.1}]}}`)
	s.apply()
	all, err := s.engine.Containers(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Project == s.Name && c.Service == "web" && c.State == "running" && len(c.Ports) == 1 && strings.HasSuffix(c.Ports[0], "->80/tcp") && c.Image == testImage {
			return
		}
	}
	t.Errorf("not listed among %+v", all)
}
