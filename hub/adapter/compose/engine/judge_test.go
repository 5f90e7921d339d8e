package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/policy"
	"berth/core/secrets"
)

// TestTheWorkerRefusesWhatItsHostDoesNotAllow is R34: what the hub sends is judged again, whatever the hub
// thought of it, and nothing is changed.
func TestTheWorkerRefusesWhatItsHostDoesNotAllow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, to := range map[string]string{"sock": "/var/run/docker.sock", "etc": "/etc", "up": "/"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ settings, says string }{
		"a privileged container":           {"privileged: true", "services.web.privileged: it has the whole host"},
		"by a secret, which a hub chose":   {`privileged: "${YES}"`, "services.web.privileged: it has the whole host"},
		"by a secret as part of a mount":   {`volumes: [{type: bind, source: "/${ETC}", target: /x}]`, "/etc is, or contains"},
		"the engine's socket by a link":    {"volumes: [{type: bind, source: " + dir + "/sock, target: /x}]", "leads elsewhere on this host"},
		"a system folder by a link":        {"volumes: [{type: bind, source: " + dir + "/etc, target: /x}]", "leads elsewhere on this host"},
		"below a link to the root":         {"volumes: [{type: bind, source: " + dir + "/up/etc/not-there-yet, target: /x}]", "leads elsewhere on this host"},
		"the worker's own files":           {"volumes: [{type: bind, source: " + dir + "/own/content, target: /x}]", "holds the worker's own files"},
		"a folder that has them":           {"volumes: [{type: bind, source: " + dir + ", target: /x}]", "holds the worker's own files"},
		"the host's network by its id":     {"network_mode: HOSTNET", "is the host's own network"},
		"a provider":                       {"provider: {type: sh}", "does not do"},
		"an engine that runs the engine":   {"runtime: crun", "another program to run containers"},
		"a privileged hook":                {"post_start: [{command: [a], privileged: true}]", "services.web.post_start[0].privileged"},
		"a security profile from the host": {"security_opt: ['seccomp:/etc/hostname']", "services.web.security_opt[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: {image: IMAGE}}")
			s.engine.own = []string{dir + "/own"}
			settings := strings.ReplaceAll(c.settings, "HOSTNET", s.engine.idOfHostNetwork(t))
			s.set("services:\n  web: {image: IMAGE, command: [sleep, '1'], " + settings + "}\n")
			s.Secrets = map[string]secrets.Value{"YES": secrets.NewValue("true"), "ETC": secrets.NewValue("etc")}
			err := s.engine.Apply(t.Context(), s.Project, func(string) {})
			if err == nil || !strings.Contains(err.Error(), c.says) || fault.CodeOf(err) != "engine.refused" && fault.CodeOf(err) != "engine.apply" {
				t.Fatalf("got %v, want … %s", err, c.says)
			}
			if made, err := s.engine.Containers(t.Context(), s.Name); err != nil || len(made) > 0 {
				t.Errorf("containers were made: %v, %v", made, err)
			}
		})
	}
}

func (e *Engine) idOfHostNetwork(t *testing.T) string {
	t.Helper()
	found, err := e.docker.NetworkInspect(t.Context(), "host", client.NetworkInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return found.Network.ID
}

func TestWhatTheOwnerOfAHostAllowsRuns(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, uts: host, volumes: [{type: bind, source: /etc/hostname, target: /x, read_only: true}]}}`)
	allowed, err := policy.Of([]string{"host-namespaces", "/etc/hostname"})
	if err != nil {
		t.Fatal(err)
	}
	s.engine.policy = allowed
	if err := s.engine.Apply(t.Context(), s.Project, func(string) {}); err != nil {
		t.Fatal(err)
	}
	all, err := s.engine.Containers(t.Context(), s.Name)
	if err != nil || len(all) != 1 || all[0].State != "running" {
		t.Errorf("containers are %+v, %v", all, err)
	}
}
