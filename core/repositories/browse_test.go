package repositories_test

import (
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
)

// browsed is a repository that was fetched, with a browser on its mirror.
func browsed(t *testing.T, push coretest.GitPush) (*room, repositories.Browser, repositories.Repository) {
	t.Helper()
	r := open(t)
	r.git.Push(address, push)
	got := r.fetch(t, r.add(t, repositories.Draft{Name: "app", URL: address}))
	return r, repositories.NewBrowser(r.git), got
}

func TestShowGivesFoldersAndTextFiles(t *testing.T) {
	_, browser, repository := browsed(t, coretest.GitPush{
		Files: map[string]string{"README": "hello\n", "apps/web/compose.yaml": "services: {}\n", "apps/web/logo.png": "\x89PNG\x00", "apps/latin": "caf\xe9",
			"apps/large": strings.Repeat("x", repositories.MaxShownFile), "apps/larger": strings.Repeat("x", repositories.MaxShownFile+1), "b/c": "1"},
		Links: map[string]string{"apps/link": "/etc/passwd"}})
	folders := map[string]string{
		"":         "apps/ b/ README:6",
		".":        "apps/ b/ README:6",
		"apps":     "web/ large:262144 larger:262145 latin:4 link:11@",
		"apps/web": "compose.yaml:13 logo.png:5",
	}
	for path, want := range folders {
		t.Run("folder "+path, func(t *testing.T) {
			shown, err := browser.Show(t.Context(), repository, "", path)
			if err != nil || !shown.Folder || shown.Commit != repository.Head || shown.Truncated || shown.Content != "" {
				t.Fatalf("%+v, %v", shown, err)
			}
			if got := describe(shown.Entries); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	shown, err := browser.Show(t.Context(), repository, repository.Head, "apps/web/compose.yaml")
	if err != nil || shown.Folder || shown.Content != "services: {}\n" || shown.Path != "apps/web/compose.yaml" {
		t.Errorf("%+v, %v", shown, err)
	}
	if shown, err = browser.Show(t.Context(), repository, "", "apps/large"); err != nil || len(shown.Content) != repositories.MaxShownFile {
		t.Errorf("%d bytes, %v", len(shown.Content), err)
	}
	refused := map[string]struct {
		commit core.Commit
		path   string
		code   string
	}{
		"a file that is no text":     {"", "apps/web/logo.png", "repository.not_text"},
		"a file in other characters": {"", "apps/latin", "repository.not_text"},
		"a file that is too large":   {"", "apps/larger", "git.file_too_large"},
		"a link":                     {"", "apps/link", "git.not_a_file"},
		"nothing there":              {"", "none", "git.path_missing"},
		"climbing out":               {"", "../x", "git.path"},
		"a name that moves":          {"main", "README", "repository.bad_commit"},
		"half a hash":                {repository.Head[:10], "README", "repository.bad_commit"},
		"another commit":             {core.Commit(strings.Repeat("0", 40)), "README", "git.commit_missing"},
	}
	for name, c := range refused {
		t.Run(name, func(t *testing.T) {
			shown, err := browser.Show(t.Context(), repository, c.commit, c.path)
			if fault.CodeOf(err) != c.code {
				t.Errorf("%+v, %v; want %s", shown, err, c.code)
			}
		})
	}
}

func describe(entries []repositories.Entry) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = fmt.Sprintf("%s:%d", e.Name, e.Size)
		if e.Folder {
			texts[i] = e.Name + "/"
		}
		if e.Link {
			texts[i] += "@"
		}
	}
	return strings.Join(texts, " ")
}

func TestShowBoundsAFolder(t *testing.T) {
	files := map[string]string{}
	for i := range 5001 {
		files[fmt.Sprintf("f%04d", i)] = ""
	}
	_, browser, repository := browsed(t, coretest.GitPush{Files: files})
	shown, err := browser.Show(t.Context(), repository, "", "")
	if err != nil || len(shown.Entries) != 5000 || !shown.Truncated || shown.Entries[4999].Name != "f4999" {
		t.Errorf("%d entries, truncated %v, %v", len(shown.Entries), shown.Truncated, err)
	}
}

func TestDiscoverFindsStacksAndJobs(t *testing.T) {
	_, browser, repository := browsed(t, coretest.GitPush{
		Files: map[string]string{"compose.yml": "", "apps/web/wireops.yaml": "", "apps/web/compose.yaml": "", "apps/api/docker-compose.yml": "", "jobs/clean/job.yaml": "",
			"both/job.yaml": "", "both/wireops.yml": "", "docs/compose.yaml.md": "", "docs/mycompose.yaml": ""},
		Links: map[string]string{"linked/compose.yaml": "../compose.yml"}})
	got, err := browser.Discover(t.Context(), repository)
	if err != nil || got.Commit != repository.Head || got.Truncated {
		t.Fatalf("%+v, %v", got, err)
	}
	want := "[{ stack [compose.yml]} {apps/api stack [docker-compose.yml]} {apps/web stack [compose.yaml wireops.yaml]} " +
		"{both stack [wireops.yml]} {both job [job.yaml]} {jobs/clean job [job.yaml]}]"
	if fmt.Sprint(got.Found) != want {
		t.Errorf("found %v, want %s", got.Found, want)
	}
}

// What discovery offers as a stack, deploying must know as one.
func TestDiscoverKnowsEveryManifestName(t *testing.T) {
	for _, name := range stacks.ManifestFiles {
		if kind, found := repositories.Marks(name); !found || kind != repositories.KindStack {
			t.Errorf("%s is not offered as a stack", name)
		}
	}
}

func TestDiscoverIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 1001 {
		files[fmt.Sprintf("apps/a%04d/compose.yaml", i)] = ""
	}
	_, browser, repository := browsed(t, coretest.GitPush{Files: files})
	if got, err := browser.Discover(t.Context(), repository); err != nil || len(got.Found) != 1000 || !got.Truncated {
		t.Errorf("%d found, truncated %v, %v", len(got.Found), got.Truncated, err)
	}
}

func TestNothingIsShownBeforeTheFirstFetch(t *testing.T) {
	r := open(t)
	browser, fresh := repositories.NewBrowser(r.git), r.add(t, repositories.Draft{Name: "app", URL: address})
	failed := fresh
	failed.Error = "The Git host is away."
	for says, repository := range map[string]repositories.Repository{"not fetched yet. Try again": fresh, "The Git host is away.": failed} {
		_, err := browser.Show(t.Context(), repository, "", "")
		wantFault(t, err, "repository.not_fetched", says)
		_, err = browser.Discover(t.Context(), repository)
		wantFault(t, err, "repository.not_fetched", says)
		_, err = browser.Commits(t.Context(), repository, 5)
		wantFault(t, err, "repository.not_fetched", says)
	}
}

func TestCommitsAreThoseOfTheHead(t *testing.T) {
	r, browser, _ := browsed(t, coretest.GitPush{Files: map[string]string{"a": "1"}, Message: "First"})
	r.git.Push(address, coretest.GitPush{Files: map[string]string{"a": "2"}, Message: "Second\n\nwith more"})
	all, err := r.store.Repositories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	repository := r.fetch(t, all[0])
	commits, err := browser.Commits(t.Context(), repository, 5)
	if err != nil || len(commits) != 2 || commits[0].Subject != "Second" || commits[0].Commit != repository.Head || commits[1].Subject != "First" {
		t.Errorf("%+v, %v", commits, err)
	}
	if commits, err = browser.Commits(t.Context(), repository, 1); err != nil || len(commits) != 1 {
		t.Errorf("%+v, %v", commits, err)
	}
}
