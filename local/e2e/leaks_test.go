package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// canaries are secrets of stacks, in shapes that are easily overlooked.
var canaries = map[string]string{
	"CANARY_WORD":    "canary-b7f1c9d2e3a45608",
	"CANARY_SIGNS":   "canary $dollar ${brace} \"quote\" 'single' \\back=eq&amp%25",
	"CANARY_LINES":   "canary line one 8c41\ncanary line two 8c42\ncanary line three 8c43\n",
	"CANARY_JSON":    `{"canary":"d41d8cd98f00b204","key":"-----BEGIN-----"}`,
	"CANARY_UNICODE": "canary-grüße-漢字-5f2e",
	"CANARY_LONG":    strings.Repeat("canary-long-0123456789-", 40),
}

// TestSecretsAreNowhere deploys secrets with success and with failures that quote them, and
// then looks for them, and for every credential of the server, wherever it can look.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Environment: map[string]string{"LOG_LEVEL": "debug"}})
	worker := s.Worker()
	s.Secrets["a repository key's password"] = "canary-password-77aa31"
	for name, value := range canaries {
		s.Secrets[name] = value
	}
	listed := "environment:"
	for name := range canaries {
		listed += "\n  - " + name
	}
	// The container says everything that it knows, and its health check does too.
	tells := []string{"command: [sh, -c, 'cat /proc/1/environ; echo; sleep 3600']", listed}
	ill := append(tells, "healthcheck: {test: [CMD-SHELL, 'cat /proc/1/environ; exit 1'], interval: 200ms, timeout: 2s, retries: 2}")
	name := s.GitRepository(map[string]string{
		"well/compose.yaml":  compose(box(t, "web", append(tells, "configs: [{source: inline, target: /inline}]", `labels: ["e2e.plain=label"]`)...)) + "configs: {inline: {content: \"with ${CANARY_WORD}\"}}\n",
		"ill/compose.yaml":   compose(box(t, "web", ill...)),
		"image/compose.yaml": compose(box(t, "web", "image: 127.0.0.1:1/none:${PLAIN}", listed)),
		"place/compose.yaml": compose(box(t, "web", "network_mode: ${CANARY_WORD}")),
	})
	s.Git.Protect(name, "deployer", s.Secrets["a repository key's password"])
	key := rig.Post[api.RepositoryKeyAnswer](s.Client, "/api/custom/repository-keys", api.CreateRepositoryKeyRequest{Name: rig.Name(), Type: repositories.TypeBasic,
		Host: strings.TrimPrefix(s.Git.URL, "http://"), Username: "deployer", Password: s.Secrets["a repository key's password"]}, http.StatusCreated)
	repository := s.AddRepository(name, key.ID)
	all := map[string]*rig.Stack{}
	for folder, want := range map[string]stacks.DeploymentState{"well": stacks.DeploymentSucceeded, "ill": stacks.DeploymentFailed, "image": stacks.DeploymentFailed, "place": stacks.DeploymentFailed} {
		stack := repository.Manual(worker.ID, folder)
		stack.Set("PLAIN", "1")
		for name, value := range canaries {
			stack.SetSecret(name, value)
		}
		if d := stack.Sync(); d.State != want {
			t.Fatalf("%s ended %s: %s", folder, d.State, d.Error)
		}
		all[folder] = stack
	}
	// They are where they belong, or this test would find nothing because nothing was there.
	if got := all["well"].Container("web").Environment(t)["CANARY_LINES"]; got != canaries["CANARY_LINES"] {
		t.Fatalf("the secret arrived as %q", got)
	}
	if text := all["ill"].Now().Error; !strings.Contains(text, "is not healthy") {
		t.Fatalf("the failure says %q", text)
	}
	s.Ask(http.MethodPost, "/api/custom/stacks", `{"name": "`+canaries["CANARY_WORD"]+`", "path": 7}`)

	look := newHunt(t, s.Secrets)
	look.at("the server's log", s.Log.String())
	look.at("the worker's log", worker.Log.String())
	look.answers(s, all)
	look.files("below DATA_DIR", s.Dir)
	look.files("below WORKER_DATA_DIR", worker.Dir)
	look.labels(all)
	look.commandLines()
	s.Stop()
	worker.Stop()
	look.files("below DATA_DIR after the end", s.Dir)
	look.files("below WORKER_DATA_DIR after the end", worker.Dir)
}
