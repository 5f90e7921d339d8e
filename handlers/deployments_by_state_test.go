package handlers_test

import "testing"

func TestDeploymentsAreNarrowedByState(t *testing.T) {
	p, session, _ := operator(t) // where one deployment of lazy was cancelled before
	queued := p.play(202, "POST", "/api/custom/stacks/{lazy}/sync", "")["id"].(string)
	p.play(202, "POST", "/api/custom/deployments/"+queued+"/cancel", "")
	for state, want := range map[string]int{"cancelled": 2, "failed": 0} {
		if items, _ := p.play(200, "GET", "/api/custom/stacks/{lazy}/deployments?state="+state, "")["items"].([]any); len(items) != want {
			t.Errorf("%s: %v", state, items)
		}
	}
	p.play(422, "GET", "/api/custom/stacks/{lazy}/deployments?state=nonsense", "")
	says(t, p.s.browse(session, "/deployments?state=cancelled"), 200, queued, `href="/deployments?state=failed"`)
	says(t, p.s.browse(session, "/deployments?state=lost"), 200, "No deployment is in this state.")
	says(t, p.s.browse(session, "/deployments?state=nonsense"), 422, "state")
	says(t, p.s.browse(session, "/job-runs?state=lost"), 200, "No run is in this state.")
	says(t, p.s.browse(session, "/job-runs?state=nonsense"), 422, "state")
}
