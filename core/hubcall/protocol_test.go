package hubcall_test

import (
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/hubcall"
)

func TestACallerOfAnotherProtocolIsNamed(t *testing.T) {
	for sentence, c := range map[string]struct{ header, code, says string }{
		"the same":              {hubcall.Speaks("1.2.0"), "", "1.2.0"},
		"a release without one": {"", "", "unknown"},
		"newer":                 {"2 1.3.0", "hub_call.protocol", "The hub is release 1.2.0 and speaks protocol 1 with handlers and hubs; what called it is release 1.3.0 and speaks 2. Nothing was done. Update the hub,"},
		"older":                 {"0 0.9.0", "hub_call.protocol", "Update what called it,"},
		"no release":            {"2", "hub_call.protocol", "release unknown and speaks 2"},
		"a long release":        {"2 " + strings.Repeat("x", 1000), "hub_call.protocol", "release unknown and speaks 2"},
		"noise":                 {"two", "hub_call.malformed", ""},
	} {
		caller, err := hubcall.Heard(c.header, "1.2.0")
		if (err == nil) != (c.code == "") || err == nil && caller != c.says || err != nil && fault.CodeOf(err) != c.code || err != nil && !strings.Contains(fault.PublicOf(err), c.says) {
			t.Errorf("%s: %q, %v", sentence, caller, err)
		}
	}
}
