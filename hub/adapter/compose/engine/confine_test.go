package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/policy"
)

// TestTheWorkerRefusesWhatRulesDoNotLetPass: rules of the host and of the order hold even where the owner allows everything.
func TestTheWorkerRefusesWhatRulesDoNotLetPass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/var/tmp", filepath.Join(dir, "files", "away")); err != nil {
		t.Fatal(err)
	}
	everything, err := policy.Of([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		settings    string
		host, order policy.Rules
		says        string
	}{
		"by the order":         {"privileged: true", policy.Rules{}, policy.Rules{Block: policy.Blocks{Privileged: true}}, "the policy for all workers refuses (block.privileged)"},
		"by the host":          {"privileged: true", policy.Rules{Block: policy.Blocks{Privileged: true}}, policy.Rules{}, "the policy file of the host refuses (block.privileged)"},
		"by where a link goes": {"volumes: [{type: bind, source: " + dir + "/files/away, target: /x}]", policy.Rules{}, policy.Rules{Allow: policy.Lists{BindMounts: []string{dir + "/files"}}}, "leads elsewhere on this host"},
		"the host's network":   {"network_mode: HOSTNET", policy.Rules{Block: policy.Blocks{HostNetwork: true}}, policy.Rules{}, "is the host's own network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: {image: IMAGE}}")
			s.engine.policy = everything
			s.engine.limits = []policy.Layer{{From: policy.FromHost, Rules: c.host}}
			s.Policy = []policy.Layer{{From: policy.FromGlobal, Rules: c.order}}
			settings := strings.ReplaceAll(c.settings, "HOSTNET", s.engine.idOfHostNetwork(t))
			s.set("services:\n  web: {image: IMAGE, command: [sleep, '1'], " + settings + "}\n")
			err := s.engine.Apply(t.Context(), s.Project, func(string) {})
			if err == nil || !strings.Contains(err.Error(), c.says) || fault.CodeOf(err) != "engine.refused" {
				t.Fatalf("got %v, want … %s", err, c.says)
			}
		})
	}
}
