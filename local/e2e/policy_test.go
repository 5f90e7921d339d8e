package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// TestTheHostsPolicyFileHolds: what the owner of a host wrote into WORKER_POLICY_FILE holds for stacks and jobs, and no rule of the
// server, for all workers or for this one, takes anything of it back.
func TestTheHostsPolicyFileHolds(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	file := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(file, []byte(`{"allow": {"images": ["acme/**"]}, "block": {"ports": ["22"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	worker := s.WorkerWith(map[string]string{"WORKER_POLICY_FILE": file})
	of := "/api/custom/workers/" + string(worker.ID) + "/policy"
	if holds := rig.Get[api.WorkerPolicyAnswer](s.Client, of); holds.Host.Limits == nil || holds.Host.Limits.Allow.Images == nil {
		t.Fatalf("the server shows of the host %+v", holds.Host)
	}
	// The widest rules that there are.
	if answer := s.Ask(http.MethodPut, of, api.PolicyRules{Allow: api.PolicyLists{Images: []string{"**", rig.Image(t)}}}); answer.Status != http.StatusOK {
		t.Fatalf("the rules of the worker: %d %s", answer.Status, answer.Body)
	}
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "network_mode: bridge", `ports: ["127.0.0.1:22:22"]`)),
		"nightly/job.yaml": job(t)})
	stack := repository.On(worker.ID, "app")
	d := stack.Failed("policy.refused")
	failedAs(t, stack, d, stacks.PhasePolicy, "app/compose.yaml", "services.web.image", "services.web.ports[0]", "the policy file of the host refuses (allow.images)", "(block.ports)")
	if n := len(stack.Containers()); n != 0 {
		t.Errorf("it has %d containers", n)
	}
	j := repository.Job("nightly").Read()
	run := j.Ended(j.Begin(nil).ID)
	if run.State != jobs.RunFailed || !strings.Contains(run.Error, "the policy file of the host refuses (allow.images)") {
		t.Errorf("the run is %+v", run)
	}
	if _, found := rig.RunContainer(t, run.ID); found {
		t.Error("the run has a container")
	}
	if answer := s.Ask(http.MethodDelete, of, nil); answer.Status != http.StatusNoContent {
		t.Errorf("the rules of the worker are not removed: %d %s", answer.Status, answer.Body)
	}
	if d := stack.Sync(); d.State != stacks.DeploymentFailed || d.ErrorCode != "policy.refused" {
		t.Errorf("without rules of the server it ended %s with %s", d.State, d.ErrorCode)
	}
}
