package repositories

import (
	"strings"
	"testing"

	"berth/core"
)

func TestCommitPage(t *testing.T) {
	hash := core.Commit(strings.Repeat("c0ffee00", 5))
	for address, want := range map[string]string{
		"https://github.com/ada/apps.git":             "https://github.com/ada/apps/commit/",
		"https://user:secret@github.com/ada/apps":     "https://github.com/ada/apps/commit/",
		"git@github.com:ada/apps.git":                 "https://github.com/ada/apps/commit/",
		"ssh://git@gitlab.example.com:2222/g/s/a.git": "https://gitlab.example.com/g/s/a/-/commit/",
		"https://gitlab.com/g/s/apps.git/":            "https://gitlab.com/g/s/apps/-/commit/",
		"https://gitea.example.com:3000/ada/apps.git": "https://gitea.example.com:3000/ada/apps/commit/",
		"https://Codeberg.org/ada/apps":               "https://codeberg.org/ada/apps/commit/",
		"https://bitbucket.org/ada/apps.git":          "https://bitbucket.org/ada/apps/commits/",
		"https://git.example.com/ada/apps.git":        "",
		"https://github.com/apps.git":                 "",
		"https://github.com.evil.example/ada/apps":    "https://github.com.evil.example/ada/apps/commit/",
		"javascript:alert(1)//github.com/a/b":         "",
		"file:///github.com/a/b":                      "",
		"git@github.com/x:ada/apps":                   "",
		"https://github.com/ada/apps?x=https://evil/": "https://github.com/ada/apps/commit/",
		"": "",
	} {
		if want != "" {
			want += string(hash)
		}
		if got := CommitPage(address, hash); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if got := CommitPage("https://github.com/a/b", "../../x"); got != "" {
		t.Errorf("what is no hash gives %s", got)
	}
}
