package repositories_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/sops"
)

// pairOf opens a repository's key pair, which must fit together.
func (r *room) pairOf(t *testing.T, id core.RepositoryID) repositories.KeyPair {
	t.Helper()
	pair, err := r.KeyPair(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	content, err := sops.Files{}.Encrypt(map[string]secrets.Value{"A": secrets.NewValue("x")}, pair.Public)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (sops.Files{}).Decrypt(content, pair); err != nil || got["A"].Reveal() != "x" {
		t.Errorf("the keys do not fit: %v", err)
	}
	return pair
}

func TestARepositoryHasAKeyPairOfItsOwn(t *testing.T) {
	r := open(t)
	one, two := r.add(t, repositories.Draft{Name: "one", URL: address}), r.add(t, repositories.Draft{Name: "two", URL: address})
	first, second := r.pairOf(t, one.ID), r.pairOf(t, two.ID)
	if one.AgePublicKey != first.Public || one.AgePublicKey == two.AgePublicKey || first.Private.Reveal() == second.Private.Reveal() {
		t.Errorf("the keys are %s and %s", one.AgePublicKey, two.AgePublicKey)
	}
	if r.onDisk(t, first.Private.Reveal()) || !r.onDisk(t, first.Public) {
		t.Error("on disk is the private key, or not the public one")
	}
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE repositories SET sops_age_key = (SELECT sops_age_key FROM repositories WHERE id = ?) WHERE id = ?`, one.ID, two.ID); err != nil {
		t.Fatal(err)
	}
	_, err := r.KeyPair(t.Context(), two.ID)
	wantFault(t, err, "repository.key_unreadable", "Rotate")
	_, err = r.KeyPair(t.Context(), "rep_none")
	wantFault(t, err, "repository.not_found", "no such")
}

func TestRotateKeyReplacesThePair(t *testing.T) {
	r := open(t)
	one := r.add(t, repositories.Draft{Name: "one", URL: address})
	before := r.pairOf(t, one.ID)
	rotated, err := r.RotateKey(t.Context(), one.ID, ada)
	if err != nil {
		t.Fatal(err)
	}
	after := r.pairOf(t, one.ID)
	if rotated.AgePublicKey != after.Public || after.Public == before.Public || after.Private.Reveal() == before.Private.Reveal() {
		t.Errorf("the key is %s, and was %s", after.Public, before.Public)
	}
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'repository.sops_rotate_key' AND detail LIKE '%`+after.Public+`%'`); n != 1 {
		t.Errorf("%d audit events name the new key", n)
	}
	if r.onDisk(t, after.Private.Reveal()) {
		t.Error("the private key is on disk")
	}
	_, err = r.store.ReplaceAgeKey(t.Context(), one.ID, before.Public, "age1x", nil, nil) // who saw the key of before
	wantFault(t, err, "repository.key_moved", "just now")
	_, err = r.RotateKey(t.Context(), "rep_none", ada)
	wantFault(t, err, "repository.not_found", "no such")
}

func TestGiveKeysToThoseThatHaveNone(t *testing.T) {
	r := open(t)
	kept := r.add(t, repositories.Draft{Name: "kept", URL: address})
	var old []core.RepositoryID
	for range 3 {
		added, err := r.store.AddRepository(t.Context(), repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, r.now())),
			Name: string(core.NewID(core.PrefixRepository, r.now())), URL: address}, access.System.Audit("repository.create", "", ""))
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, added.ID)
	}
	_, err := r.KeyPair(t.Context(), old[0])
	wantFault(t, err, "repository.no_key", "moments")
	for _, want := range []int{3, 0} {
		if given, err := r.GiveKeys(t.Context()); err != nil || given != want {
			t.Errorf("%d were given keys, %v; want %d", given, err, want)
		}
	}
	for _, id := range old {
		r.pairOf(t, id)
	}
	if now := r.pairOf(t, kept.ID); now.Public != kept.AgePublicKey {
		t.Error("one that has a key was given another")
	}
}

func TestSecretsFilesAreJudged(t *testing.T) {
	r := open(t)
	one := r.add(t, repositories.Draft{Name: "one", URL: address})
	files := repositories.NewSecretsFiles(r, sops.Files{})
	public := one.AgePublicKey
	for name, c := range map[string]struct {
		values map[string]string
		says   string
	}{
		"none":            {nil, "1 to 1000"},
		"a bad name":      {map[string]string{"to ken": "canary"}, "name of a variable"},
		"a long value":    {map[string]string{"A": strings.Repeat("canary", 20_000)}, "64 KiB"},
		"a NUL":           {map[string]string{"A": "canary\x00"}, "NUL"},
		"what is no text": {map[string]string{"A": "canary\xff"}, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			values := map[string]secrets.Value{}
			for name, value := range c.values {
				values[name] = secrets.NewValue(value)
			}
			_, err := files.Encrypt(t.Context(), one.ID, values)
			wantFault(t, err, "sops.invalid", c.says)
			if len(values) == 0 {
				return
			}
			content, err := sops.Files{}.Encrypt(values, public) // as somebody else may
			if err != nil {
				t.Fatal(err)
			}
			_, err = files.Open(t.Context(), one.ID, content)
			if wantFault(t, err, "sops.invalid", c.says); strings.Contains(err.Error(), "canary") {
				t.Errorf("%v holds a value", err)
			}
		})
	}
}

func TestProvidedTellsWhatADeploymentWouldGet(t *testing.T) {
	r := open(t)
	one := r.add(t, repositories.Draft{Name: "one", URL: address, Branch: "main"})
	reader := repositories.NewSecretsReader(r.git, repositories.NewSecretsFiles(r, sops.Files{}))
	_, err := reader.Provided(t.Context(), one, "app")
	wantFault(t, err, "repository.not_fetched", "not fetched")
	look := func(push coretest.GitPush) repositories.Provided {
		t.Helper()
		r.git.Push(address, push)
		src, err := r.Source(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		head, err := r.git.Fetch(t.Context(), src)
		if one.Head = head.Commit; err != nil {
			t.Fatal(err)
		}
		got, err := reader.Provided(t.Context(), one, "app")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := look(coretest.GitPush{Files: map[string]string{"app/compose.yaml": "x"}}); got.Available || got.File != "" || got.Names == nil || got.Problem != "" {
		t.Errorf("without a file: %+v", got)
	}
	content, err := reader.Encrypt(t.Context(), one.ID, map[string]secrets.Value{"B": secrets.NewValue("canary"), "A": secrets.NewValue("canary")})
	if err != nil {
		t.Fatal(err)
	}
	if got := look(coretest.GitPush{Files: map[string]string{"app/secrets.yaml": string(content)}}); !got.Available || got.File != "app/secrets.yaml" || strings.Join(got.Names, "") != "AB" || got.Problem != "" {
		t.Errorf("of the file: %+v", got)
	}
	if _, err := r.RotateKey(t.Context(), one.ID, ada); err != nil {
		t.Fatal(err)
	}
	if got := look(coretest.GitPush{Files: map[string]string{"x": "y"}}); got.Available || len(got.Names) != 2 || !strings.Contains(got.Problem, "rotated") {
		t.Errorf("after the key was rotated: %+v", got)
	}
	if got := look(coretest.GitPush{Files: map[string]string{"app/secrets.yaml": "A: canary\n"}}); got.Available || got.File == "" || len(got.Names) != 0 || !strings.Contains(got.Problem, "not encrypted") {
		t.Errorf("in clear: %+v", got)
	}
	if got := look(coretest.GitPush{Links: map[string]string{"app/secrets.yaml": "x"}}); got.Available || !strings.Contains(got.Problem, "symbolic link") {
		t.Errorf("of a link: %+v", got)
	}
}
