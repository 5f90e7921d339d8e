package githost

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/local/stand/forge"
)

const (
	callback     = "https://berth.test/api/custom/git-providers/x/callback"
	clientSecret = "canary-client-secret"
)

// room is a forge and our side of it.
type room struct {
	t     *testing.T
	forge *forge.Forge
	host  repositories.GitHost
	at    string
}

// kinds are the kinds of forges.
var kinds = []forge.Kind{forge.GitHub, forge.Gitea, forge.GitLab}

func open(t *testing.T, kind forge.Kind, o outbound.Options) *room {
	t.Helper()
	f := &forge.Forge{Kind: kind, ClientID: "client", Secret: clientSecret, Callback: callback, Account: "ada", Organizations: []string{"acme", "zeta"},
		Repositories: []forge.Repository{{Owner: "acme", Name: "shop", Default: "main", Private: true, Branches: []string{"main", "release/1"}},
			{Owner: "acme", Name: "blog", Default: "trunk", Branches: []string{"trunk"}}, {Owner: "ada", Name: "notes", Default: "main", Branches: []string{"main"}}}}
	if kind == forge.GitLab {
		f.Organizations = append(f.Organizations, "acme/tools")
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	hosts, err := New([]config.GitHostApp{{Slug: string(kind), Address: server.URL, Variable: "THE_URL", ClientID: "client", Secret: secrets.NewValue(clientSecret)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &room{t: t, forge: f, host: hosts[0], at: server.URL}
}

// arrive goes to the forge and returns what the browser comes back with.
func (r *room) arrive(t repositories.Trip) url.Values {
	r.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(r.host.AuthorizationURL(t))
	if err != nil {
		r.t.Fatal(err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), callback+"?") {
		r.t.Fatalf("the forge answers %s, and leads to %v", answer.Status, back)
	}
	return back.Query()
}

var journey = repositories.Trip{State: "state", Verifier: strings.Repeat("v", 43), Callback: callback}

func (r *room) connect() repositories.Grant {
	r.t.Helper()
	grant, err := r.host.Exchange(r.t.Context(), journey, r.arrive(journey).Get("code"))
	if err != nil {
		r.t.Fatal(err)
	}
	return grant
}

// wants checks a fault, and that nothing in it is secret.
func (r *room) wants(err error, kind fault.Kind, code string) {
	r.t.Helper()
	if fault.CodeOf(err) != code || fault.KindOf(err) != kind {
		r.t.Errorf("%v, want %v %s", err, kind, code)
	}
	text := fmt.Sprintf("%v %+v %#v", err, err, err)
	for _, secret := range append(r.forge.Tokens(), clientSecret, "canary-") {
		if strings.Contains(text, secret) {
			r.t.Errorf("the fault holds a secret: %s", text)
		}
	}
}

const quick = 300 * time.Millisecond
