package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth/core"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// TestAPushDeploysAtOnce pushes to bare repositories behind git http-backend, whose hooks tell the whole program. Polling
// is an hour away, so that nothing else can have deployed what was pushed.
func TestAPushDeploysAtOnce(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{LocalWorker: true, Environment: map[string]string{"SCAN_INTERVAL": "1h"}})
	s.InsideWorker()
	for sentence, prove := range map[string]func(*testing.T, *rig.Server){
		"a signed call as GitHub makes it, which does nothing when it comes again": pushSigned,
		"a call with a bearer token, by the hook that README has":                  pushBearer,
		"a call with a wrong secret deploys nothing and shows":                     pushRefused,
	} {
		t.Run(sentence, func(t *testing.T) { prove(t, s.For(t)) })
	}
}

// signingHook tells of a push as GitHub does, and keeps each call for later.
const signingHook = `#!/bin/sh
set -e
while read -r old new ref; do
  id=$(cat /proc/sys/kernel/random/uuid)
  printf '{"ref":"%s","before":"%s","after":"%s","deleted":false,"repository":{"default_branch":"main"}}' "$ref" "$old" "$new" >"call-$id"
  signature=$(openssl dgst -sha256 -hmac "$(cat hooks/secret)" -r <"call-$id" | cut -d' ' -f1)
  printf 'Content-Type: application/json\nX-GitHub-Event: push\nX-GitHub-Delivery: %s\nX-Hub-Signature-256: sha256=%s\n' "$id" "$signature" >"header-$id"
  curl -fsS --max-time 30 -H "@header-$id" --data-binary "@call-$id" ADDRESS
done
`

func pushSigned(t *testing.T, s *rig.Server) {
	p := newPusher(t, s, signingHook)
	commit, said := p.push(box(t, "web"), box(t, "more"))
	p.deployed(commit, said)
	d := p.delivery(commit)
	if d.Provider != repositories.ProviderGitHub || d.Event != "push" || d.Ref != "refs/heads/main" || d.Result != repositories.DeliveryAccepted || d.HostID == "" {
		t.Errorf("the delivery is %+v", d)
	}
	before, last := p.stack.Containers(), p.stack.Last()

	again, err := p.run("curl", "-fsS", "-H", "@header-"+d.HostID, "--data-binary", "@call-"+d.HostID, p.address)
	if err != nil || !strings.Contains(again, `"repeated"`) {
		t.Errorf("the same call again was answered %s (%v)", again, err)
	}
	if d = p.delivery(commit); d.Repeats != 1 {
		t.Errorf("after the same call the delivery is %+v", d)
	}
	replay := rig.Post[api.DeliveryAnswer](s.Client, p.deliveries()+"/"+string(d.ID)+"/replay", nil, http.StatusAccepted)
	rig.Until(t, rig.Soon, "the replay's look has ended", func() (bool, string) {
		now := p.all()[0]
		return now.ID == replay.ID && now.LookedAt != nil, now.Reason
	})
	if now := p.stack.Last(); now.ID != last.ID {
		t.Errorf("a replay deployed again: %+v", now)
	}
	wantAnew(t, before, p.stack.Containers())
}

func pushBearer(t *testing.T, s *rig.Server) {
	p := newPusher(t, s, bearerHook(t))
	commit, said := p.push(box(t, "web"), box(t, "more"))
	p.deployed(commit, said)
	if d := p.delivery(commit); d.Provider != repositories.ProviderGeneric || d.Ref != "refs/heads/main" || d.Result != repositories.DeliveryAccepted || !strings.Contains(d.Outcome, commit.Short()) {
		t.Errorf("the delivery is %+v", d)
	}
	if answer := s.Person.Ask(http.MethodGet, "/repositories/"+string(p.repository.ID)+"/webhook", nil); !strings.Contains(string(answer.Body), commit.Short()) {
		t.Errorf("the webhook's page does not show the commit (%d)", answer.Status)
	}
}

func pushRefused(t *testing.T, s *rig.Server) {
	p := newPusher(t, s, signingHook)
	p.write("hooks/secret", "of somebody else", 0o600)
	before := p.stack.Last()
	commit, said := p.push(box(t, "web"), box(t, "more"))
	if !strings.Contains(said, "401") {
		t.Errorf("whoever pushed is told %q", said)
	}
	if hook := rig.Get[api.WebhookAnswer](s.Client, "/api/custom/repositories/"+string(p.repository.ID)+"/webhook"); hook.LastRefusedAt == nil || len(p.all()) != 0 {
		t.Errorf("the webhook shows %+v", hook)
	}
	if now := p.stack.Last(); now.ID != before.ID || p.repository.Now().Head == commit {
		t.Errorf("a call that was refused led to %+v", now)
	}
}

// bearerHook is the hook that README has.
func bearerHook(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```sh\n#!/bin/sh\n# hooks/post-receive")
	hook, _, closed := strings.Cut(rest, "```")
	_, of, named := strings.Cut(hook, "\naddress=")
	example, _, _ := strings.Cut(of, "\n")
	if !found || !closed || !named {
		t.Fatal("README has no hooks/post-receive with its address")
	}
	return "#!/bin/sh\n" + strings.Replace(hook, "address="+example, "address=ADDRESS", 1)
}

// pusher is somebody who pushes to a bare repository, which has a stack and a webhook.
type pusher struct {
	t          *testing.T
	s          *rig.Server
	repository *rig.Repository
	stack      *rig.Stack
	bare, work string
	address    string // of the webhook
}

func newPusher(t *testing.T, s *rig.Server, hook string) *pusher {
	t.Helper()
	name := s.GitRepository(one(compose(box(t, "web"))))
	p := &pusher{t: t, s: s, repository: s.AddRepository(name, ""), bare: s.Git.Dir(name), work: t.TempDir()}
	p.stack = p.repository.On("", "app")
	p.stack.Deployed()
	made := rig.Post[api.NewWebhookSecretAnswer](s.Client, "/api/custom/repositories/"+string(p.repository.ID)+"/webhook/secret", nil, http.StatusCreated)
	p.address = made.URL
	p.write("hooks/secret", made.Secret, 0o600)
	p.write("hooks/berth.header", "Authorization: Bearer "+made.Secret+"\n", 0o600)
	p.write("hooks/post-receive", strings.ReplaceAll(hook, "ADDRESS", made.URL), 0o700)
	p.git(p.bare, "config", "http.receivepack", "true")
	p.git("", "clone", "--quiet", s.Git.URL+s.Git.Path(name), p.work)
	return p
}

// write writes a file of the bare repository.
func (p *pusher) write(name, content string, mode os.FileMode) {
	p.t.Helper()
	path := filepath.Join(p.bare, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		p.t.Fatal(err)
	}
}

// push commits a stack of these services and pushes it over HTTP. said is what git shows of the hook.
func (p *pusher) push(services ...string) (commit core.Commit, said string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.work, "app", "compose.yaml"), []byte(compose(services...)), 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.git(p.work, "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "commit", "--quiet", "--all", "--message=Change")
	said = p.git(p.work, "push", "origin", "HEAD:main")
	return core.Commit(strings.TrimSpace(p.git(p.work, "rev-parse", "HEAD"))), said
}

func (p *pusher) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// run runs a program in the bare repository.
func (p *pusher) run(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Dir = p.bare
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// deployed waits until a commit is in place, which must be the webhook's doing.
func (p *pusher) deployed(commit core.Commit, said string) {
	p.t.Helper()
	p.stack.At(commit)
	if d := p.stack.Decisions()[0]; d.Trigger != stacks.TriggerWebhook || d.Commit != commit || !d.Deployed {
		p.t.Errorf("the decision is %+v; whoever pushed is told %s", d, said)
	}
}

func (p *pusher) deliveries() string {
	return "/api/custom/webhooks/" + string(p.repository.ID) + "/deliveries"
}

func (p *pusher) all() []api.DeliveryAnswer {
	p.t.Helper()
	return rig.Get[endpoint.Items[api.DeliveryAnswer]](p.s.Client, p.deliveries()).Items
}

// delivery waits until the look of the newest delivery has ended, which must be about a commit.
func (p *pusher) delivery(commit core.Commit) (newest api.DeliveryAnswer) {
	p.t.Helper()
	rig.Until(p.t, rig.Soon, "the delivery of "+commit.Short(), func() (bool, string) {
		all := p.all()
		if len(all) == 0 {
			return false, "none came"
		}
		newest = all[0]
		return newest.Commit == commit && newest.LookedAt != nil, newest.Reason
	})
	return newest
}
