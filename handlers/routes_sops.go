package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
)

// SopsDeps is what the age keys of repositories and the secrets files of stacks need.
type SopsDeps struct {
	Keys         api.KeyRotator
	Files        api.SecretsFiles
	Stacks       api.StackFinder
	Repositories api.RepositoryFinder
}

func sopsRoutes(d Deps) []Route {
	s := d.Sops
	const repository, stack = "/api/custom/repositories/{id}", "/api/custom/stacks/{id}"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Status = http.StatusOK
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodPost, repository+"/sops-rotate-key", access.Operate, api.RotateKey(s.Keys), Operation{Tag: "repositories", Summary: "Replace the repository's age key pair",
			Detail:   "Destructive: what is encrypted for the old key, in the repository and in revisions that are kept, can never be decrypted by the server again. What runs goes on; deployments fail until each secrets.yaml is encrypted for the new key and committed.",
			Response: api.RotateKeyAnswer{}, Problems: []int{http.StatusConflict}}),
		row(http.MethodPost, repository+"/sops-encrypt", access.Operate, api.EncryptSecrets(s.Repositories, s.Files), Operation{Tag: "repositories", Summary: "Encrypt values for the repository's age key",
			Detail:  "The answer is a secrets.yaml to be committed beside a stack's wireops.yaml. Nothing of the values is kept.",
			Request: api.EncryptSecretsRequest{}, Response: api.EncryptSecretsAnswer{}, Problems: []int{http.StatusConflict}}),
		row(http.MethodGet, stack+"/sops-env-vars", access.View, api.ListSecretNames(s.Stacks, s.Repositories, s.Files), Operation{Tag: "stacks", Summary: "List the names that the stack's secrets.yaml provides; never a value",
			Detail:   "It is about the newest commit that was fetched. That the file cannot be decrypted is told in the answer: the next deployment would fail with it.",
			Response: api.SecretNamesAnswer{}, Problems: []int{http.StatusConflict}}),
	}
}
