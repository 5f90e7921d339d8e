package config_test

import (
	"log/slog"
	"strings"
	"testing"

	"berth/core/config"
)

func TestBeginSaysWhatIsWrongOrWarns(t *testing.T) {
	wrong, odd := []config.Problem{{Name: "PORT", Reason: "is odd"}}, []config.Problem{{Name: "BERTH_X", Reason: "is unknown"}}
	for name, c := range map[string]struct {
		problems []config.Problem
		format   config.LogFormat
		fine     bool
		says     []string
	}{
		"a problem":     {wrong, config.LogText, false, []string{"berth cannot start", "  PORT: is odd\n"}},
		"a text":        {nil, config.LogText, true, []string{`level=WARN msg="is unknown" variable=BERTH_X`, "level=INFO msg=on\n"}},
		"lines of JSON": {nil, config.LogJSON, true, []string{`"level":"WARN","msg":"is unknown","variable":"BERTH_X"}`, `"msg":"on"}`}},
	} {
		var out strings.Builder
		log, fine := config.Begin(&out, slog.LevelInfo, c.format, c.problems, odd)
		if fine {
			log.Debug("not shown")
			log.Info("on")
		}
		for _, say := range c.says {
			if !strings.Contains(out.String(), say) {
				t.Errorf("%s: %q is not in %s", name, say, out.String())
			}
		}
		if fine != c.fine || strings.Contains(out.String(), "not shown") || !fine && strings.Contains(out.String(), "BERTH_X") {
			t.Errorf("%s: %t, %s", name, fine, out.String())
		}
	}
}

func TestAProcessWithoutArguments(t *testing.T) {
	for args, want := range map[string]struct {
		code int
		done bool
	}{"": {0, false}, "-h": {0, true}, "--help": {0, true}, "-x": {config.ExitUsage, true}, "-h -x": {config.ExitUsage, true}, "serve": {config.ExitUsage, true}} {
		var out, errs strings.Builder
		code, done := config.NoArguments(strings.Fields(args), "usage: x\n", &out, &errs)
		if code != want.code || done != want.done {
			t.Errorf("%q: %d, %t", args, code, done)
		}
		if help := done && code == 0; help != (out.String() == "usage: x\n") || (code != 0) != strings.HasSuffix(errs.String(), "\nusage: x\n") {
			t.Errorf("%q: %q, %q", args, out.String(), errs.String())
		}
	}
}
