package e2e_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// canaries are secrets in shapes that are easily overlooked, one of each for a provider.
func canaries(provider string) map[string]string {
	of := func(text string) string { return strings.ReplaceAll(text, "canary", "canary-"+provider) }
	all := map[string]string{
		"WORD":    "canary-b7f1c9d2e3a45608",
		"SIGNS":   "canary $dollar ${brace} \"quote\" 'single' \\back=eq&amp%25",
		"LINES":   "canary line one 8c41\ncanary line two 8c42\ncanary line three 8c43\n",
		"WINDOWS": "canary line one 9d51\r\ncanary line two 9d52\r\n",
		"JSON":    `{"canary":"d41d8cd98f00b204","key":"-----BEGIN-----"}`,
		"UNICODE": "canary-grüße-漢字-5f2e",
		"LONG":    strings.Repeat("canary-long-0123456789-", 40),
		"URL":     "postgres://shop:canary%2Fp%40ss@db.example:5432/shop?sslmode=require&x=<y>",
		"PEM":     "-----BEGIN PRIVATE KEY-----\n" + of("MIIcanaryVQIBADANBgkqhkiG9w0BAQ") + "\n" + of("EFAASCAT8wggE7AgEAAkEAcanaryq1") + "\n-----END PRIVATE KEY-----\n",
		"TABS":    "\tcanary\tbetween tabs 77c1\t",
		"BLANKS":  "  canary with blanks at both ends 18aa  ",
		"QUOTES":  "'canary''it''s\"7e21\"",
		"EQUALS":  "canary==c2VjcmV0==",
		"SHELL":   "canary;$(id)`id`|&&#!4417",
		"YAML":    "canary: {a: [b, *c]} # not a comment 55f0",
	}
	for name, value := range all {
		all[name] = of(value)
	}
	return all
}

// TestSecretsAreNowhere deploys secrets of every provider with success and with failures that quote them,
// rolls them back, and then looks for them, and for every credential of the server, wherever it can look.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Environment: map[string]string{"LOG_LEVEL": "debug", "SECRETS_INTERVAL": "1s"}})
	worker := s.Worker()
	s.Secrets["a repository key's password"] = "canary-password-77aa31"
	backends := startBackends(t, s)
	listed := "environment:"
	for _, provider := range providers {
		for shape, value := range canaries(provider) {
			s.Secrets[variable(provider, shape)] = value
			listed += "\n  - " + variable(provider, shape)
		}
	}
	// The container says everything that it knows in every way that it can, and its health check does too.
	tells := []string{"command: [sh, -c, 'cat /proc/1/environ; env; base64 -w 0 /proc/1/environ; (echo -n x; cat /proc/1/environ) | base64 -w 0; (echo -n xy; cat /proc/1/environ) | base64 -w 0; " +
		"hexdump -ve \"1/1 \\\"%02x\\\"\" /proc/1/environ; cat /run/secrets/*; sleep 3600']", listed, "secrets: [word, pem, lines, json]"}
	ill := append(tells, "healthcheck: {test: [CMD-SHELL, 'cat /proc/1/environ; exit 1'], interval: 200ms, timeout: 2s, retries: 2}")
	files := "secrets:\n  word: {environment: CANARY_INTERNAL_WORD}\n  pem: {environment: CANARY_VAULT_PEM}\n  lines: {environment: CANARY_MANAGER_LINES}\n  json: {environment: CANARY_SOPS_JSON}\n"
	name := s.GitRepository(map[string]string{
		"well/compose.yaml":  compose(box(t, "web", append(tells, "configs: [{source: inline, target: /inline}]", `labels: ["e2e.plain=label"]`)...)) + files + "configs: {inline: {content: \"with ${CANARY_VAULT_WORD}\"}}\n",
		"ill/compose.yaml":   compose(box(t, "web", ill...)) + files,
		"image/compose.yaml": compose(box(t, "web", "image: 127.0.0.1:1/none:${PLAIN}", listed)),
		"place/compose.yaml": compose(box(t, "web", "network_mode: ${CANARY_SOPS_WORD}", listed)),
		"job/job.yaml":       job(t, telling),
	})
	s.Git.Protect(name, "deployer", s.Secrets["a repository key's password"])
	key := rig.Post[api.RepositoryKeyAnswer](s.Client, "/api/custom/repository-keys", api.CreateRepositoryKeyRequest{Name: rig.Name(), Type: repositories.TypeBasic,
		Host: strings.TrimPrefix(s.Git.URL, "http://"), Username: "deployer", Password: s.Secrets["a repository key's password"]}, http.StatusCreated)
	repository := s.AddRepository(name, key.ID)
	encrypted := rig.Post[api.EncryptSecretsAnswer](s.Client, "/api/custom/repositories/"+string(repository.ID)+"/sops-encrypt", api.EncryptSecretsRequest{Values: named("sops")}, http.StatusOK)
	all := map[string]*rig.Stack{}
	for folder, want := range map[string]stacks.DeploymentState{"well": stacks.DeploymentSucceeded, "ill": stacks.DeploymentFailed, "image": stacks.DeploymentFailed, "place": stacks.DeploymentFailed} {
		repository.Commit(map[string]string{folder + "/" + encrypted.Filename: encrypted.Content})
		stack := repository.Manual(worker.ID, folder)
		stack.Set("PLAIN", "1")
		for name, value := range named("internal") {
			stack.SetSecret(name, value)
		}
		backends.refer(stack)
		if d := stack.Sync(); d.State != want {
			t.Fatalf("%s ended %s: %s", folder, d.State, d.Error)
		}
		all[folder] = stack
	}
	// They are where they belong, or this test would find nothing because nothing was there.
	web := all["well"].Container("web")
	environment := web.Environment(t)
	for _, provider := range providers {
		for name, value := range named(provider) {
			if environment[name] != value {
				t.Errorf("%s arrived as %q", name, environment[name])
			}
		}
	}
	for file, want := range map[string]string{"word": named("internal")["CANARY_INTERNAL_WORD"], "pem": named("vault")["CANARY_VAULT_PEM"], "lines": named("manager")["CANARY_MANAGER_LINES"], "json": named("sops")["CANARY_SOPS_JSON"]} {
		if got := web.Read(t, "/run/secrets/"+file); got != want {
			t.Errorf("the file %s holds %q", file, got)
		}
	}
	if text := all["ill"].Now().Error; !strings.Contains(text, "is not healthy") {
		t.Fatalf("the failure says %q", text)
	}
	goBackAndForth(repository, all["well"])
	ran := backends.runs(repository.Job("job").Read())
	backends.break_(all["well"])
	s.Ask(http.MethodPost, "/api/custom/stacks", `{"name": "`+named("internal")["CANARY_INTERNAL_WORD"]+`", "path": 7}`)

	look := newHunt(t, s.Secrets)
	look.at("the server's log", s.Log.String())
	look.at("the worker's log", worker.Log.String())
	look.at("what a panic would print", everyGoroutine())
	look.backup(s)
	look.answers(s, all, append(ran, "/api/custom/backups")...)
	look.pages(s)
	look.files("below DATA_DIR", s.Dir)
	look.files("below WORKER_DATA_DIR", worker.Dir)
	look.labels(all)
	look.processes()
	s.Stop()
	worker.Stop()
	look.files("below DATA_DIR after the end", s.Dir)
	look.files("below WORKER_DATA_DIR after the end", worker.Dir)
	t.Logf("looked for %d texts of %d secrets in %d places", len(look.forms), len(s.Secrets), look.places)
}

// telling has a run say everything that it knows in every way that it can.
const telling = `command: [sh, -c, 'cat /proc/1/environ; busybox env; busybox base64 -w 0 /proc/1/environ; (echo -n x; cat /proc/1/environ) | busybox base64 -w 0; (echo -n xy; cat /proc/1/environ) | busybox base64 -w 0; ` +
	`busybox hexdump -ve "1/1 \"%02x\"" /proc/1/environ; cat /proc/1/environ >&2; exit 3']`

// runs runs a job with secrets of every provider that jobs have, one of which is given for one run alone, and returns where
// the API tells of it.
func (b *backends) runs(j *rig.Job) (paths []string) {
	t := b.s.T
	t.Helper()
	for name, value := range named(secrets.Internal) {
		j.Set(name, value, true)
	}
	for name := range named(secrets.Vault) {
		j.Refer(name, secrets.Vault, "kv/data/shop/web#"+name)
	}
	for name := range named(secrets.Manager) {
		j.Refer(name, secrets.Manager, "shop/prod/web#"+name)
	}
	b.s.Secrets["what was given for one run"] = "canary-given-for-one-run-77c0"
	j.Set("GIVEN", "replaced", true)
	run := j.Run(map[string]string{"GIVEN": b.s.Secrets["what was given for one run"]})
	if log := j.LogOf(run.ID); run.ErrorCode != "run.exit" || strings.Count(log, secrets.Redacted) < 100 {
		t.Errorf("the run ended as %+v; its log is %q", run, log)
	}
	of, one := "/api/custom/jobs/"+string(j.ID), "/api/custom/job-runs/"+string(run.ID)
	return []string{of, of + "/runs", one, one + "/log?limit=500", one + "/stream", "/api/custom/variables?scope=job&scope_id=" + string(j.ID)}
}

// goBackAndForth deploys another commit and rolls back to the first revision.
func goBackAndForth(r *rig.Repository, stack *rig.Stack) {
	r.Commit(map[string]string{"well/wireops.yaml": "version: wireops.v1\n"})
	stack.Synced()
	d := rig.Post[api.DeploymentAnswer](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/rollback?wait=150s", api.RollbackRequest{Revision: 1}, http.StatusAccepted)
	if d.State != stacks.DeploymentSucceeded {
		stack.T.Fatalf("the rollback ended %s: %s", d.State, d.Error)
	}
}

// everyGoroutine is what a program that dies of a panic leaves in its log.
func everyGoroutine() string {
	text := make([]byte, 16<<20)
	return string(text[:runtime.Stack(text, true)])
}
