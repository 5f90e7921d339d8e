package stacks

import (
	"strings"
	"testing"

	"berth/core/repositories"
)

func TestCheckName(t *testing.T) {
	for name, good := range map[string]bool{
		"web": true, "a": true, "9": true, "a-b_c": true, "0x": true, "a--b": true, strings.Repeat("a", 63): true,
		"": false, strings.Repeat("a", 64): false, "Web": false, "-a": false, "a-": false, "_a": false, "a_": false, "a b": false, "a.b": false,
		"ä": false, "a\n": false, "a\x00": false, "../a": false, "a/b": false, "$(a)": false,
	} {
		bad := CheckName(name)
		if (len(bad) == 0) != good || !good && (bad[0].Path != "name" || bad[0].Problem == "") {
			t.Errorf("%q: %v, want good = %v", name, bad, good)
		}
	}
	if (Stack{Name: "web"}).ProjectName() != "web" {
		t.Error("the project is not named after the stack")
	}
}

func TestCleanPath(t *testing.T) {
	for path, want := range map[string]string{
		"": "", ".": "", "/": "", "./": "", "/./": "", "apps": "apps", "apps/web": "apps/web", "/apps/web/": "apps/web", "./apps": "apps", "./apps/": "apps",
		"apps/we b": "apps/we b", "äpps/web": "äpps/web", "...": "...", "a..b/c.": "a..b/c.", ".hidden/x": ".hidden/x", strings.Repeat("a", 4096): strings.Repeat("a", 4096),
	} {
		if got, bad := CleanPath(path); got != want || len(bad) > 0 {
			t.Errorf("%q became %q, %v; want %q", path, got, bad, want)
		}
	}
	for _, path := range []string{"..", "../a", "a/..", "a/../b", "a//b", ".//a", "a/./b", "./.", "././a", "a/.", "a\\b", "a\x00", "a\nb", "a\rb", strings.Repeat("a", 4097), strings.Repeat("a/", 2049)} {
		if got, bad := CleanPath(path); len(bad) != 1 || got != "" || bad[0].Path != "path" {
			t.Errorf("%.40q became %.40q, %v; want a complaint", path, got, bad)
		}
	}
}

// FuzzCleanPath: what is accepted is in its one stored form, and is a path that a repository
// can be asked for; otherwise one bad stack would keep its whole repository from being read.
func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"", ".", "/", "a/b", "./a", "a/./b", "../a", "a//b", "//", "/..", "././", "a\\b", "\x00", "a/.../b", "~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		clean, bad := CleanPath(path)
		if len(bad) > 0 {
			if clean != "" {
				t.Fatalf("%q was refused and became %q", path, clean)
			}
			return
		}
		if again, bad := CleanPath(clean); again != clean || len(bad) > 0 {
			t.Fatalf("%q became %q, and that %q, %v", path, clean, again, bad)
		}
		if err := repositories.ValidPath(clean); err != nil || clean == "." {
			t.Fatalf("%q became %q, which cannot be read from a repository: %v", path, clean, err)
		}
	})
}
