package repositories

import (
	"strings"
	"testing"

	"berth/core/fault"
)

func TestValidBranch(t *testing.T) {
	cases := map[string]struct {
		name string
		want bool
	}{
		"the default branch":          {"", true},
		"plain":                       {"main", true},
		"with slashes and dots":       {"release/1.2.x", true},
		"with other letters":          {"größe/ü", true},
		"an at sign inside":           {"a@b", true},
		"as long as allowed":          {strings.Repeat("a", MaxBranch), true},
		"too long":                    {strings.Repeat("a", MaxBranch+1), false},
		"an option":                   {"--upload-pack=x", false},
		"full name":                   {"refs/heads/main", false},
		"HEAD":                        {"HEAD", false},
		"at sign alone":               {"@", false},
		"reflog":                      {"main@{1}", false},
		"range":                       {"a..b", false},
		"dot at the end":              {"a.", false},
		"hidden part":                 {"a/.b", false},
		"lock file":                   {"a.lock/b", false},
		"empty part":                  {"a//b", false},
		"slash first":                 {"/a", false},
		"slash last":                  {"a/", false},
		"space":                       {"a b", false},
		"newline":                     {"a\nb", false},
		"refspec":                     {"a:b", false},
		"pattern":                     {"a*", false},
		"backslash":                   {`a\b`, false},
		"bytes that are no character": {"a\xff", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := ValidBranch(c.name)
			if (err == nil) != c.want {
				t.Fatalf("ValidBranch(%q) = %v", c.name, err)
			}
			if err != nil && (fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "git.branch") {
				t.Fatalf("%v is not Invalid git.branch", err)
			}
		})
	}
}
