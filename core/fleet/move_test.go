package fleet

import (
	"strings"
	"testing"
)

func TestWhyNotMove(t *testing.T) {
	a, b := Worker{ID: "wrk_a", Hostname: "a", Engine: "one"}, Worker{ID: "wrk_b", Hostname: "b", Engine: "two"}
	silent, shared, gone := b, b, a
	silent.Engine, shared.Engine, gone.Revoked, gone.Engine = "", "one", true, ""
	for name, c := range map[string]struct {
		from, to Worker
		why      string
	}{
		"to another engine":         {a, b, ""},
		"to where it is":            {a, a, "already"},
		"to an engine not known":    {a, silent, "worker b has not said"},
		"from an engine not known":  {silent, a, "worker b has not said"},
		"to a worker of its engine": {a, shared, "same container engine"},
		"from a revoked worker":     {gone, b, ""},
	} {
		if why := WhyNotMove(c.from, c.to); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q", name, why)
		}
	}
}
