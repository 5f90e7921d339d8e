package githost

import (
	"net/http"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/local/stand/forge"
)

const statusCommit = "0123456789abcdef0123456789abcdef01234567"

func (r *room) tell(token secrets.Value, path string, state repositories.StatusState) error {
	c := repositories.CommitStatus{Repository: repositories.Repository{Statuses: repositories.StatusHost(r.forge.Kind)}, Stack: "web", Commit: statusCommit, State: state}
	return Statuses{}.Tell(r.t.Context(), core.GitSource{URL: r.at + path, Username: "ada", Password: token}, c, "https://berth.test/deployments/dep_1")
}

func TestGitHostsAreToldOfCommits(t *testing.T) {
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			r := open(t, kind, outbound.Options{})
			token := r.connect().Access
			for range 2 { // a repeat is as good as one
				for _, state := range []repositories.StatusState{repositories.StatusPending, repositories.StatusSuccess, repositories.StatusFailure, repositories.StatusError} {
					if err := r.tell(token, "/acme/shop.git", state); err != nil {
						t.Fatalf("%s: %v", state, err)
					}
				}
			}
			want := map[forge.Kind]string{forge.GitHub: "pending", forge.Gitea: "pending", forge.GitLab: "running"}[kind]
			if got := r.forge.Statuses()[0]; got != (forge.Status{Repository: "acme/shop", Commit: statusCommit, State: want, Context: "berth/web", Target: "https://berth.test/deployments/dep_1", Description: "Being deployed"}) {
				t.Errorf("it was told %+v", got)
			}
		})
	}
}

func TestAGitHostThatIsNotTold(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		token  string // empty: a good one
		guest  bool
		status int // of every answer; 0: the forge's own
		code   string
		kind   fault.Kind
	}{
		"a token that is no good":      {path: "/acme/shop.git", token: "bad", code: "commit_status.refused", kind: fault.Conflict},
		"a token that may only read":   {path: "/acme/shop.git", guest: true, code: "commit_status.forbidden", kind: fault.Conflict},
		"a repository that is not its": {path: "/acme/none.git", code: "commit_status.forbidden", kind: fault.Conflict},
		"a commit it does not know":    {path: "/acme/shop.git", status: http.StatusUnprocessableEntity, code: "commit_status.unknown", kind: fault.Conflict},
		"a host with a trouble":        {path: "/acme/shop.git", status: http.StatusBadGateway, code: "git_provider.failed", kind: fault.Unavailable},
	} {
		for _, kind := range kinds {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				r := open(t, kind, outbound.Options{})
				token := r.connect().Access
				r.forge.Guest = c.guest
				if c.token != "" {
					token = secrets.NewValue(c.token)
				}
				if c.status != 0 {
					r.forge.Instead = func(w http.ResponseWriter, _ *http.Request) bool {
						http.Error(w, "canary of the host", c.status)
						return true
					}
				}
				err := r.tell(token, c.path, repositories.StatusPending)
				if fault.CodeOf(err) != c.code || !fault.Is(err, c.kind) || strings.Contains(fault.PublicOf(err), "canary") || strings.Contains(err.Error(), token.Reveal()) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
