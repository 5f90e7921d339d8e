//go:build realgitea

package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
	"berth/local/stand/realgitea"
)

// giteaSite is the whole program beside a real Gitea, in which it is known as an application.
type giteaSite struct {
	*rig.Server
	gitea *realgitea.Server
}

const giteaOrganization = "shipping"

// TestRealGitea follows repositories of a real Gitea in each way that there is. Polling is an hour away, so that nothing
// is read but when somebody asks or the webhook tells.
func TestRealGitea(t *testing.T) {
	g, port := realgitea.Start(t), rig.FreePort(t)
	g.Must(http.MethodPost, "/orgs", map[string]any{"username": giteaOrganization}, nil)
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	g.Must(http.MethodPost, "/user/applications/oauth2", map[string]any{"name": "Berth", "confidential_client": true,
		"redirect_uris": []string{"http://127.0.0.1:" + port + "/api/custom/git-providers/gitea/callback"}}, &app)
	s := rig.Start(t, rig.Options{Web: port, LocalWorker: true, Environment: map[string]string{"SCAN_INTERVAL": "1h", "ALLOWED_PRIVATE_IP_RANGES": "127.0.0.0/8",
		"GIT_OAUTH_GITEA_URL": g.URL, "GIT_OAUTH_GITEA_CLIENT_ID": app.ID, "GIT_OAUTH_GITEA_CLIENT_SECRET": app.Secret}})
	s.InsideWorker()
	for sentence, prove := range map[string]func(*testing.T, giteaSite){
		"a password opens a repository, a wrong one does not":            giteaPassword,
		"a token that may read opens it, until it is revoked":            giteaToken,
		"a key over SSH opens it, the host's key accepted":               giteaSSH,
		"its webhook deploys a push and nothing else":                    giteaWebhook,
		"renamed, it is followed; without its branch, or gone, it shows": giteaMoves,
		"OAuth connects it, lists what is there and renews":              giteaOAuth,
	} {
		t.Run(sentence, func(t *testing.T) { prove(t, giteaSite{s.For(t), g}) })
	}
}

// key makes a repository key for Gitea.
func (g giteaSite) key(ask api.CreateRepositoryKeyRequest) api.RepositoryKeyAnswer {
	g.T.Helper()
	ask.Name = rig.Name()
	if ask.Host == "" {
		ask.Host = strings.TrimPrefix(g.gitea.URL, "http://")
	}
	return rig.Post[api.RepositoryKeyAnswer](g.Client, "/api/custom/repository-keys", ask, http.StatusCreated)
}

// repository makes one at Gitea and adds it with a key. It is private, so that reading it proves the key.
func (g giteaSite) repository(owner, address string, key core.CredentialID) (*rig.Repository, string) {
	g.T.Helper()
	name := rig.Name()
	at := g.gitea.Repository(owner, name, one(compose(box(g.T.(*testing.T), "web"))))
	if address != "" {
		at = address + owner + "/" + name + ".git"
	}
	return g.AddRepositoryAt(name, at, key), name
}

// reads waits until a repository is read.
func (g giteaSite) reads(r *rig.Repository) {
	g.T.Helper()
	r.Until("the repository is read", func(now api.RepositoryAnswer) bool {
		return now.ErrorCode == "" && now.Head != "" && now.AskedAt == nil
	})
}

// refused looks at a repository, which must be refused.
func (g giteaSite) refused(r *rig.Repository) {
	g.T.Helper()
	rig.Post[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID)+"/sync", nil, http.StatusAccepted)
	r.Until("the repository is refused", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "git.credential_refused" })
}

func giteaPassword(t *testing.T, g giteaSite) {
	right := g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeBasic, Username: realgitea.Owner, Password: g.gitea.Password})
	wrong := g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeBasic, Username: realgitea.Owner, Password: "another"})
	r, _ := g.repository(realgitea.Owner, "", wrong.ID)
	g.refused(r)
	rig.Patch[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID), api.UpdateRepositoryRequest{CredentialID: &right.ID})
	g.reads(r)
	stack := r.On("", "app")
	if d := stack.Deployed(); d.Commit != r.Now().Head {
		t.Errorf("commit %s is in place, the head is %s", d.Commit, r.Now().Head)
	}
}

func giteaToken(t *testing.T, g giteaSite) {
	var token struct{ SHA1 string }
	const all = "/users/" + realgitea.Owner + "/tokens"
	g.gitea.Must(http.MethodPost, all, map[string]any{"name": "berth", "scopes": []string{"read:repository"}}, &token)
	r, _ := g.repository(realgitea.Owner, "", g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeBasic, Username: realgitea.Owner, Password: token.SHA1}).ID)
	g.reads(r)
	g.gitea.Must(http.MethodDelete, all+"/berth", nil, nil)
	g.refused(r)
}

func giteaSSH(t *testing.T, g giteaSite) {
	key := g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeSSH, Host: g.gitea.SSH, Generate: true})
	r, _ := g.repository(realgitea.Owner, "ssh://git@"+g.gitea.SSH+"/", key.ID)
	r.Until("nobody accepted the host's key", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "git.host_key_unknown" })
	host, port := sshAddress(t, g.gitea.SSH)
	scan := rig.Post[api.KeyscanAnswer](g.Client, "/api/custom/repository-keys/keyscan", api.KeyscanRequest{Host: host, Port: port}, http.StatusOK)
	ask := api.AcceptSSHHostRequest{Host: host, Port: port}
	for _, k := range scan.Keys {
		ask.Keys = append(ask.Keys, api.AcceptedHostKey{Type: k.Type, Key: k.Key})
	}
	if answer := g.Ask(http.MethodPut, "/api/custom/repository-keys/hosts", ask); answer.Status != http.StatusOK {
		t.Fatalf("accepting %d keys: %d %s", len(ask.Keys), answer.Status, answer.Body)
	}
	r.Until("Gitea does not know the key", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "git.credential_refused" })
	g.gitea.Must(http.MethodPost, "/user/keys", map[string]any{"title": "Berth", "key": key.PublicKey, "read_only": true}, nil)
	rig.Post[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID)+"/sync", nil, http.StatusAccepted)
	g.reads(r)
}

func giteaWebhook(t *testing.T, g giteaSite) {
	r, name := g.repository(realgitea.Owner, "", g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeBasic, Username: realgitea.Owner, Password: g.gitea.Password}).ID)
	stack := r.On("", "app")
	stack.Deployed()
	made := rig.Post[api.NewWebhookSecretAnswer](g.Client, "/api/custom/repositories/"+string(r.ID)+"/webhook/secret", nil, http.StatusCreated)
	const all = "/repos/" + realgitea.Owner + "/"
	g.gitea.Must(http.MethodPost, all+name+"/hooks", map[string]any{"type": "gitea", "active": true, "events": []string{"push"},
		"config": map[string]string{"url": made.URL, "content_type": "json", "secret": made.Secret}}, nil)
	commit := core.Commit(g.gitea.Commit(realgitea.Owner, name, one(compose(box(t, "web"), box(t, "more")))))
	stack.At(commit)
	if d := stack.Decisions()[0]; d.Trigger != stacks.TriggerWebhook || d.Commit != commit {
		t.Errorf("the decision is %+v", d)
	}
	log := func() []api.DeliveryAnswer {
		return rig.Get[endpoint.Items[api.DeliveryAnswer]](g.Client, "/api/custom/webhooks/"+string(r.ID)+"/deliveries").Items
	}
	if d := log()[0]; d.Provider != repositories.ProviderGitea || d.Event != "push" || d.Result != repositories.DeliveryAccepted || d.Commit != commit || d.HostID == "" {
		t.Errorf("the delivery is %+v", d)
	}
	last := stack.Last()
	g.gitea.Must(http.MethodPost, all+name+"/branches", map[string]string{"new_branch_name": "other", "old_branch_name": "main"}, nil)
	rig.Until(t, rig.Soon, "a push to another branch is ignored", func() (bool, string) {
		newest := log()[0]
		return newest.Ref == "refs/heads/other" && newest.Result == repositories.DeliveryIgnored, newest.Reason
	})
	var hooks []struct{ ID int }
	g.gitea.Must(http.MethodGet, all+name+"/hooks", nil, &hooks)
	g.gitea.Must(http.MethodPost, fmt.Sprintf("%s%s/hooks/%d/tests", all, name, hooks[0].ID), nil, nil)
	rig.Until(t, rig.Soon, "the test that its page offers is looked at", func() (bool, string) {
		newest := log()[0]
		return newest.Result == repositories.DeliveryAccepted && newest.Ref == "refs/heads/main" && newest.LookedAt != nil, newest.Reason
	})
	if now := stack.Last(); now.ID != last.ID {
		t.Errorf("they led to %+v", now)
	}
}

func giteaMoves(t *testing.T, g giteaSite) {
	key := g.key(api.CreateRepositoryKeyRequest{Type: repositories.TypeBasic, Username: realgitea.Owner, Password: g.gitea.Password}).ID
	r, name := g.repository(realgitea.Owner, "", key)
	stack := r.On("", "app")
	stack.Deployed()
	before, in := stack.Containers(), stack.Now()
	at := func(name string) string { return "/repos/" + realgitea.Owner + "/" + name }
	look := func(what string, holds func(api.RepositoryAnswer) bool) {
		t.Helper()
		rig.Post[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID)+"/sync", nil, http.StatusAccepted)
		r.Until(what, func(now api.RepositoryAnswer) bool { return now.AskedAt == nil && holds(now) })
	}

	renamed := name + "-renamed"
	g.gitea.Must(http.MethodPatch, at(name), map[string]string{"name": renamed}, nil)
	moved := g.gitea.URL + "/" + realgitea.Owner + "/" + renamed // Gitea leaves .git away
	look("the new address shows", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "" && now.MovedTo == moved })

	g.gitea.Must(http.MethodPatch, at(renamed)+"/branches/main", map[string]string{"name": "trunk"}, nil)
	look("the branch is missing", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "git.branch_missing" })
	trunk := "trunk"
	rig.Patch[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID), api.UpdateRepositoryRequest{Branch: &trunk})
	g.reads(r)

	g.gitea.Must(http.MethodDelete, at(renamed), nil, nil)
	look("the repository is missing", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "git.repository_missing" })
	wantAnew(t, before, stack.Containers())
	if now := stack.Now(); now.Revision != in.Revision || now.Commit != in.Commit {
		t.Errorf("the stack shows %+v, want it as it was: %+v", now, in)
	}
}

func giteaOAuth(t *testing.T, g giteaSite) {
	g.gitea.Repository(giteaOrganization, "parcels", one(compose(box(t, "web"))))
	g.gitea.Must(http.MethodPost, "/repos/"+giteaOrganization+"/parcels/branches", map[string]string{"new_branch_name": "next", "old_branch_name": "main"}, nil)
	const of = "/api/custom/git-providers/gitea/"
	away := g.Person.Ask(http.MethodGet, of+"connect", nil)
	back, err := url.Parse(g.gitea.SignIn().Grant(away.Header.Get("Location")))
	if err != nil || away.Status != http.StatusFound {
		t.Fatal(away.Status, err)
	}
	if home := g.Person.Ask(http.MethodGet, back.RequestURI(), nil); home.Status != http.StatusSeeOther {
		t.Fatalf("the way back from Gitea: %d %s", home.Status, home.Body)
	}
	connected := time.Now()
	keys := rig.Get[endpoint.Items[api.RepositoryKeyAnswer]](g.Client, "/api/custom/repository-keys?limit=500").Items
	key := api.RepositoryKeyAnswer{}
	for _, k := range keys {
		if k.Type == repositories.TypeOAuth {
			key = k
		}
	}
	if key.Account != realgitea.Owner {
		t.Fatalf("the keys are %+v", keys)
	}
	list := func(what string) string {
		answer := g.Person.Ask(http.MethodGet, of+what, nil)
		if answer.Status != http.StatusOK {
			t.Errorf("GET %s: %d %s", what, answer.Status, answer.Body)
		}
		return string(answer.Body)
	}
	for what, wants := range map[string][]string{
		"organizations": {`"id":"` + realgitea.Owner + `"`, `"id":"` + giteaOrganization + `"`},
		"repositories?organization=" + giteaOrganization:          {`"id":"` + giteaOrganization + `/parcels"`, `"default_branch":"main"`, `"private":true`},
		"branches?repository=" + giteaOrganization + "%2Fparcels": {`"name":"main"`, `"name":"next"`},
	} {
		for _, want := range wants {
			if got := list(what); !strings.Contains(got, want) {
				t.Errorf("%s gives %s, which lacks %s", what, got, want)
			}
		}
	}
	r := g.AddRepositoryAt(rig.Name(), g.gitea.URL+"/"+giteaOrganization+"/parcels.git", key.ID)
	g.reads(r)
	rig.Until(t, rig.Soon, "the first token has expired", func() (bool, string) {
		return time.Since(connected) > realgitea.TokenLife+time.Second, ""
	})
	if got := list("organizations"); !strings.Contains(got, giteaOrganization) {
		t.Errorf("after the token had expired: %s", got)
	}
	commit := core.Commit(g.gitea.Commit(giteaOrganization, "parcels", map[string]string{"README.md": "more\n"}))
	rig.Post[api.RepositoryAnswer](g.Client, "/api/custom/repositories/"+string(r.ID)+"/sync", nil, http.StatusAccepted)
	r.Until("the new commit is read", func(now api.RepositoryAnswer) bool { return now.Head == commit })
}
