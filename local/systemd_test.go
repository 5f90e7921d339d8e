package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/config"
)

// TestTheHubsUnitIsWell: systemd, where there is one, reads it without complaint; and what it says
// about endings and environment is what the hub does.
func TestTheHubsUnitIsWell(t *testing.T) {
	text, err := os.ReadFile("systemd/berth-hub.service")
	if err != nil {
		t.Fatal(err)
	}
	sections, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case !strings.Contains(line, "=") || section == "":
			t.Errorf("%q is no setting", line)
		default:
			sections[section] = append(sections[section], line)
		}
	}
	for _, want := range []string{"User=berth", "ExecStart=/usr/local/bin/berth-hub", "EnvironmentFile=/etc/berth/hub.env", "Environment=DATA_DIR=/var/lib/berth",
		"StateDirectory=berth", "Restart=on-failure", "NoNewPrivileges=yes", "ProtectSystem=strict"} {
		if !slices.Contains(sections["Service"], want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
	if want := "RestartPreventExitStatus=64 65 78"; config.ExitUsage != 64 || config.ExitDamaged != 65 || config.ExitConfig != 78 || !slices.Contains(sections["Service"], want) {
		t.Errorf("the unit starts again what refused to start: it lacks %s", want)
	}
	if len(sections["Unit"]) == 0 || !slices.Contains(sections["Install"], "WantedBy=multi-user.target") {
		t.Errorf("the unit has no %q or %q", "Unit", "Install")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // it is read above
	}
	// systemd looks for the program and for what it starts before it.
	file := filepath.Join(t.TempDir(), "berth-hub.service")
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "ExecStart=/usr/local/bin/berth-hub", "ExecStart=/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", file).CombinedOutput(); strings.Contains(string(out), "berth-hub") {
		t.Errorf("systemd complains (%v): %s", err, out)
	}
}
