package githost

import (
	"path/filepath"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/hub/adapter/git"
	"berth/hub/adapter/outbound"
	"berth/local/stand/githost"
)

// TestRepositoriesAreReadWithTheToken: what was connected is what Git is told, as each host wants it.
func TestRepositoriesAreReadWithTheToken(t *testing.T) {
	for _, kind := range kinds {
		served := githost.New(t.TempDir())
		if err := served.Create("shop"); err != nil {
			t.Fatal(err)
		}
		want, err := served.Commit("shop", "main", map[string]string{"compose.yaml": "services: {}\n"}, "first")
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, kind, outbound.Options{})
		r.forge.Git = served
		grant := r.connect()
		remote, err := git.Open(filepath.Join(t.TempDir(), "mirrors"), git.Options{})
		if err != nil {
			t.Fatal(err)
		}
		src := core.GitSource{Repository: core.RepositoryID("rep_00000000000000000000000000"), URL: r.at + "/acme/shop.git", Username: grant.Username, Password: grant.Access}
		if head, err := remote.Head(t.Context(), src); err != nil || string(head.Commit) != want {
			t.Errorf("%s: %s, %v", kind, head, err)
		}
		if head, err := remote.Fetch(t.Context(), src); err != nil || string(head.Commit) != want {
			t.Errorf("%s: %s, %v", kind, head, err)
		}
		r.forge.Revoke()
		_, err = remote.Head(t.Context(), src)
		r.wants(err, fault.Unauthenticated, "git.credential_refused")
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
	}
}
