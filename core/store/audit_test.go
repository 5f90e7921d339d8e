package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

// heard records what was done to things by people and programs, a second apart, and returns when each was.
func heard(y *yard, events ...access.AuditEvent) (when []time.Time) {
	for _, e := range events {
		when = append(when, y.tick())
		y.must(y.RecordEvent(y.t.Context(), e))
	}
	return when
}

func TestTheAuditIsFilteredAndPaged(t *testing.T) {
	y := openYard(t)
	ada := access.Principal{Kind: access.KindUser, ID: core.NewID(core.PrefixUser, y.at), Name: "ada@example.org", Address: "192.0.2.7"}
	robot := access.Principal{Kind: access.KindServiceAccount, ID: core.NewID(core.PrefixServiceAccount, y.at), Name: "ci"}
	_, err := y.QueueDeployment(t.Context(), wish(y.add("noise")), someone)
	y.must(err)
	when := heard(y, ada.Audit("audit_test.a", "stk_1", "one"), robot.Audit("audit_test.a", "stk_2", "two"), ada.Audit("audit_test.b", "stk_1", "three").With(access.Refused),
		access.System.Audit("audit_test.b", "stk_2", "four").With(access.Failed))
	for name, c := range map[string]struct {
		filter access.AuditFilter
		want   []string
	}{
		"by identifier":         {access.AuditFilter{Actor: ada.ID}, []string{"three", "one"}},
		"by name":               {access.AuditFilter{Actor: "ci"}, []string{"two"}},
		"by another's name":     {access.AuditFilter{Actor: "nobody"}, nil},
		"by action":             {access.AuditFilter{Action: "audit_test.b"}, []string{"four", "three"}},
		"by resource":           {access.AuditFilter{Resource: "stk_2"}, []string{"four", "two"}},
		"what was refused":      {access.AuditFilter{Result: access.Refused}, []string{"three"}},
		"what failed":           {access.AuditFilter{Result: access.Failed, Resource: "stk_2"}, []string{"four"}},
		"what was done":         {access.AuditFilter{Result: access.Done, Action: "audit_test.a"}, []string{"two", "one"}},
		"since":                 {access.AuditFilter{From: when[2], Action: "audit_test.b"}, []string{"four", "three"}},
		"until, without it":     {access.AuditFilter{From: when[0], To: when[2]}, []string{"two", "one"}},
		"all of it at once":     {access.AuditFilter{Actor: ada.ID, Action: "audit_test.a", Resource: "stk_1", Result: access.Done, From: when[0], To: when[1]}, []string{"one"}},
		"a time without events": {access.AuditFilter{From: when[3].Add(time.Hour)}, nil},
	} {
		for _, limit := range []int{1, 2, 50} {
			if got := details(y, c.filter, limit); !slices.Equal(got, c.want) {
				t.Errorf("%s, %d at a time: %q, want %q", name, limit, got, c.want)
			}
		}
	}
	list, err := y.AuditEvents(t.Context(), access.AuditFilter{Result: access.Refused}, core.Page{Limit: 1})
	y.must(err)
	if r := list.Items[0]; r.Actor != ada || r.Resource != "stk_1" || !r.At.Equal(when[2].Truncate(time.Microsecond)) {
		t.Errorf("what is read is %+v", r)
	}
}

// details reads all pages of the audit.
func details(y *yard, f access.AuditFilter, limit int) (found []string) {
	ask := core.Page{Limit: limit}
	for range 100 {
		list, err := y.AuditEvents(y.t.Context(), f, ask)
		y.must(err)
		for _, r := range list.Items {
			found = append(found, r.Detail)
		}
		if ask.After = list.Next; ask.After == "" {
			return found
		}
	}
	y.t.Fatal("the pages do not end")
	return nil
}

func TestTheEndOfADeploymentIsItsWorkersWord(t *testing.T) {
	for state, want := range map[stacks.DeploymentState]access.Result{stacks.DeploymentSucceeded: access.Done, stacks.DeploymentCancelled: access.Done, stacks.DeploymentFailed: access.Failed} {
		t.Run(string(state), func(t *testing.T) {
			y := openYard(t)
			id := y.add("web")
			d := y.start(y.queue(wish(id)))
			cmd := y.send(d, "c1")
			y.end(d.ID, state, func(o *stacks.Outcome) { o.Command = cmd.ID })
			list, err := y.AuditEvents(t.Context(), access.AuditFilter{Action: "deployment.end", Resource: string(id)}, core.Page{Limit: 10})
			y.must(err)
			worker := access.Principal{Kind: access.KindWorker, ID: string(y.w.ID), Name: y.w.Hostname}
			if len(list.Items) != 1 || list.Items[0].Actor != worker || list.Items[0].Result != want || list.Items[0].Detail != fmt.Sprintf("%s: %s", d.ID, state) {
				t.Errorf("the audit says %+v", list.Items)
			}
		})
	}
	y := openYard(t)
	id := y.add("web")
	y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
	list, err := y.AuditEvents(t.Context(), access.AuditFilter{Result: access.Failed, Resource: string(id)}, core.Page{Limit: 10})
	y.must(err)
	if len(list.Items) != 1 || list.Items[0].Actor != access.System {
		t.Errorf("of one that never reached a worker it says %+v", list.Items)
	}
}

func TestTheAuditIsKeptForAsLongAsIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		kept time.Duration
		left int
	}{"for ever": {0, 2}, "for two days": {48 * time.Hour, 1}, "for a week": {7 * 24 * time.Hour, 2}} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			y.must(y.RecordEvent(t.Context(), someone.Audit("audit_test.old", "", "")))
			y.at = y.at.Add(72 * time.Hour)
			y.must(y.RecordEvent(t.Context(), someone.Audit("audit_test.new", "", "")))
			y.KeepAudit(c.kept)
			_, err := y.Prune(t.Context(), y.at)
			y.must(err)
			if n := y.audits("audit_test.old") + y.audits("audit_test.new"); n != c.left {
				t.Errorf("%d are left, want %d", n, c.left)
			}
		})
	}
}
