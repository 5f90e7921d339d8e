package store_test

import (
	"fmt"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

func TestAccountsAreListedWithTheirKeys(t *testing.T) {
	r := openRegister(t)
	want := map[core.ServiceAccountID]int{}
	for i := range 7 {
		a := r.account(fmt.Sprint("account ", i))
		for range i {
			r.key(a)
		}
		want[a.ID] = i
	}
	var after string
	for range 3 {
		list, err := r.ServiceAccounts(t.Context(), core.Page{After: after, Limit: 3})
		r.must(err)
		for _, a := range list.Items {
			if n, found := want[a.ID]; !found || len(a.Keys) != n || a.Keys == nil {
				t.Errorf("%s has %d keys, want %d", a.Name, len(a.Keys), n)
			}
			for _, k := range a.Keys {
				if k.Account != a.ID {
					t.Errorf("%s has a key of %s", a.ID, k.Account)
				}
			}
			delete(want, a.ID)
		}
		after = list.Next
	}
	if len(want) != 0 || after != "" {
		t.Errorf("not listed: %v, next %q", want, after)
	}
	if list, err := r.ServiceAccounts(t.Context(), core.Page{After: "z", Limit: 3}); err != nil || list.Items == nil || len(list.Items) != 0 {
		t.Errorf("beyond the end: %+v, %v", list, err)
	}
}

func TestAKeyGoesWithItsAccount(t *testing.T) {
	r := openRegister(t)
	a, b := r.account("a"), r.account("b")
	k := r.key(a)
	kept, err := r.StoredKey(t.Context(), k.ID)
	if err != nil || kept.Key != k || string(kept.MAC) != "mac" || kept.Account.ID != a.ID || kept.Account.Role != access.RoleViewer {
		t.Errorf("%+v, %v", kept, err)
	}
	if err := r.DeleteAPIKey(t.Context(), access.System, b.ID, k.ID); fault.CodeOf(err) != "api_key.not_found" {
		t.Errorf("through another account: %v", err)
	}
	r.must(r.DeleteServiceAccount(t.Context(), access.System, a.ID))
	if _, err := r.StoredKey(t.Context(), k.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("afterwards: %v", err)
	}
	for name, err := range map[string]error{
		"a key for it": r.AddAPIKey(t.Context(), access.System, k, nil), "deleting it again": r.DeleteServiceAccount(t.Context(), access.System, a.ID),
	} {
		if fault.CodeOf(err) != "service_account.not_found" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAccountsAreChangedInOnePiece(t *testing.T) {
	r := openRegister(t)
	a := r.account("a")
	r.account("b")
	taken, fresh, operator := "b", "c", access.RoleOperator
	before := r.count(`SELECT count(*) FROM audit_events`)
	if _, err := r.ChangeServiceAccount(t.Context(), access.System, a.ID, identity.AccountChange{Name: &taken, Role: &operator}); fault.CodeOf(err) != "service_account.name_taken" {
		t.Error(err)
	}
	if n := r.count(`SELECT count(*) FROM service_accounts WHERE role = 'operator'`) + r.count(`SELECT count(*) FROM audit_events`) - before; n != 0 {
		t.Error("a refused change left something")
	}
	got, err := r.ChangeServiceAccount(t.Context(), access.System, a.ID, identity.AccountChange{Name: &fresh, Role: &operator})
	if err != nil || got.Name != "c" || got.Role != operator || r.count(`SELECT count(*) FROM audit_events`) != before+1 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := r.AddServiceAccount(t.Context(), access.System, identity.ServiceAccount{ID: "sva_x", Name: "c", Role: access.RoleViewer}); fault.CodeOf(err) != "service_account.name_taken" {
		t.Error(err)
	}
}
