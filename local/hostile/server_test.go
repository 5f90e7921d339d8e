package hostile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/local/e2e/rig"
	"berth/local/stand/githost"
)

// TestR1R2R6R15R27OnTheRealServer: commits that are made to harm, on the real program with a worker and Docker: each
// ends in a failed deployment that says why, a good stack of the same commit runs, and nothing outside was touched.
func TestR1R2R6R15R27OnTheRealServer(t *testing.T) {
	s := rig.Start(t, rig.Options{LocalWorker: true})
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := strings.ReplaceAll(web("command: [sleep, '3600']", "stop_signal: SIGKILL", "network_mode: none"), "nginx", rig.Image(t))
	cases := map[string]struct{ file, link, code, says string }{
		"R1":  {link: "/etc/passwd", code: "compose.path_escapes", says: "symbolic link"},
		"R2":  {link: "../../../../../../dev/zero", code: "compose.path_escapes", says: "symbolic link"},
		"R6":  {file: aliases("[%s]"), code: "compose.too_large", says: "with aliases and extends expanded"},
		"R7":  {file: web("env_file: ../../../etc/passwd"), code: "compose.path_escapes", says: "leaves the repository"},
		"R15": {file: web("privileged: ${X:-true}"), code: "policy.refused", says: "compose.yaml:4: services.web.privileged"},
		"R16": {file: web("network_mode: host"), code: "policy.refused", says: "services.web.network_mode"},
		"R26": {file: web("volumes: ['/:/x']"), code: "policy.refused", says: "services.web.volumes[0]: / is, or contains"},
		"R27": {file: web("volumes: ['/var/run/docker.sock:/s']"), code: "policy.refused", says: "a socket of the container engine"},
		"R28": {file: web("provider: {type: sh}"), code: "compose.unsupported", says: "services.web.provider"},
		"R33": {file: web() + "gadgets: {}\n", code: "compose.invalid", says: "gadgets"},
	}
	change := githost.Change{Files: map[string]string{"good/compose.yaml": good}, Links: map[string]string{"victim": victim}}
	for id, c := range cases {
		if change.Files[id+"/compose.yaml"] = c.file; c.link != "" {
			delete(change.Files, id+"/compose.yaml")
			change.Links[id+"/compose.yaml"] = c.link
		}
	}
	name := s.GitRepository(map[string]string{"README": "hostile"})
	if _, err := s.Git.Apply(name, "main", change); err != nil {
		t.Fatal(err)
	}
	repository := s.AddRepository(name, "")
	worker := s.InsideWorker()
	fine := repository.Manual(worker, "good")
	took := measured(t, func() {
		for id, c := range cases {
			stack := repository.Manual(worker, id)
			d := stack.Sync()
			if d = stack.Deployment(d.ID); d.ErrorCode != c.code || !strings.Contains(d.Error, c.says) {
				t.Errorf("%s ended %s with %s: %s; want %s: … %s", id, d.State, d.ErrorCode, d.Error, c.code, c.says)
			}
			if now := stack.Now(); now.Revision > 0 {
				t.Errorf("%s is in place as revision %d", id, now.Revision)
			}
		}
	})
	fine.Synced()
	if text, err := os.ReadFile(victim); err != nil || string(text) != "canary" {
		t.Errorf("the victim holds %q, %v", text, err)
	}
	table := &figures{}
	table.add("server, worker and ten of them", took)
	table.print(t)
}
