package engine

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"berth/core/fault"
)

// takenPort returns a port of this host that something listens on until the test ends.
func takenPort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

// What the engine refuses is told with the compose service that it was about, and with what
// the engine said where no container could say anything.
func TestARefusalNamesItsService(t *testing.T) {
	t.Parallel()
	first := "services: {first: " + sleeper + ", "
	const alone = "services: {" // where the engine refuses to make a container: another may come late, and stay
	for what, c := range map[string]struct{ yaml, code, line string }{
		"a port that is taken":                   {first + fmt.Sprintf(`web: {image: IMAGE, command: [sleep, "9"], ports: ["%d:80"]}}`, takenPort(t)), "engine.apply", "address already in use"},
		"a program that the image does not have": {first + `web: {image: IMAGE, network_mode: none, command: [/no/such/program]}}`, "engine.apply", "/no/such/program"},
		"an entrypoint that it does not have":    {first + `web: {image: IMAGE, network_mode: none, entrypoint: [/no/such/program]}}`, "engine.apply", "/no/such/program"},
		"a folder that is not on the host": {alone + `web: {image: IMAGE, network_mode: none, volumes: [{type: bind, source: /no/such/folder, target: /data, bind: {create_host_path: false}}]}}`,
			"engine.apply", "/no/such/folder"},
		"more memory reserved than allowed": {alone + `web: {image: IMAGE, network_mode: none, mem_limit: 64m, mem_reservation: 128m}}`, "engine.apply", "reservation"},
		"an image that no registry has":     {first + "web: {image: registry.invalid/no/such:1}}", "engine.image", "registry.invalid"},
		"a service that others wait for without a health check": {"services: {web: " + sleeper + ", late: {image: IMAGE, command: [sleep, '9'], network_mode: none, depends_on: {web: {condition: service_healthy}}}}",
			"engine.apply", "has no healthcheck configured"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, c.yaml)
			err := s.tryApply()
			if bad := failing(err); fault.CodeOf(err) != c.code || bad.Service != "web" || !strings.Contains(bad.Lines, c.line) {
				t.Errorf("it is about %+v: %v", bad, err)
			}
			if text := fault.PublicOf(err); !strings.Contains(text, "web") || !strings.Contains(text, c.line) && c.code == "engine.apply" {
				t.Errorf("it says %s", text)
			}
		})
	}
}

// The name of a container is taken by a person's: Compose cannot make the service's own.
func TestATakenContainerNameNamesItsService(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	id := s.byHand().running(s.Name+"-web-1", nil)
	err := s.tryApply()
	if bad := failing(err); fault.CodeOf(err) != "engine.apply" || bad.Service != "web" || !strings.Contains(bad.Lines, "already in use") {
		t.Errorf("it is about %+v: %v", bad, err)
	}
	if !s.byHand().inspect(id).State.Running {
		t.Error("the person's container does not run any more")
	}
}

func TestARefusalsLinesShowNoSecret(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: ["/no/such/program-${S}"]}}`)
	s.secret("S", hunter)
	err := s.tryApply()
	if bad := failing(err); bad.Service != "web" || !strings.Contains(bad.Lines, "/no/such/program-") || leaks(err.Error()+bad.Lines) != "" {
		t.Errorf("it is about %+v: %v", bad, err)
	}
}

func TestMentioned(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), newStack(t, "services: {web: {image: IMAGE}, webs: {image: IMAGE}, db: {image: IMAGE}}").Project)
	if err != nil {
		t.Fatal(err)
	}
	seen := []observed{{service: "web", name: "p-web-1"}, {service: "webs", name: "p-web-10"}, {service: "gone", name: "p-web-100"}}
	for text, want := range map[string]string{"container p-web-10 failed": "webs", "container p-web-1 failed": "web", "nothing": ""} {
		if got := mentioned(project, seen, text); got != want {
			t.Errorf("%q is about %q, want %q", text, got, want)
		}
	}
}
