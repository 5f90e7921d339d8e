package main

import (
	"os"
	"strings"
	"testing"

	"berth/core/config"
)

// TestWhatIsTypedMeansSomethingOrDoesNothing: help goes to the output, what means nothing is refused with help
// beside it, and neither writes a file.
func TestWhatIsTypedMeansSomethingOrDoesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for typed, want := range map[string]struct {
		code int
		says []string
	}{
		"-h":               {0, []string{"usage: local [-demo]\n", "-demo   add the demo", "local copy-database", "local env FILE", "local variables"}},
		"--help":           {0, []string{"usage: local [-demo]\n"}},
		"env -h":           {0, []string{"usage: local env FILE\n"}},
		"env --help":       {0, []string{"usage: local env FILE\n"}},
		"copy-database -h": {0, []string{"usage: local copy-database\n", "DATABASE_URL"}},
		"variables -help":  {0, []string{"usage: local variables\n"}},

		"env":                  {config.ExitUsage, []string{"local env: name the file", "usage: local env FILE\n"}},
		"env -x":               {config.ExitUsage, []string{"local env: flag provided but not defined: -x", "usage: local env FILE\n"}},
		"env .env other":       {config.ExitUsage, []string{`local env: "other" is too much`}},
		"env .env -h":          {config.ExitUsage, []string{`local env: "-h" is too much`}},
		"copy-database -force": {config.ExitUsage, []string{"not defined: -force", "usage: local copy-database\n"}},
		"copy-database now":    {config.ExitUsage, []string{`"now" is too much`}},
		"variables all":        {config.ExitUsage, []string{`"all" is too much`}},
		"dance":                {config.ExitUsage, []string{`local: there is no command "dance"`, "usage: local [-demo]\n"}},
		"-dance":               {config.ExitUsage, []string{"local: flag provided but not defined: -dance"}},
		"-demo env .env":       {config.ExitUsage, []string{"-demo goes with the server alone"}},
	} {
		var out, errs strings.Builder
		code := run(strings.Fields(typed), &out, &errs)
		text, other := out.String(), errs.String()
		if want.code != 0 {
			text, other = other, text
		}
		if code != want.code || other != "" {
			t.Errorf("%s: %d, %s%s", typed, code, out.String(), errs.String())
		}
		for _, say := range want.says {
			if !strings.Contains(text, say) {
				t.Errorf("%s: %q is missing in\n%s", typed, say, text)
			}
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("something was written: %v, %v", left, err)
	}
}
