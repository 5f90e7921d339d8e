package handlers_test

import "testing"

// Whoever starts, stops or restarts a compose service is in the audit, on either surface.
func TestWhoActsOnAComposeServiceIsRecorded(t *testing.T) {
	p, session, stack := operator(t)
	p.s.deps.Stacks.Live, p.s.deps.UI.Live = linked{}, linked{}
	p.s.build()
	for _, act := range []string{"start", "stop", "restart"} {
		recorded := func() int {
			return p.s.count(`SELECT count(*) FROM audit_events WHERE action = ? AND resource = ? AND detail = 'app' AND actor_name <> ''`, "service."+act, p.named["stack"])
		}
		p.play(204, "POST", "/api/custom/stacks/{stack}/services/app/"+act, "")
		if n := recorded(); n != 1 {
			t.Errorf("%s through the API: %d audit events", act, n)
		}
		if w := p.s.submit(session, stack+"/services/app/"+act, nil); w.Code != 303 || recorded() != 2 {
			t.Errorf("%s on the page: %d, %d audit events", act, w.Code, recorded())
		}
		p.play(404, "POST", "/api/custom/stacks/{stack}/services/none/"+act, "")
		if w := p.s.submit(session, stack+"/services/none/"+act, nil); w.Code != 404 || p.s.count(`SELECT count(*) FROM audit_events WHERE detail = 'none'`) != 0 {
			t.Errorf("%s of nothing: %d, or it is recorded", act, w.Code)
		}
	}
}
