package githost

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/hub/adapter/outbound"
	"berth/local/stand/forge"
)

func TestPeopleAreSentWithWhatTheHostNeeds(t *testing.T) {
	for kind, scopes := range map[forge.Kind]string{forge.GitHub: "repo read:org", forge.Gitea: "read:user read:organization read:repository", forge.GitLab: "read_api read_repository"} {
		r := open(t, kind, outbound.Options{})
		to, err := url.Parse(r.host.AuthorizationURL(journey))
		if err != nil {
			t.Fatal(err)
		}
		q := to.Query()
		if q.Get("scope") != scopes || q.Get("redirect_uri") != callback || q.Get("state") != "state" || q.Get("client_id") != "client" || q.Get("response_type") != "code" ||
			q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || strings.Contains(to.String(), clientSecret) || strings.Contains(to.String(), journey.Verifier) {
			t.Errorf("%s: %s", kind, to)
		}
	}
}

func TestConnectingAndPicking(t *testing.T) {
	for _, kind := range kinds {
		r := open(t, kind, outbound.Options{})
		r.forge.PageSize = 1 // so that every list has pages
		grant := r.connect()
		if want := map[forge.Kind]string{forge.GitHub: "x-access-token", forge.Gitea: "ada", forge.GitLab: "oauth2"}[kind]; grant.Account != "ada" || grant.Username != want || !grant.ExpiresAt.IsZero() {
			t.Errorf("%s: %s as %s until %v", kind, grant.Account, grant.Username, grant.ExpiresAt)
		}
		organizations, err := r.host.Organizations(t.Context(), grant.Access)
		if err != nil || len(organizations.Items) < 3 || !organizations.Items[0].Own || organizations.Items[0].ID != "ada" || organizations.Items[1].ID != "acme" || organizations.Truncated {
			t.Errorf("%s: organizations %v, %v", kind, organizations, err)
		}
		some, err := r.host.Repositories(t.Context(), grant.Access, "acme")
		want := []repositories.HostRepository{{ID: "acme/blog", Name: "blog", URL: r.at + "/acme/blog.git", Default: "trunk"},
			{ID: "acme/shop", Name: "shop", URL: r.at + "/acme/shop.git", Default: "main", Private: true}}
		if err != nil || !slices.Equal(some.Items, want) {
			t.Errorf("%s: repositories %v, %v", kind, some, err)
		}
		own, err := r.host.Repositories(t.Context(), grant.Access, "Ada")
		if err != nil || len(own.Items) != 1 || own.Items[0].ID != "ada/notes" {
			t.Errorf("%s: own %v, %v", kind, own, err)
		}
		branches, err := r.host.Branches(t.Context(), grant.Access, "acme/shop")
		if err != nil || !slices.Equal(branches.Items, []string{"main", "release/1"}) {
			t.Errorf("%s: branches %v, %v", kind, branches, err)
		}
		_, err = r.host.Repositories(t.Context(), grant.Access, "none")
		r.wants(err, fault.NotFound, "git_provider.not_found")
		_, err = r.host.Branches(t.Context(), grant.Access, "acme/none")
		r.wants(err, fault.NotFound, "git_provider.not_found")
		r.forge.Revoke()
		_, err = r.host.Organizations(t.Context(), grant.Access)
		r.wants(err, fault.Conflict, "git_provider.revoked")
	}
}

func TestCodesThatBringNothing(t *testing.T) {
	for _, kind := range kinds {
		r := open(t, kind, outbound.Options{})
		code := r.arrive(journey).Get("code")
		_, err := r.host.Exchange(t.Context(), journey, "other")
		r.wants(err, fault.Conflict, "git_provider.exchange")
		other := journey
		other.Verifier = strings.Repeat("w", 43)
		_, err = r.host.Exchange(t.Context(), other, code)
		r.wants(err, fault.Conflict, "git_provider.exchange")
		r.forge.Secret = "another"
		_, err = r.host.Exchange(t.Context(), journey, r.arrive(journey).Get("code"))
		r.wants(err, fault.Conflict, "git_provider.exchange")
		if !strings.Contains(fault.PublicOf(err), "client ID or secret") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestFewerRightsAreRefused(t *testing.T) {
	for granted, missing := range map[string]string{"repo": "read:org", "read:org": "repo", "public_repo,read:org": "repo", "user": "read:org and repo"} {
		r := open(t, forge.GitHub, outbound.Options{})
		r.forge.Grant(granted)
		_, err := r.host.Exchange(t.Context(), journey, r.arrive(journey).Get("code"))
		r.wants(err, fault.Conflict, "git_provider.scopes")
		if !strings.Contains(fault.PublicOf(err), missing+" is missing") {
			t.Errorf("%s: %v", granted, err)
		}
	}
	for kind, granted := range map[forge.Kind]string{forge.GitHub: "admin:org repo user", forge.GitLab: "api"} {
		r := open(t, kind, outbound.Options{})
		r.forge.Grant(granted)
		r.connect()
	}
	r := open(t, forge.GitLab, outbound.Options{})
	r.forge.Grant("read_repository")
	_, err := r.host.Exchange(t.Context(), journey, r.arrive(journey).Get("code"))
	r.wants(err, fault.Conflict, "git_provider.scopes")
}

func TestTokensAreRenewedOnce(t *testing.T) {
	for _, kind := range []forge.Kind{forge.Gitea, forge.GitLab} {
		r := open(t, kind, outbound.Options{})
		r.forge.TokenLife = 2 * time.Hour
		grant := r.connect()
		if left := time.Until(grant.ExpiresAt); left < time.Hour || left > 2*time.Hour || grant.Refresh.Empty() {
			t.Fatalf("%s: it expires in %v", kind, left)
		}
		r.forge.Later(3 * time.Hour)
		_, err := r.host.Organizations(t.Context(), grant.Access)
		r.wants(err, fault.Conflict, "git_provider.revoked")
		renewed, err := r.host.Renew(t.Context(), grant.Refresh)
		if err != nil || renewed.Refresh.Reveal() == grant.Refresh.Reveal() {
			t.Fatalf("%s: %v", kind, err)
		}
		if _, err := r.host.Organizations(t.Context(), renewed.Access); err != nil {
			t.Error(err)
		}
		_, err = r.host.Renew(t.Context(), grant.Refresh)
		r.wants(err, fault.Conflict, "git_provider.revoked")
	}
}

func TestGitHubsOwnCloudHasItsAPIElsewhere(t *testing.T) {
	for address, api := range map[string]string{"https://github.com": "https://api.github.com", "https://team.ghe.com": "https://api.team.ghe.com",
		"https://github.example.com": "https://github.example.com/api/v3", "http://ghe:8080": "http://ghe:8080/api/v3"} {
		b, err := newBase(appAt("github", address), outbound.Options{})
		if err != nil {
			t.Fatal(err)
		}
		newGitHub(b)
		if got := b.api.Address + b.root; got != api {
			t.Errorf("%s: %s", address, got)
		}
		if strings.HasPrefix(address, "https://github.com") && (b.facts.Host != "github.com" || b.cloneURL("a b/c") != "https://github.com/a%20b/c.git") {
			t.Errorf("%+v %s", b.facts, b.cloneURL("a b/c"))
		}
	}
	if _, err := newBase(appAt("gitea", "https://git.example.com/sub"), outbound.Options{}); fault.CodeOf(err) != "git_provider.address" || !strings.Contains(err.Error(), "in the variable V") {
		t.Error(err)
	}
}

func appAt(slug, address string) config.GitHostApp {
	return config.GitHostApp{Slug: slug, Address: address, Variable: "V", ClientID: "client"}
}
