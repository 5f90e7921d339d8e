package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// oneDeployment is the sample's store, with this deployment as the newest.
type oneDeployment struct {
	sampleStore
	d stacks.Deployment
}

func (o oneDeployment) Deployments(context.Context, stacks.DeploymentFilter, core.Page) (core.List[stacks.Deployment], error) {
	return core.List[stacks.Deployment]{Items: []stacks.Deployment{o.d}}, nil
}

func TestAPageTellsThatWhatRunsWasLeftUntouched(t *testing.T) {
	const untouched, stands = "What runs was left untouched.", "It is tried again once a commit or a variable of the stack has changed."
	s := sampleStack()
	s.Status, s.Error, s.Retry = stacks.StatusError, "compose.yaml: line 3: must be a list", stacks.Retry{Of: "dep_1"}
	failed := stacks.Deployment{ID: "dep_1", State: stacks.DeploymentFailed, ErrorCode: "compose.invalid", Error: "it cannot be read"}
	begun, planned, first := failed, s, s
	begun.Revision, planned.RetryAt, first.Revision = 13, sampleNow.Add(time.Minute), 0
	for name, c := range map[string]struct {
		s                 stacks.Stack
		d                 stacks.Deployment
		untouched, stands bool
	}{
		"it failed before it was sent": {s, failed, true, true},
		"it was sent":                  {s, begun, false, true},
		"it is tried again":            {planned, failed, true, false},
		"nothing runs":                 {first, failed, false, true},
	} {
		page, err := showStack(t.Context(), oneDeployment{d: c.d}, c.s, sampleNow)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		if err := stackShowView.write(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/stacks/stk_1", nil), http.StatusOK, frame{}, page); err != nil {
			t.Fatal(err)
		}
		if body := w.Body.String(); strings.Contains(body, untouched) != c.untouched || strings.Contains(body, stands) != c.stands {
			t.Errorf("%s: the page tells otherwise:\n%s", name, body)
		}
	}
	if note := noteOn(failed); !strings.Contains(note, "what runs was left untouched") || noteOn(begun) != "" {
		t.Errorf("a deployment's page says %q, and of one that was sent %q", note, noteOn(begun))
	}
}
