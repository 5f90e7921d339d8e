package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/secrets"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

const (
	unboundVault = "CANARY_VAULT_WORD"
	alsoVault    = "CANARY_VAULT_JSON"
)

// TestABackendThatIsBackNeedsNoClick follows a stack that names a vault which is disabled, away, and back,
// and then a secret that gets a new value there.
func TestABackendThatIsBackNeedsNoClick(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{LocalWorker: true, Environment: map[string]string{"SECRETS_INTERVAL": "1s"}})
	b := startBackends(t, s)
	repository := s.Repository(map[string]string{
		"app/compose.yaml": compose(box(t, "user", "environment: ["+unboundVault+", "+alsoVault+"]"), box(t, "other")),
		"app/wireops.yaml": "version: wireops.v1\nsecrets: {redeploy_on_rotation: true}\n"})
	stack := repository.Manual("", "app")
	b.set(stack, secrets.Vault, unboundVault, "kv/data/shop/web#"+unboundVault)
	b.set(stack, secrets.Vault, alsoVault, "kv/data/shop/web#"+alsoVault)
	b.configure(secrets.Vault, false, nil)
	on := true
	rig.Patch[api.StackAnswer](s.Client, "/api/custom/stacks/"+string(stack.ID), api.UpdateStackRequest{AutoSync: &on})
	d := stack.Sync()
	if d.State != stacks.DeploymentFailed || d.ErrorCode != "secret.unresolved" {
		t.Fatalf("with the vault disabled the deployment ended %s (%s): %s", d.State, d.ErrorCode, d.Error)
	}
	for _, want := range []string{"provider vault", alsoVault + ", " + unboundVault, "not enabled", "Settings, Integrations"} {
		if !strings.Contains(d.Error, want) {
			t.Errorf("the failure does not say %q: %s", want, d.Error)
		}
	}
	if len(stack.Containers()) > 0 {
		t.Error("something was deployed")
	}
	b.configure(secrets.Vault, true, nil)
	stack.Until("it was deployed by itself", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive })
	before := stack.Containers()
	if got := before["user"].Environment(t)[unboundVault]; got != named(secrets.Vault)[unboundVault] {
		t.Fatalf("the secret arrived as %q", got)
	}

	fields := map[string]any{}
	for name, value := range named(secrets.Vault) {
		fields[name] = value
	}
	fields[unboundVault] = "canary-rotated-2d77"
	b.vault.Put("kv", "shop/web", fields)
	rig.Until(t, rig.Deploying, "the new value is in place", func() (bool, string) {
		last := stack.Last()
		return last.Trigger == stacks.TriggerRotation && last.State == stacks.DeploymentSucceeded, last.Error
	})
	after := stack.Containers()
	wantAnew(t, before, after, "user")
	if got := after["user"].Environment(t)[unboundVault]; got != "canary-rotated-2d77" {
		t.Errorf("after the rotation the secret is %q", got)
	}
	if after["user"].Environment(t)[alsoVault] != named(secrets.Vault)[alsoVault] {
		t.Error("the other secret has changed")
	}

	// Without the wish in the manifest it is said, and stays until somebody deploys.
	stack.At(repository.Commit(map[string]string{"app/wireops.yaml": "version: wireops.v1\n"}))
	fields[unboundVault] = "canary-rotated-again-91b0"
	b.vault.Put("kv", "shop/web", fields)
	stale := func() (names string) {
		for _, v := range rig.Get[api.EffectiveAnswer](s.Client, "/api/custom/stacks/"+string(stack.ID)+"/effective-variables").Variables {
			if v.StaleSince != nil {
				names += v.Name + " in " + strings.Join(v.Services, ",")
			}
		}
		return names
	}
	rig.Until(t, rig.Soon, "the older value is noticed", func() (bool, string) { return stale() == unboundVault+" in user", stale() })
	if answer := s.Ask(http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+"/redeploy?wait=150s", nil); answer.Status != http.StatusAccepted {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	if stale() != "" || stack.Container("user").Environment(t)[unboundVault] != "canary-rotated-again-91b0" {
		t.Errorf("after a redeployment %q is older", stale())
	}
}
