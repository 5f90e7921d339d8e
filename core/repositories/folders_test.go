package repositories_test

import (
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/repositories"
)

func TestWhichFoldersAreLacking(t *testing.T) {
	r, browser, app := browsed(t, coretest.GitPush{Files: map[string]string{"apps/web/compose.yaml": "services: {}\n", "README": "hello\n", "logo.png": "\x89PNG\x00"},
		Links: map[string]string{"link": "apps"}})
	fresh := r.add(t, repositories.Draft{Name: "fresh", URL: "https://git.example.com/fresh"})
	folders := repositories.NewFolders(r.Desk, browser)
	for _, c := range []struct {
		id   core.RepositoryID
		path string
		want core.Commit
	}{
		{app.ID, "apps/web", ""}, {app.ID, "apps", ""}, {app.ID, "", ""}, {fresh.ID, "anything", ""}, {"rep_none", "apps", ""},
		{app.ID, "apps/wbe", app.Head}, {app.ID, "README", app.Head}, {app.ID, "logo.png", app.Head}, {app.ID, "link", app.Head},
	} {
		if got := folders.Lacks(t.Context(), c.id, c.path); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.path, c.id, got, c.want)
		}
	}
}
