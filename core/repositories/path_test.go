package repositories

import (
	"strings"
	"testing"

	"berth/core/fault"
)

func TestValidPath(t *testing.T) {
	cases := map[string]struct {
		path string
		want bool
	}{
		"root":                  {"", true},
		"root as dot":           {".", true},
		"file":                  {"a/b.yaml", true},
		"dots in names":         {"a..b/...", true},
		"quotes and spaces":     {`a "b"/c d`, true},
		"bytes outside UTF-8":   {"a\xff", true},
		"as long as allowed":    {strings.Repeat("a", MaxPath), true},
		"too long":              {strings.Repeat("a", MaxPath+1), false},
		"absolute":              {"/etc/passwd", false},
		"climbing":              {"../a", false},
		"climbing inside":       {"a/../b", false},
		"single dot inside":     {"a/./b", false},
		"empty part":            {"a//b", false},
		"slash at the end":      {"a/", false},
		"newline":               {"a\nb", false},
		"NUL":                   {"a\x00b", false},
		"just two dots":         {"..", false},
		"dot at the beginning":  {"./a", false},
		"newline and long text": {"\n" + strings.Repeat("x", 1000), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := ValidPath(c.path)
			if (err == nil) != c.want {
				t.Fatalf("ValidPath(%q) = %v", c.path, err)
			}
			if err != nil && (fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "git.path" || len(err.Error()) > 400) {
				t.Fatalf("%v is not a short Invalid git.path", err)
			}
		})
	}
}
