package handlers_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// held makes the head of the stack's branch one that was rolled back.
func held(p *players) {
	p.s.exec(`UPDATE stacks SET seen_tree = 't2', out_of_sync = 1, quarantine = '{"tree":"t2","commit":"c2c2c2c2c2c2","revision":2,"deployment":"dep_1","reason":"it failed"}' WHERE id = ?`, p.named["stack"])
}

func TestARedeploySaysWhatItDoes(t *testing.T) {
	p, session, stack := operator(t)
	says(t, p.s.browse(session, stack+"/redeploy"), 200, "The newest commit is put in place", "Redeploy the newest commit")
	held(p)
	says(t, p.s.browse(session, stack+"/redeploy"), 200, "Revision 1 is put in place again", "<code>c2c2c2c2c2</code>, is in quarantine, and stays so", "Redeploy revision 1")
	asked := p.s.submit(session, stack+"/redeploy", url.Values{"containers": {"on"}})
	says(t, p.s.browse(session, asked.Header().Get("Location")), 200, "revision 1, as it was", "Redeploy")
	if s := p.play(200, "GET", "/api/custom/stacks/{stack}", ""); s["quarantine"] == nil {
		t.Error("the redeploy ended the quarantine")
	}
}

// TestWhatDeletesDataIsAskedForByItself: the button that makes containers anew cannot delete what volumes hold, and the one
// that does says so and asks.
func TestWhatDeletesDataIsAskedForByItself(t *testing.T) {
	p, session, stack := operator(t)
	p.s.exec(`UPDATE revisions SET services = '[{"Name":"db","Volumes":["data"]},{"Name":"web","Volumes":["data","uploads"]}]' WHERE stack_id = ?`, p.named["stack"])
	w := p.s.browse(session, stack+"/redeploy")
	says(t, w, 200, "It mounts <code>data</code>, <code>uploads</code>.", "Yes, delete the data and redeploy", "What the volumes hold is deleted for good")
	for _, form := range strings.Split(w.Body.String(), "<form")[1:] {
		form, _, _ = strings.Cut(form, "</form>")
		if strings.Contains(form, `name="volumes"`) && (!strings.Contains(form, `class="button is-danger"`) || strings.Contains(form, `name="containers"`)) {
			t.Errorf("data is deleted by <form%s", form)
		}
	}
	asked := p.s.submit(session, stack+"/redeploy", url.Values{"volumes": {"on"}})
	says(t, p.s.browse(session, asked.Header().Get("Location")), 200, "volumes")
	if n := p.s.count(`SELECT count(*) FROM deployments WHERE stack_id = ? AND options LIKE '%"recreate_volumes":true%'`, p.named["stack"]); n != 1 {
		t.Errorf("%d deployments make volumes anew", n)
	}
}

func TestARedeployTellsItsAim(t *testing.T) {
	p := deployed(t)
	held(p)
	d := p.play(202, "POST", "/api/custom/stacks/{stack}/redeploy", `{"recreate_containers":true}`)
	if d["aim"].(map[string]any)["revision"] != 1.0 || d["trigger"] != "redeploy" {
		t.Errorf("the redeploy is %v", d)
	}
	if d := p.play(202, "POST", "/api/custom/stacks/{stack}/sync", ""); d["aim"].(map[string]any)["revision"] != 0.0 {
		t.Errorf("the sync is %v", d)
	}
}

func TestWhoCancelledIsShown(t *testing.T) {
	p, session, _ := operator(t)
	id := p.play(202, "POST", "/api/custom/stacks/{stack}/sync", "")["id"].(string)
	_, err := p.s.store.StartDeployment(t.Context(), core.DeploymentID(id))
	p.s.must(err)
	by := p.play(202, "POST", "/api/custom/deployments/"+id+"/cancel", "")["cancelled_by"]
	if by == "" {
		t.Fatal("nobody is said to have cancelled it")
	}
	says(t, p.s.browse(session, "/deployments/"+id), 200, "It was told to stop by", by.(string), "Asked to stop by")
	phases := []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseFailed, StartedAt: p.s.now(), Message: "cancelled"}}
	_, err = p.s.store.EndDeployment(t.Context(), stacks.Outcome{Deployment: core.DeploymentID(id), State: stacks.DeploymentCancelled, Phases: phases, ErrorCode: "deployment.cancelled", Error: "cancelled", At: p.s.now()}, nil)
	p.s.must(err)
	page := p.s.browse(session, "/deployments/"+id)
	says(t, page, 200, "Cancelled by", by.(string), "nothing was put back", `title="Cancelled"`)
	silent(t, page.Body.String(), `title="Failed"`, "notice is-bad")
	says(t, p.s.browse(session, p.fill("/stacks/{stack}")), 200, "not verified", "ran well last")
	says(t, p.s.browse(session, p.fill("/stacks/{stack}/revisions")), 200, "Ran well last", "/revisions/1/rollback")
	answer := p.play(200, "GET", "/api/custom/deployments/"+id, "")
	if phase := answer["phases"].([]any)[0].(map[string]any); answer["cancelled_by"] != by || phase["state"] != "cancelled" {
		t.Errorf("the deployment is %v", answer)
	}
}

func TestARetryIsNoNewCommit(t *testing.T) {
	p, session, stack := operator(t)
	p.s.exec(`UPDATE stacks SET retry_at = 1, retries = 1, retry = ? WHERE id = ?`, `{"trigger":"poll","of":"`+p.named["deployment"]+`","attempt":2}`, p.named["stack"])
	if n, err := p.s.store.QueueRetries(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	list := p.play(200, "GET", "/api/custom/stacks/{stack}/deployments", "")["items"].([]any)
	newest := list[0].(map[string]any)
	if newest["attempt"] != 2.0 || newest["retry_of"] != p.named["deployment"] {
		t.Errorf("the retry is %v", newest)
	}
	says(t, p.s.browse(session, stack), 200, "Retry, attempt 2")
	says(t, p.s.browse(session, "/deployments/"+newest["id"].(string)), 200, "Retry, attempt 2 of <a href=\"/deployments/"+p.named["deployment"]+"\">the one before</a>")
}

func TestWhichRevisionsRanWellIsShown(t *testing.T) {
	p, session, stack := operator(t)
	says(t, p.s.browse(session, stack+"/revisions/1"), 200, "It ran well")
	p.s.exec(`UPDATE revisions SET verified_at = 0`)
	says(t, p.s.browse(session, stack+"/revisions"), 200, "never ran well")
	says(t, p.s.browse(session, stack+"/revisions/1"), 200, "It never ran well.")
	list := p.play(200, "GET", "/api/custom/stacks/{stack}/revisions", "")["items"].([]any)
	if one := list[0].(map[string]any); one["verified_at"] != nil {
		t.Errorf("the revision is %v", one)
	}
	p.s.exec(`UPDATE revisions SET verified_at = ?`, p.s.now().Add(-time.Hour).UnixMicro())
	says(t, p.s.browse(session, stack+"/revisions"), 200, "1 h ago")
}
