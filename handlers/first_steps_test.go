package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/stacks"
)

// The first steps lead from nothing to a stack that is well: each is ticked once it is done, they can be hidden,
// and they go by themselves.
func TestTheFirstStepsLeadToAHealthyStack(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	says(t, s.browse(session, "/"), 200, "Four steps to a first healthy stack", `href="/workers/new"`)
	s.worker("web-1")
	says(t, s.browse(session, "/"), 200, `class="button is-main" href="/repositories/new"`)
	_, page := s.madeStack(session)
	says(t, s.browse(session, "/"), 200, `class="button is-main" href="`+page+`/review"`, "was not deployed yet", "Stacks by status")
	viewer := s.browse(s.session(s.user(access.RoleViewer)), "/")
	says(t, viewer, 200, "Four steps")
	silent(t, viewer.Body.String(), "/first-steps")

	s.ended(strings.TrimPrefix(page, "/stacks/"), stacks.DeploymentFailed, 0, 1)
	says(t, s.browse(session, "/"), 200, "See what happened", "did not come through")

	hide := s.submit(session, "/first-steps", url.Values{"hide": {"1"}})
	leadsTo(t, hide, "/")
	hidden := s.do(call{method: http.MethodGet, path: "/", session: session, header: http.Header{"Accept": {"text/html"}, "Cookie": {"berth_session=" + session + "; " + strings.SplitN(hide.Header().Get("Set-Cookie"), ";", 2)[0]}}})
	says(t, hidden, 200, "Show the first steps")
	silent(t, hidden.Body.String(), "Four steps")
	if again := s.submit(session, "/first-steps", url.Values{"hide": {""}}); !strings.Contains(again.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("showing the steps again leaves the cookie: %q", again.Header())
	}

	s.exec(`UPDATE stacks SET revision = 1, status = 'active'`)
	silent(t, s.browse(session, "/").Body.String(), "first-steps", "Four steps")
}
