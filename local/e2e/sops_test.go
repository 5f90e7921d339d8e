package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// secretsFile encrypts values for a repository's key, as the page does that offers the file for download.
func secretsFile(r *rig.Repository, values map[string]string) string {
	return rig.Post[api.EncryptSecretsAnswer](r.Client, "/api/custom/repositories/"+string(r.ID)+"/sops-encrypt", api.EncryptSecretsRequest{Values: values}, http.StatusOK).Content
}

func provided(stack *rig.Stack) api.SecretNamesAnswer {
	return rig.Get[api.SecretNamesAnswer](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/sops-env-vars")
}

// secretsFileDeploys: what a repository's secrets.yaml holds reaches the containers byte for byte, a rollback has what
// it held then, and a rotated key takes it away until it is encrypted anew.
func secretsFileDeploys(t *testing.T, s *rig.Server) {
	const file, certificate = "app/secrets.yaml", "-----BEGIN KEY-----\ncanary/one+=\n-----END KEY-----\n"
	repository := s.Repository(one(compose(box(t, "web", "environment: [TOKEN, CERTIFICATE, OWN]"), box(t, "db", "environment: [DB]"), box(t, "none"))))
	if now := repository.Now(); !strings.HasPrefix(now.AgePublicKey, "age1") {
		t.Fatalf("the repository's public key is %q", now.AgePublicKey)
	}
	stack := repository.Manual("", "app")
	stack.SetSecret("TOKEN", "of the variable")
	stack.Set("OWN", "own")
	repository.Until("it is fetched", func(now api.RepositoryAnswer) bool { return now.Head != "" })
	if got := provided(stack); got.Available || got.SourceFile != "" || len(got.Keys) != 0 || got.Error != "" {
		t.Errorf("without a file it says %+v", got)
	}

	first := repository.Commit(map[string]string{file: secretsFile(repository, map[string]string{"TOKEN": "canary-file", "CERTIFICATE": certificate, "DB": "canary-db $X ${Y}"})})
	stack.Synced()
	before := stack.Containers()
	checkEnvironment(t, before["web"], map[string]string{"TOKEN": "canary-file", "CERTIFICATE": certificate, "OWN": "own"})
	checkEnvironment(t, before["db"], map[string]string{"DB": "canary-db $X ${Y}"})
	repository.Until("the commit is fetched", func(now api.RepositoryAnswer) bool { return now.Head == first })
	if got := provided(stack); !got.Available || got.SourceFile != file || !slices.Equal(got.Keys, []string{"CERTIFICATE", "DB", "TOKEN"}) || got.Error != "" {
		t.Errorf("of the file it says %+v", got)
	}

	repository.Commit(map[string]string{file: secretsFile(repository, map[string]string{"TOKEN": "canary-file", "CERTIFICATE": certificate, "DB": "canary-db-2"})})
	plan := s.Ask(http.MethodGet, "/api/custom/stacks/"+string(stack.ID)+"/plan", nil)
	if plan.Status != http.StatusOK || !strings.Contains(string(plan.Body), `"DB"`) || strings.Contains(string(plan.Body), "canary") {
		t.Errorf("the plan answers %d: %s", plan.Status, plan.Body)
	}
	stack.Synced()
	after := stack.Containers()
	wantAnew(t, before, after, "db")
	checkEnvironment(t, after["db"], map[string]string{"DB": "canary-db-2"})

	if d := wished(t, stack, "rollback", map[string]int{"revision": 1}); d.State != stacks.DeploymentSucceeded {
		t.Fatalf("the rollback is %+v", d)
	}
	checkEnvironment(t, stack.Container("db"), map[string]string{"DB": "canary-db $X ${Y}"})

	running := stack.Containers()
	rotated := rig.Post[api.RotateKeyAnswer](s.Client, "/api/custom/repositories/"+string(repository.ID)+"/sops-rotate-key", nil, http.StatusOK)
	if now := repository.Now(); now.AgePublicKey != rotated.PublicKey {
		t.Errorf("the key is %s, and %s was answered", now.AgePublicKey, rotated.PublicKey)
	}
	d := wished(t, stack, "sync", nil)
	if d.State != stacks.DeploymentFailed || d.ErrorCode != "sops.other_recipients" || !strings.Contains(d.Error, rotated.PublicKey) || strings.Contains(d.Error, "canary") {
		t.Fatalf("with another key the deployment is %+v", d)
	}
	wantAnew(t, running, stack.Containers())
	if got := provided(stack); got.Available || len(got.Keys) != 3 || !strings.Contains(got.Error, rotated.PublicKey) {
		t.Errorf("of the file with another key it says %+v", got)
	}

	repository.Commit(map[string]string{file: secretsFile(repository, map[string]string{"TOKEN": "canary-file", "CERTIFICATE": certificate, "DB": "canary-db-3"})})
	stack.Synced()
	checkEnvironment(t, stack.Container("db"), map[string]string{"DB": "canary-db-3"})
	for _, path := range []string{"/api/custom/repositories/" + string(repository.ID) + "/files?path=" + file, "/api/custom/stacks/" + string(stack.ID) + "/deployments"} {
		if answer := s.Ask(http.MethodGet, path, nil); answer.Status != http.StatusOK || strings.Contains(string(answer.Body), "canary") {
			t.Errorf("%s answers %d, perhaps with a value", path, answer.Status)
		}
	}
}
