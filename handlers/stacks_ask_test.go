package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

// deployed is a stand with a stack whose revision 1 is in place, and two workers.
func deployed(t *testing.T) *players {
	t.Helper()
	s := newStand(t)
	p := &players{t: t, s: s, d: describe(t, s), key: s.admin(), named: map[string]string{}, played: map[string]bool{}}
	p.playRepositories()
	p.playWorkers()
	p.playStacks()
	p.deploy()
	p.named["third worker"] = string(s.worker("web-3").ID)
	return p
}

// problemIn reads a problem.
func problemIn(t *testing.T, w *httptest.ResponseRecorder) (problem struct {
	Code   string
	Fields []struct{ Path string }
}) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
		t.Fatal(err, w.Body)
	}
	return problem
}

// TestARollbackToNoRevisionIsRefusedBeforeAnythingStarts is O5 of the catalogue.
func TestARollbackToNoRevisionIsRefusedBeforeAnythingStarts(t *testing.T) {
	p := deployed(t)
	path := p.fill("/api/custom/stacks/{stack}/rollback")
	before := p.s.writes()
	for name, revision := range map[string]string{
		"a path": `"../../etc"`, "a short hash": `"9f31c02"`, "a number as text": `"1"`, "a word": `"latest"`, "nothing": `""`, "null": `null`, "zero": `0`, "less than zero": `-1`,
		"a part": `1.5`, "more than fits": `99999999999999999999`, "a list": `[1]`, "an object": `{"number":1}`, "yes": `true`,
	} {
		w := p.s.do(call{method: http.MethodPost, path: path, key: p.key, body: `{"revision":` + revision + `}`})
		problem := problemIn(t, w)
		if w.Code != 422 || problem.Code != "revision.number" || len(problem.Fields) != 1 || problem.Fields[0].Path != "revision" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if p.s.writes() != before {
		t.Error("something was written")
	}
	if w := p.s.do(call{method: http.MethodPost, path: path, key: p.key, body: `{"revision":2}`}); w.Code != 404 || problemIn(t, w).Code != "revision.not_found" {
		t.Errorf("a revision that is not there: %d %s", w.Code, w.Body)
	}
}

// TestAWishForWhatIsNotThereIsNotFound is the first half of O4 of the catalogue.
func TestAWishForWhatIsNotThereIsNotFound(t *testing.T) {
	p := deployed(t)
	for act, body := range map[string]string{"sync": "", "redeploy": "{}", "rollback": `{"revision":1}`, "transfer": `{"worker_id":"` + p.named["third worker"] + `"}`, "pause": "", "resume": ""} {
		for _, id := range []string{"stk_" + strings.Repeat("0", 26), "web", "..%2f.."} {
			w := p.s.do(call{method: http.MethodPost, path: "/api/custom/stacks/" + id + "/" + act, key: p.key, body: body})
			if w.Code != 404 {
				t.Errorf("%s of %s: %d %s", act, id, w.Code, w.Body)
			}
		}
	}
}

// TestAWishWhileOneRunsIsAnsweredWithWhatCoversIt is the second half of O4 of the catalogue.
func TestAWishWhileOneRunsIsAnsweredWithWhatCoversIt(t *testing.T) {
	p := deployed(t)
	const stack = "/api/custom/stacks/{stack}"
	running := p.play(202, "POST", stack+"/sync", "")["id"].(string)
	_, err := p.s.store.StartDeployment(t.Context(), core.DeploymentID(running))
	p.s.must(err)
	queued := p.play(202, "POST", stack+"/sync", "")["id"]
	if queued == running {
		t.Error("a sync is covered by one that may have looked already")
	}
	if plain := p.play(202, "POST", stack+"/redeploy", ""); plain["id"] != queued || plain["options"].(map[string]any)["recreate_containers"] != false {
		t.Errorf("a redeploy without a body is answered with %v", plain)
	}
	if again := p.play(202, "POST", stack+"/redeploy", `{"recreate_containers":true}`); again["id"] != queued || again["options"].(map[string]any)["recreate_containers"] != true {
		t.Errorf("a redeploy is answered with %v, want %s with its options", again, queued)
	}
	back := p.play(202, "POST", stack+"/rollback", `{"revision":1}`)
	if back["id"] == queued || back["trigger"] != "rollback" || back["aim"].(map[string]any)["revision"] != 1.0 {
		t.Errorf("a rollback is answered with %v", back)
	}
	if again := p.play(202, "POST", stack+"/rollback", `{"revision":1}`); again["id"] != back["id"] {
		t.Errorf("the same rollback is answered with %v, want %s", again, back["id"])
	}
	p.named["queued"] = queued.(string)
	if displaced := p.play(200, "GET", "/api/custom/deployments/{queued}", ""); displaced["state"] != "superseded" {
		t.Errorf("the sync that was queued is %v", displaced["state"])
	}
	if n := p.s.count(`SELECT count(*) FROM deployments WHERE stack_id = ? AND state IN ('queued', 'running')`, p.named["stack"]); n != 2 {
		t.Errorf("%d deployments are open, want one that runs and one that is queued", n)
	}
}

func TestAPauseHoldsPollingBackAndNobodyElse(t *testing.T) {
	p := deployed(t)
	const stack = "/api/custom/stacks/{stack}"
	for range 2 {
		if s := p.play(200, "POST", stack+"/pause", ""); s["paused"] != true || s["status"] != "paused" {
			t.Errorf("after a pause the stack is %v", s)
		}
	}
	err := p.s.store.QueueAll(t.Context(), []stacks.Ask{{Stack: core.StackID(p.named["stack"]), Trigger: stacks.TriggerPoll, Actor: "system", Reason: "it changed"}})
	p.s.must(err)
	if n := p.s.count(`SELECT count(*) FROM deployments WHERE state = 'queued' AND stack_id = ?`, p.named["stack"]); n != 0 {
		t.Error("polling deploys a stack that is paused")
	}
	for range 2 {
		if s := p.play(200, "POST", stack+"/resume", ""); s["paused"] != false || s["status"] != "active" {
			t.Errorf("after the pause the stack is %v", s)
		}
	}
	p.play(200, "POST", stack+"/pause", "")
	p.play(202, "POST", stack+"/sync", "")
}
