package repositories_test

import (
	"testing"

	"berth/core/repositories"
)

func TestWhichFoldersAPatternNames(t *testing.T) {
	for name, c := range map[string]struct {
		pattern, folder string
		want            bool
	}{
		"no pattern names all":        {"", "a/b", true},
		"a star is one name":          {"apps/*", "apps/web", true},
		"and not two":                 {"apps/*", "apps/web/deploy", false},
		"nor none":                    {"apps/*", "apps", false},
		"two stars are any number":    {"apps/**", "apps/web/deploy", true},
		"of none too":                 {"apps/**", "apps", true},
		"in the middle":               {"**/deploy", "apps/web/deploy", true},
		"in the middle, not the end":  {"**/deploy", "apps/deploy/web", false},
		"a part of a name":            {"app-*/x", "app-web/x", true},
		"the root is named by **":     {"**", "", true},
		"the root is no name of a *":  {"*", "", false},
		"a pattern with several **":   {"**/a/**/b", "x/a/y/z/b", true},
		"case counts, as it does Git": {"Apps/*", "apps/web", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := repositories.InFolders(c.pattern, c.folder); got != c.want {
				t.Errorf("InFolders(%q, %q) is %v", c.pattern, c.folder, got)
			}
		})
	}
}
