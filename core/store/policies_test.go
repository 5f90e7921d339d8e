package store_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/policy"
)

func TestPoliciesAreKeptPerWorkerAndForAll(t *testing.T) {
	y := openYard(t)
	set := func(worker core.WorkerID, r policy.Rules) error {
		_, err := y.EditPolicy(t.Context(), worker, func(fleet.Policy) (fleet.Policy, access.AuditEvent) {
			return fleet.Policy{Worker: worker, Rules: r, ChangedBy: "ada", UpdatedAt: y.at}, someone.Audit("policy.change", "policy", "")
		})
		return err
	}
	if layers, err := y.PolicyLayers(t.Context(), y.w.ID); err != nil || layers != nil {
		t.Fatalf("there are rules: %v, %v", layers, err)
	}
	y.must(set("", policy.Rules{Block: policy.Blocks{Privileged: true}}))
	y.must(set(y.w.ID, policy.Rules{Allow: policy.Lists{Volumes: []string{}}}))
	if err := set("wrk_none", policy.Rules{}); fault.CodeOf(err) != "worker.not_found" {
		t.Errorf("rules of a worker that is not: %v", err)
	}
	layers, err := y.PolicyLayers(t.Context(), y.w.ID)
	if err != nil || len(layers) != 2 || layers[0].From != policy.FromWorker || layers[0].Rules.Allow.Volumes == nil || layers[1].From != policy.FromGlobal || !layers[1].Rules.Block.Privileged {
		t.Errorf("the layers are %+v, %v", layers, err)
	}
	if all, err := y.PolicyLayers(t.Context(), ""); err != nil || len(all) != 1 || all[0].From != policy.FromGlobal {
		t.Errorf("without a worker there are %+v, %v", all, err)
	}
	if p, err := y.Policy(t.Context(), ""); err != nil || p.ChangedBy != "ada" || !p.UpdatedAt.Equal(y.at) {
		t.Errorf("the policy for all is %+v, %v", p, err)
	}
	_, err = y.EditPolicy(t.Context(), y.w.ID, func(before fleet.Policy) (fleet.Policy, access.AuditEvent) {
		return fleet.Policy{Worker: before.Worker}, someone.Audit("policy.delete", string(y.w.ID), "")
	})
	y.must(err)
	if left, err := y.PolicyLayers(t.Context(), y.w.ID); err != nil || len(left) != 1 {
		t.Errorf("after its own went, there are %+v, %v", left, err)
	}
}

func TestPoliciesThatCannotBeReadLetNothingPass(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO policies (worker_id, rules, changed_by, updated_at) VALUES ('', 'not json', '', 1)`)
	if _, err := y.PolicyLayers(t.Context(), y.w.ID); err == nil || !strings.Contains(fault.CodeOf(err), "unreadable") {
		t.Errorf("they are read as none: %v", err)
	}
	_, err := y.EditPolicy(t.Context(), "", func(fleet.Policy) (fleet.Policy, access.AuditEvent) {
		return fleet.Policy{UpdatedAt: y.at}, someone.Audit("policy.change", "policy", "")
	})
	y.must(err)
	if layers, err := y.PolicyLayers(t.Context(), ""); err != nil || len(layers) != 1 {
		t.Errorf("they are not replaced: %v, %v", layers, err)
	}
}

func TestAWorkerTellsOfItsHost(t *testing.T) {
	y := openYard(t)
	_, err := y.WorkerConnected(t.Context(), y.w.ID, fleet.Facts{Hostname: "web-1", Tags: []string{}, Version: "1", OS: "linux", Arch: "amd64",
		Host: fleet.HostPolicy{Judges: true, Allow: []string{"devices"}, Limits: &policy.Rules{Block: policy.Blocks{HostIPC: true}}}})
	y.must(err)
	w, err := y.Worker(t.Context(), y.w.ID)
	if err != nil || !w.Host.Judges || len(w.Host.Allow) != 1 || len(w.Host.Layers()) != 1 || !w.Host.Limits.Block.HostIPC {
		t.Errorf("the host is %+v, %v", w.Host, err)
	}
}
