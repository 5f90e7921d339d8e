package vault_test

import (
	"fmt"
	"slices"
	"testing"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/local/stand/vaultstand"
)

func (r room) furnish() {
	r.server.Mount("team/kv", vaultstand.Mount{Type: "kv", Version: "2"})
	r.server.Mount("old", vaultstand.Mount{Type: "kv", Version: "1"})
	r.server.Mount("pki", vaultstand.Mount{Type: "pki"})
	r.server.Mount("a/data/kv", vaultstand.Mount{Type: "kv", Version: "2"}) // no reference could name it
	r.server.Put("kv", "shop/database", map[string]any{"password": "canary-1", "user": "canary-2", "port": 5432, "bad\n": "canary"})
	r.server.Put("kv", "shop/cache/redis", map[string]any{"url": "canary-3"})
	r.server.Put("kv", "shop", map[string]any{"name": "canary-4"})
	r.server.Put("team/kv", "app", map[string]any{"key": "canary-5"})
}

func (r room) pick(step integrations.Step) []integrations.Choice {
	r.Helper()
	choices, err := r.client.Pick(r.Context(), step)
	if err != nil {
		r.Fatalf("%+v: %v", step, err)
	}
	return choices
}

func same(name string) integrations.Choice { return integrations.Choice{ID: name, Name: name} }

func TestPicker(t *testing.T) {
	r := newRoom(t, "")
	r.furnish()
	for _, c := range []struct {
		step integrations.Step
		want []integrations.Choice
	}{
		{integrations.Step{Kind: integrations.StepMounts}, []integrations.Choice{same("kv"), same("team/kv")}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv"}, []integrations.Choice{same("shop"), {ID: "shop", Name: "shop", Folder: true}}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "shop"},
			[]integrations.Choice{{ID: "shop/cache", Name: "cache", Folder: true}, {ID: "shop/database", Name: "database"}}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "shop/cache/"}, []integrations.Choice{{ID: "shop/cache/redis", Name: "redis"}}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "none"}, nil},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "team/kv"}, []integrations.Choice{same("app")}},
		{integrations.Step{Kind: integrations.StepFields, Mount: "kv", Path: "shop/database"}, []integrations.Choice{same("password"), same("user")}},
	} {
		if got := r.pick(c.step); !slices.Equal(got, c.want) {
			t.Errorf("%+v gave %+v, want %+v", c.step, got, c.want)
		}
	}
}

func TestPickerStaysInsideTheAllowedMount(t *testing.T) {
	r := newRoom(t, "team/kv")
	r.furnish()
	if got := r.pick(integrations.Step{Kind: integrations.StepMounts}); !slices.Equal(got, []integrations.Choice{same("team/kv")}) {
		t.Errorf("mounts are %+v", got)
	}
	r.server.Asked()
	for _, kind := range []integrations.StepKind{integrations.StepPaths, integrations.StepFields} {
		_, err := r.client.Pick(t.Context(), integrations.Step{Kind: kind, Mount: "kv", Path: "shop"})
		coretest.WantFault(t, err, fault.Conflict, "vault.mount_refused", "kv: outside team/kv")
	}
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestPickerRefusesOtherSteps(t *testing.T) {
	r := newRoom(t, "")
	for _, step := range []integrations.Step{
		{Kind: integrations.StepPaths}, {Kind: integrations.StepPaths, Mount: "../sys"}, {Kind: integrations.StepPaths, Mount: "kv", Path: "../../sys"},
		{Kind: integrations.StepPaths, Mount: "kv", Path: "a//b"}, {Kind: integrations.StepFields, Mount: "kv"}, {Kind: integrations.StepFields, Mount: "kv", Path: ".."},
	} {
		_, err := r.client.Pick(t.Context(), step)
		coretest.WantFault(t, err, fault.Invalid, "secret.bad_reference")
	}
	_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepSecrets, Mount: "kv", Path: "a"})
	coretest.WantFault(t, err, fault.Invalid, "vault.step", "mounts, paths and fields")
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestPickerAndTestTellWhatTheTokenMayNot(t *testing.T) {
	for _, allowed := range []string{"", "kv"} {
		t.Run(fmt.Sprintf("allowed %q", allowed), func(t *testing.T) {
			r := newRoom(t, allowed)
			r.furnish()
			r.server.Delete("kv", "shop/cache/redis")
			r.server.Change(token, func(t *vaultstand.Token) {
				t.Refused = []string{"sys/internal/ui/mounts", "kv/metadata", "kv/data/shop/database"}
			})
			if allowed != "" {
				if got := r.pick(integrations.Step{Kind: integrations.StepMounts}); !slices.Equal(got, []integrations.Choice{same("kv")}) {
					t.Errorf("mounts are %+v", got)
				}
				coretest.WantFault(t, r.client.Test(t.Context()), fault.Conflict, "vault.mount_missing", "kv")
			} else {
				_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepMounts})
				coretest.WantFault(t, err, fault.Conflict, "vault.forbidden", "allowed mount")
			}
			_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "shop"})
			coretest.WantFault(t, err, fault.Conflict, "vault.forbidden", "list on kv/metadata/shop/")
			_, err = r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepFields, Mount: "kv", Path: "shop/database"})
			coretest.WantFault(t, err, fault.Conflict, "vault.forbidden", "kv/data/shop/database")
			_, err = r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepFields, Mount: "kv", Path: "shop/cache/redis"})
			coretest.WantFault(t, err, fault.Conflict, "vault.version_deleted")
			r.server.Change(token, func(t *vaultstand.Token) { t.Ended = true })
			for _, step := range []integrations.Step{{Kind: integrations.StepMounts}, {Kind: integrations.StepPaths, Mount: "kv"}, {Kind: integrations.StepFields, Mount: "kv", Path: "shop"}} {
				_, err := r.client.Pick(t.Context(), step)
				coretest.WantFault(t, err, fault.Conflict, "vault.token_invalid")
			}
		})
	}
}

func TestTest(t *testing.T) {
	for allowed, c := range map[string]struct{ code, says string }{
		"": {}, "kv": {}, "team/kv": {},
		"old":  {"vault.mount_kind", "no key-value store of version 2"},
		"pki":  {"vault.mount_kind", "no key-value store of version 2"},
		"none": {"vault.mount_missing", "nothing is mounted at none"},
	} {
		r := newRoom(t, allowed)
		r.furnish()
		err := r.client.Test(t.Context())
		if c.code != "" {
			coretest.WantFault(t, err, fault.Conflict, c.code, c.says)
		} else if err != nil {
			t.Errorf("allowed %q: %v", allowed, err)
		}
	}
	r := newRoom(t, "kv")
	r.server.Change(token, func(t *vaultstand.Token) { t.Refused = []string{"auth/token/lookup-self"} })
	if err := r.client.Test(t.Context()); err != nil {
		t.Errorf("a token that may not look at itself, but reads the mount: %v", err)
	}
}
