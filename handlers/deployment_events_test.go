package handlers_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatBecameOfADeploymentIsTold(t *testing.T) {
	p, session, _ := operator(t)
	queued := p.play(202, "POST", "/api/custom/stacks/{lazy}/sync", "")["id"].(string)
	p.play(202, "POST", "/api/custom/deployments/"+queued+"/cancel", "")
	got := p.play(200, "GET", "/api/custom/deployments/"+queued, "")
	events, _ := got["events"].([]any)
	if len(events) != 2 {
		t.Fatalf("its events are %v", got["events"])
	}
	first, last := events[0].(map[string]any), events[1].(map[string]any)
	if first["from"] != nil || first["to"] != "queued" || first["actor"] == "" || !strings.Contains(fmt.Sprint(first["cause"]), "sync was asked for") {
		t.Errorf("the first event is %v", first)
	}
	if last["from"] != "queued" || last["to"] != "cancelled" || last["cause"] != "deployment.cancelled" || last["actor"] != first["actor"] || last["at"] != got["finished_at"] {
		t.Errorf("the last event is %v of %v", last, got)
	}
	says(t, p.s.browse(session, "/deployments/"+queued), 200, "History", "Sync was asked for", "deployment.cancelled<")
	// One from before events were kept.
	p.s.exec(`DELETE FROM deployment_events`)
	if none, is := p.play(200, "GET", "/api/custom/deployments/"+queued, "")["events"].([]any); !is || len(none) != 0 {
		t.Errorf("without events it has %v", none)
	}
	silent(t, p.s.browse(session, "/deployments/"+queued).Body.String(), "History")
}
