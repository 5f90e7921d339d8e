package fleet_test

import (
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/policy"
	"berth/core/seal"
	"berth/core/store"
	"berth/core/wire"
)

func TestRulesAreSetReadAndTakenAway(t *testing.T) {
	r := open(t)
	w, err := r.Enrol(t.Context(), fleet.Proof{Token: r.issue(t).Secret.Reveal(), Key: seal.PinOf([]byte("k"))}, wire.Enrol{Protocol: 1, Hostname: "web-1", Version: "1", OS: "linux", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	limits := &policy.Rules{Block: policy.Blocks{HostPID: true}}
	if _, err := r.Connected(t.Context(), w.ID, wire.Hello{Hostname: "web-1", Version: "1", OS: "linux", Arch: "amd64", Judges: true, Allow: []string{"devices"}, Limits: limits}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SetPolicy(t.Context(), admin, "", policy.Rules{Allow: policy.Lists{Images: []string{"secret-registry.example/**"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SetPolicy(t.Context(), admin, w.ID, policy.Rules{Block: policy.Blocks{Privileged: true}}); err != nil {
		t.Fatal(err)
	}
	e, err := r.Effective(t.Context(), w.ID)
	if err != nil || len(e.Layers()) != 3 || e.Layers()[0].From != policy.FromHost || e.Own.ChangedBy != admin.Name || e.Host.Allow[0] != "devices" {
		t.Errorf("what holds is %+v, %v", e, err)
	}
	if err := r.ClearPolicy(t.Context(), admin, w.ID); err != nil {
		t.Fatal(err)
	}
	if e, err := r.Effective(t.Context(), w.ID); err != nil || len(e.Layers()) != 2 || !e.Own.UpdatedAt.IsZero() {
		t.Errorf("after that holds %+v, %v", e, err)
	}
}

func TestRulesThatAreNoneChangeNothing(t *testing.T) {
	r := open(t)
	_, err := r.SetPolicy(t.Context(), admin, "", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"x"}}})
	if fault.CodeOf(err) != "policy.invalid" {
		t.Errorf("got %v", err)
	}
	if _, err := r.SetPolicy(t.Context(), admin, "wrk_none", policy.Rules{}); fault.CodeOf(err) != "worker.not_found" {
		t.Errorf("got %v", err)
	}
	if _, err := r.Effective(t.Context(), "wrk_none"); fault.CodeOf(err) != "worker.not_found" {
		t.Errorf("got %v", err)
	}
	if p, err := r.Policy(t.Context(), ""); err != nil || !p.UpdatedAt.IsZero() || !p.Rules.Empty() {
		t.Errorf("there are rules: %+v, %v", p, err)
	}
}

func TestAChangeOfRulesIsAuditedWithoutEntries(t *testing.T) {
	r := open(t)
	rules := policy.Rules{Allow: policy.Lists{Images: []string{"secret-registry.example/**"}}, Block: policy.Blocks{LatestTags: true}}
	for range 2 { // the second changes nothing and is not written
		if _, err := r.SetPolicy(t.Context(), admin, "", rules); err != nil {
			t.Fatal(err)
		}
	}
	var details []string
	err := r.db.Read(t.Context(), func(tx *store.Tx) (err error) {
		details, err = store.Texts(tx, `SELECT detail FROM audit_events WHERE action = 'policy.change'`)
		return err
	})
	if err != nil || len(details) != 1 || details[0] != "allow.images: no limit to 1 entry; block.latest_tags: off to on" || strings.Contains(details[0], "secret-registry") {
		t.Errorf("the audit says %q, %v", details, err)
	}
}
