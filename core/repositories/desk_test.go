package repositories_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

const address = "https://git.example.com/team/app"

func TestCreateKeepsTheNormalFormAndAsksForALook(t *testing.T) {
	r := open(t)
	got := r.add(t, repositories.Draft{Name: " app ", URL: "HTTPS://Git.Example.com:443/team/app/", Branch: "main"})
	if got.Name != "app" || got.URL != address || got.Branch != "main" || got.AskedAt.IsZero() || got.AskedBy != ada.Name || got.Head != "" {
		t.Errorf("stored %+v", got)
	}
	if !reflect.DeepEqual(got, r.get(t, got.ID)) {
		t.Errorf("read back %+v", r.get(t, got.ID))
	}
	if r.nudges.Load() != 1 || r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'repository.create' AND resource = ?`, got.ID) != 1 {
		t.Error("the hub was not nudged, or nothing was audited")
	}
}

func TestCreateRefuses(t *testing.T) {
	r := open(t)
	r.add(t, repositories.Draft{Name: "taken", URL: address})
	key := r.key(t, "elsewhere", "git.other.org")
	nudges := r.nudges.Load()
	cases := map[string]struct {
		draft      repositories.Draft
		code, says string
	}{
		"everything at once":      {repositories.Draft{Branch: "a b"}, "repository.invalid", "branch: The branch name"},
		"no name":                 {repositories.Draft{Name: "  ", URL: address}, "repository.invalid", "name: 1 to 100"},
		"a long name":             {repositories.Draft{Name: strings.Repeat("é", 51), URL: address}, "repository.invalid", "name: 1 to 100"},
		"a name with a line end":  {repositories.Draft{Name: "a\nb", URL: address}, "repository.invalid", "name: 1 to 100"},
		"ssh without a key":       {repositories.Draft{Name: "a", URL: "git@git.example.com:team/app"}, "repository.invalid", "credential_id: "},
		"a password in it":        {repositories.Draft{Name: "a", URL: "https://u:hunter2@git.example.com/a"}, "repository.invalid", "url: "},
		"a name that is taken":    {repositories.Draft{Name: "taken", URL: address}, "repository.name_taken", "Another repository"},
		"an unknown key":          {repositories.Draft{Name: "a", URL: address, Credential: "cred_none"}, "input.reference", "credential_id: names no repository key"},
		"a key of another host":   {repositories.Draft{Name: "a", URL: address, Credential: key.ID}, "credential.other_host", "git.other.org, but the repository's address names git.example.com"},
		"the same, on other port": {repositories.Draft{Name: "a", URL: "https://git.other.org:8443/a", Credential: key.ID}, "credential.other_host", "git.other.org:8443"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Create(t.Context(), c.draft, ada)
			wantFault(t, err, c.code, c.says)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v repeats the password", err)
			}
		})
	}
	if n := r.count(t, `SELECT count(*) FROM repositories`); n != 1 || r.nudges.Load() != nudges {
		t.Errorf("%d repositories, %d nudges", n, r.nudges.Load()-nudges)
	}
}

func TestOneInstallationHoldsAsManyAsTheHubLooksAt(t *testing.T) {
	r := open(t)
	if _, err := r.raw.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at)
		SELECT 'rep_' || i, 'r' || i, 'http://h/a', '', '', 0, '', '', 0, '', 0, 0 FROM n`, repositories.MaxRepositories-1); err != nil {
		t.Fatal(err)
	}
	r.add(t, repositories.Draft{Name: "last", URL: address})
	_, err := r.Create(t.Context(), repositories.Draft{Name: "one more", URL: address}, ada)
	wantFault(t, err, "repository.limit", "10000")
	if all, err := r.store.Repositories(t.Context()); err != nil || len(all) != repositories.MaxRepositories {
		t.Errorf("%d repositories, %v", len(all), err)
	}
}

func TestUpdateForgetsWhatNoLongerHolds(t *testing.T) {
	cases := map[string]struct {
		change       repositories.Change
		reset, asked bool
	}{
		"a name":                     {repositories.Change{Name: ptr("other")}, false, false},
		"the address, other letters": {repositories.Change{URL: ptr(strings.ToUpper(address[:20]) + address[20:])}, false, false},
		"the address":                {repositories.Change{URL: ptr(address + "2")}, true, true},
		"the branch":                 {repositories.Change{Branch: ptr("next")}, true, true},
		"the key":                    {repositories.Change{Credential: ptr(core.CredentialID(""))}, false, true},
		"nothing":                    {repositories.Change{}, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			r.git.Commit(address, "main", map[string]string{"a": "1"})
			before := r.add(t, repositories.Draft{Name: "app", URL: address, Credential: r.key(t, "k", "git.example.com").ID})
			if err := r.store.ClearAsked(t.Context(), before.ID, before.AskedAt); err != nil {
				t.Fatal(err)
			}
			r.fetch(t, before)
			if err := r.store.SetFetchError(t.Context(), before.ID, "git.unreachable", "away", r.now()); err != nil {
				t.Fatal(err)
			}
			after, err := r.Update(t.Context(), before.ID, c.change, ada)
			if err != nil {
				t.Fatal(err)
			}
			if (after.Head == "") != c.reset || after.FetchedAt.IsZero() != c.reset || after.AskedAt.IsZero() == c.asked || (after.Error == "") != c.asked {
				t.Errorf("afterwards %+v", after)
			}
			if !reflect.DeepEqual(after, r.get(t, before.ID)) {
				t.Errorf("read back %+v, want %+v", r.get(t, before.ID), after)
			}
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	r := open(t)
	r.add(t, repositories.Draft{Name: "taken", URL: address})
	got := r.add(t, repositories.Draft{Name: "app", URL: address, Credential: r.key(t, "k", "git.example.com").ID})
	cases := map[string]struct {
		id         core.RepositoryID
		change     repositories.Change
		code, says string
	}{
		"moving to another host with its key": {got.ID, repositories.Change{URL: ptr("https://evil.example.com/a")}, "credential.other_host", "evil.example.com"},
		"a name that is taken":                {got.ID, repositories.Change{Name: ptr("taken")}, "repository.name_taken", "Another"},
		"a bad branch":                        {got.ID, repositories.Change{Branch: ptr("-x")}, "repository.invalid", "branch"},
		"an unknown key":                      {got.ID, repositories.Change{Credential: ptr(core.CredentialID("cred_none"))}, "input.reference", "names no"},
		"an unknown repository":               {"rep_none", repositories.Change{}, "repository.not_found", "no such"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Update(t.Context(), c.id, c.change, ada)
			wantFault(t, err, c.code, c.says)
		})
	}
	if !reflect.DeepEqual(got, r.get(t, got.ID)) {
		t.Errorf("a refusal left %+v", r.get(t, got.ID))
	}
}

func TestDeleteNamesTheStacksThatNeedIt(t *testing.T) {
	r := open(t)
	got := r.add(t, repositories.Draft{Name: "app", URL: address})
	for i := range 12 {
		r.stack(t, fmt.Sprintf("web-%02d", i), got.ID)
	}
	err := r.Delete(t.Context(), got.ID, ada)
	wantFault(t, err, "repository.in_use", "web-00, web-01")
	wantFault(t, err, "repository.in_use", "web-09 and others")
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("%v is no conflict", err)
	}
	if _, err := r.raw.ExecContext(t.Context(), `DELETE FROM stacks`); err != nil {
		t.Fatal(err)
	}
	nudges := r.nudges.Load()
	if err := r.Delete(t.Context(), got.ID, ada); err != nil || r.nudges.Load() != nudges+1 {
		t.Fatal(err)
	}
	wantFault(t, r.Delete(t.Context(), got.ID, ada), "repository.not_found", "no such")
}

func TestRequestSyncAsksAgain(t *testing.T) {
	r := open(t)
	got := r.add(t, repositories.Draft{Name: "app", URL: address})
	again, err := r.RequestSync(t.Context(), got.ID, ada)
	if err != nil || !again.AskedAt.After(got.AskedAt) || r.nudges.Load() != 2 {
		t.Fatalf("%+v, %v, %d nudges", again, err, r.nudges.Load())
	}
	// The hub looked because of the first wish: the second one stays.
	if err := r.store.ClearAsked(t.Context(), got.ID, got.AskedAt); err != nil || r.get(t, got.ID).AskedAt.IsZero() {
		t.Errorf("the newer wish is gone, %v", err)
	}
	if err := r.store.ClearAsked(t.Context(), got.ID, again.AskedAt); err != nil || !r.get(t, got.ID).AskedAt.IsZero() {
		t.Errorf("the wish stays, %v", err)
	}
	_, err = r.RequestSync(t.Context(), "rep_none", ada)
	wantFault(t, err, "repository.not_found", "no such")
}

func TestRepositoriesArePagedByName(t *testing.T) {
	r := open(t)
	for _, name := range []string{"c", "a", "b"} {
		r.add(t, repositories.Draft{Name: name, URL: address})
	}
	first, err := r.Repositories(t.Context(), core.Page{Limit: 2})
	if err != nil || len(first.Items) != 2 || first.Items[0].Name != "a" || first.Next == "" {
		t.Fatal(first, err)
	}
	rest, err := r.Repositories(t.Context(), core.Page{Limit: 2, After: first.Next})
	if err != nil || len(rest.Items) != 1 || rest.Items[0].Name != "c" || rest.Next != "" {
		t.Fatal(rest, err)
	}
	all, err := r.store.Repositories(t.Context())
	if err != nil || len(all) != 3 || all[0].Name != "c" {
		t.Fatal(all, err)
	}
}

// Polling must not cost a row: what is no news is not written.
func TestPollingWritesOnlyNews(t *testing.T) {
	r := open(t)
	id := r.add(t, repositories.Draft{Name: "app", URL: address}).ID
	set := func(head core.Commit) error {
		return r.store.SetFetched(t.Context(), id, core.GitHead{Commit: head}, core.LineageUnknown, r.now())
	}
	fail := func(text string) error {
		return r.store.SetFetchError(t.Context(), id, "git.unreachable", text, r.now())
	}
	steps := []struct {
		name string
		do   func() error
		news bool
		want repositories.Repository
	}{
		{"first head", func() error { return set("aaa") }, true, repositories.Repository{Head: "aaa"}},
		{"same head", func() error { return set("aaa") }, false, repositories.Repository{Head: "aaa"}},
		{"failure", func() error { return fail("away") }, true, repositories.Repository{Head: "aaa", Error: "away"}},
		{"same failure", func() error { return fail("away") }, false, repositories.Repository{Head: "aaa", Error: "away"}},
		{"other failure", func() error { return fail("refused") }, true, repositories.Repository{Head: "aaa", Error: "refused"}},
		{"works again", func() error { return set("aaa") }, true, repositories.Repository{Head: "aaa"}},
		{"new head", func() error { return set("bbb") }, true, repositories.Repository{Head: "bbb"}},
	}
	for _, step := range steps {
		before := r.get(t, id)
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		after := r.get(t, id)
		if (!reflect.DeepEqual(after, before)) != step.news || after.Head != step.want.Head || after.Error != step.want.Error || (after.ErrorCode == "") != (after.Error == "") {
			t.Errorf("%s: %+v became %+v", step.name, before, after)
		}
	}
	wantFault(t, r.store.SetFetched(t.Context(), "rep_none", core.GitHead{Commit: "a"}, core.LineageUnknown, r.now()), "repository.not_found", "no such")
	wantFault(t, r.store.SetFetchError(t.Context(), "rep_none", "a", "b", r.now()), "repository.not_found", "no such")
	if err := r.store.ClearAsked(t.Context(), "rep_none", r.now()); err != nil {
		t.Error(err)
	}
}
