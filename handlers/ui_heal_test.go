package handlers_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// operator is a stand with a stack that is in place, its page, and somebody who may change it.
func operator(t *testing.T) (p *players, session, stack string) {
	t.Helper()
	p = deployed(t)
	return p, p.s.session(p.s.user(access.RoleOperator)), p.fill("/stacks/{stack}")
}

// silent fails when a page says what it should not.
func silent(t *testing.T, page string, unwanted ...string) {
	t.Helper()
	for _, text := range unwanted {
		if strings.Contains(page, text) {
			t.Errorf("the page says %q", text)
		}
	}
}

func TestThePlanIsShownBeforeAnythingHappens(t *testing.T) {
	p, session, stack := operator(t)
	plans := p.s.plans()
	p.s.deps.UI.Plans = plans
	p.s.build()
	before := p.s.writes()
	says(t, p.s.browse(session, stack+"/plan"), 200, "Nothing is in place, and this would start nothing", "nothing yet", "not placed yet")
	plans.plan.Current = 1
	says(t, p.s.browse(session, stack+"/plan"), 200, "Nothing would change", "Deploy anyway")
	plans.plan = stacks.Plan{Commit: core.Commit(strings.Repeat("b", 40)), Current: 1, Worker: core.WorkerID(p.named["worker"]), Missing: []string{"REGION"}, Warnings: []string{"version is obsolete"}, Services: []stacks.PlannedService{
		{Service: "app", Action: stacks.PlanRecreate, Reasons: []stacks.Reason{{Kind: stacks.ReasonField, Name: "image", Before: "app:1", After: "app:2"}}}, {Service: "db", Action: stacks.PlanLeave}}}
	says(t, p.s.browse(session, stack+"/plan"), 200, "1 of 2 compose services would change", "Recreate", "<del>app:1</del>", "<ins>app:2</ins>", "Leave", "REGION", "Version is obsolete.", "bbbbbbbbbb", "a new revision", "web-1")
	plans.err = fault.New(fault.Invalid, "compose.invalid", "compose.yaml: line 3: must be a list.")
	refused := p.s.browse(session, stack+"/plan")
	says(t, refused, 422, "compose.yaml: line 3: must be a list.")
	silent(t, refused.Body.String(), ">Deploy<")
	if p.s.writes() != before {
		t.Error("looking at the plan wrote something")
	}
	says(t, p.s.browse(session, "/stacks/stk_none/plan"), 404)
}

func TestARevisionIsRolledBackToWithoutScript(t *testing.T) {
	p, session, stack := operator(t)
	p.s.exec(`INSERT INTO revisions (stack_id, number, commit_hash, digest, manifest, services, content, variables, watch, tree, created_at)
		SELECT stack_id, 2, 'c2' || substr(commit_hash, 3), 'd2', manifest, services, content, variables, watch, tree, created_at FROM revisions`)
	p.s.exec(`UPDATE stacks SET quarantine = '{"tree":"t2","commit":"c2","revision":2,"deployment":"dep_1","reason":"it failed"}' WHERE id = ?`, p.named["stack"])
	list := p.s.browse(session, stack+"/revisions")
	says(t, list, 200, "In place", "in quarantine", stack+"/revisions/2/rollback", stack+"/revisions/2/diff?with=1", stack+"/revisions/1")
	silent(t, list.Body.String(), stack+"/revisions/1/rollback")
	says(t, p.s.browse(session, stack+"/revisions?limit=1"), 200, "after=2")
	says(t, p.s.browse(session, stack+"/revisions/1"), 200, "services: {}", "web/site", "TOKEN", "app:1", "5 min to become healthy", "the last good revision is put back", "In place")
	says(t, p.s.browse(session, stack+"/revisions/2/diff"), 200, "Nothing differs.", stack+"/revisions/1")
	says(t, p.s.browse(session, stack+"/revisions/1/diff"), 200, "It is the first revision")
	says(t, p.s.browse(session, stack+"/revisions/2/diff?with=9"), 200, "The stack has no such revision.")
	says(t, p.s.browse(session, stack+"/revisions/2/diff?with=x"), 422)
	newer := p.s.browse(session, stack+"/revisions/2/rollback")
	says(t, newer, 200, "Put revision 2 of", "in place?", "Put it in place", "It may fail again", "What would change")
	silent(t, newer.Body.String(), "Roll back")
	silent(t, list.Body.String(), "Roll back…<span")
	for _, number := range []string{"0", "9", "x", "..%2f..%2fetc", "-1", "1.5"} {
		says(t, p.s.browse(session, stack+"/revisions/"+number), 404, "no such revision")
		says(t, p.s.submit(session, stack+"/revisions/"+number+"/rollback", nil), 404)
	}
	asked := p.s.submit(session, stack+"/revisions/2/rollback", nil)
	deployment := asked.Header().Get("Location")
	if asked.Code != 303 || !strings.HasPrefix(deployment, "/deployments/dep_") {
		t.Fatalf("the rollback leads to %q: %d %s", deployment, asked.Code, asked.Body)
	}
	says(t, p.s.browse(session, deployment), 200, "Rollback", "revision 2, as it was")
}

func TestAStackIsPausedAndResumedWithoutScript(t *testing.T) {
	p, session, stack := operator(t)
	silent(t, p.s.browse(session, stack).Body.String(), "The stack is paused", stack+"/resume")
	leadsTo(t, p.s.submit(session, stack+"/pause", nil), stack+"?said=stack-paused")
	says(t, p.s.browse(session, stack+"?said=stack-paused"), 200, "The stack is paused", stack+"/resume", "Paused")
	says(t, p.s.browse(session, "/"), 200, "It is paused", stack+"/resume")
	viewer := p.s.browse(p.s.session(p.s.user(access.RoleViewer)), stack)
	says(t, viewer, 200, "The stack is paused", stack+"/plan")
	silent(t, viewer.Body.String(), stack+"/resume", stack+"/transfer", stack+"/pause")
	leadsTo(t, p.s.submit(session, stack+"/resume", nil), stack+"?said=stack-resumed")
	silent(t, p.s.browse(session, stack).Body.String(), "The stack is paused")
	silent(t, p.s.browse(session, "/").Body.String(), "It is paused")
	says(t, p.s.submit(session, "/stacks/stk_none/pause", nil), 404)
}

func TestAStackIsMovedWithoutScript(t *testing.T) {
	p, session, stack := operator(t)
	twin := p.s.worker("twin-of-web-1")
	p.s.exec(`UPDATE workers SET engine = 'one engine' WHERE id IN (?, ?)`, p.named["worker"], twin.ID)
	offered := p.s.browse(session, stack+"/transfer")
	says(t, offered, 200, "Volumes do not move", p.named["third worker"], "web-3", "share the container engine")
	silent(t, offered.Body.String(), `value="`+p.named["worker"], `value="`+string(twin.ID), `value="`+p.named["other worker"])
	says(t, p.s.submit(session, stack+"/transfer", url.Values{"worker_id": {string(twin.ID)}}), 422, "same container engine", `aria-invalid="true"`)
	says(t, p.s.submit(session, stack+"/transfer", nil), 422, `aria-invalid="true"`)
	asked := p.s.submit(session, stack+"/transfer", url.Values{"worker_id": {p.named["third worker"]}})
	if asked.Code != 303 {
		t.Fatalf("%d %s", asked.Code, asked.Body)
	}
	says(t, p.s.browse(session, asked.Header().Get("Location")), 200, "what is in place, on worker web-3", "It waits for worker <bdi>web-3</bdi>, which is offline")
	if n := p.s.count(`SELECT count(*) FROM deployments WHERE stack_id = ? AND trigger = 'transfer'`, p.named["stack"]); n != 1 {
		t.Errorf("%d transfers were asked for", n)
	}
}

func TestWhatIsWrongWithAStackIsSaidOnItsPage(t *testing.T) {
	p, session, stack := operator(t)
	const drift = `[{"service":"app","kind":"missing","text":"compose service app has no container"},{"service":"app","container":"web-app-1","kind":"changed","fields":["image"],"text":"container web-app-1 of compose service app was changed by hand: image"}]`
	p.s.exec(`UPDATE stacks SET status = 'degraded', error = 'compose service app has no container', drifted = 1, drift = ? WHERE id = ?`, drift, p.named["stack"])
	says(t, p.s.browse(session, stack), 200, "Compose service app has no container.", "was changed by hand: image", "sync.self_heal is not set", "Repair now", `action="`+stack+`/sync"`)
	says(t, p.s.browse(session, "/"), 200, "Compose service app has no container.", "See what differs")
	says(t, p.s.browse(session, "/stacks"), 200, "drifted")
	p.s.exec(`UPDATE stacks SET heal_at = ?, out_of_sync = 1, quarantine = '{"tree":"t","commit":"1234567890abcdef","revision":2,"deployment":"dep_9","reason":"compose service app is unhealthy"}' WHERE id = ?`, p.s.now().Add(10*time.Second).UnixMicro(), p.named["stack"])
	page := p.s.browse(session, stack)
	says(t, page, 200, "It is repaired by itself", "in a moment", "<code>1234567890</code> is in quarantine", "the next commit that changes the stack's folder ends the quarantine", "Compose service app is unhealthy.", "/deployments/dep_9", "Deploy anyway", `action="`+stack+`/revisions/1/rollback"`)
	viewer := p.s.browse(p.s.session(p.s.user(access.RoleViewer)), stack)
	says(t, viewer, 200, "is in quarantine", "was changed by hand")
	silent(t, viewer.Body.String(), "Repair now", "Deploy anyway")
	p.s.exec(`UPDATE stacks SET status = 'active', drifted = 0, drift = '[]', heal_at = 0 WHERE id = ?`, p.named["stack"])
	says(t, p.s.browse(session, "/"), 200, "Commit 1234567890 is in quarantine", `href="/deployments/dep_9">See what happened`)
	says(t, p.s.browse(session, "/stacks"), 200, "commit in quarantine")
}

func TestADeploymentSaysWhatItFellBackTo(t *testing.T) {
	p, session, _ := operator(t)
	deployment := p.fill("/deployments/{deployment}")
	set := func(state stacks.DeploymentState, restore string) {
		t.Helper()
		p.s.exec(`UPDATE deployments SET state = ?, restore = ?, error = 'compose service app is unhealthy', failed_service = 'app', failed_lines = ? WHERE id = ?`, state, restore, "listening\npanic: no table\n", p.named["deployment"])
	}
	set(stacks.DeploymentRunning, `{"revision":3,"state":"running"}`)
	says(t, p.s.browse(session, deployment), 200, "revision 3, the last good one, is being put back", `<bdi class="name">app</bdi> did.`, "panic: no table", "Stop it")
	set(stacks.DeploymentRolledBack, `{"revision":3,"state":"succeeded"}`)
	says(t, p.s.browse(session, deployment), 200, "Rolled back", "revision 3, the last good one, was put back", "Compose service app is unhealthy.", "Deploy anyway")
	set(stacks.DeploymentFailed, `{"revision":3,"state":"failed","error":"the disk is full"}`)
	says(t, p.s.browse(session, deployment), 200, "could not be put back either", "The disk is full.", "Sync again")
	p.s.exec(`UPDATE deployments SET state = 'superseded', restore = '{}', failed_service = '', error = 'a newer wish took its place: rollback by ada' WHERE id = ?`, p.named["deployment"])
	superseded := p.s.browse(session, deployment)
	says(t, superseded, 200, "Superseded", "It never began: a newer wish took its place: rollback by ada.")
	silent(t, superseded.Body.String(), "notice is-bad", "Sync again")
	says(t, superseded, 200, "Phases", "Download")
	p.s.exec(`UPDATE deployments SET started_at = 0 WHERE id = ?`, p.named["deployment"])
	silent(t, p.s.browse(session, deployment).Body.String(), "Phases", "Download")
}
