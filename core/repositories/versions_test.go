package repositories

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"berth/core/fault"
)

// Each row is the order that semver.org section 11 gives, lowest first.
func TestVersionsAreOrdered(t *testing.T) {
	ordered := []string{"v0.0.1", "0.1.0", "1.0.0-0", "1.0.0-2", "1.0.0-11", "1.0.0-99999999999999999999", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
		"1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0-x-y.z"}
	for i, low := range ordered {
		for j, high := range ordered {
			a, okA := ParseVersion(low)
			b, okB := ParseVersion(high)
			if got := a.Compare(b); !okA || !okB || got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s compared with %s gives %d", low, high, got)
			}
		}
	}
}

func TestWhatIsNoVersion(t *testing.T) {
	for _, tag := range []string{"", "v", "v1", "v1.2", "1.2.x", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3-ü", "1.2.3+", "vv1.2.3", "release-1.2.3",
		"1.2.3 ", "-1.2.3", "1.2.99999999999999999999", "1.-2.3", "+1.2.3"} {
		if v, ok := ParseVersion(tag); ok {
			t.Errorf("%q is read as %s", tag, v)
		}
	}
	if v, ok := ParseVersion("v1.2.3-rc.1+build.007"); !ok || v.String() != "1.2.3-rc.1" {
		t.Errorf("got %s, %v", v, ok)
	}
}

func TestWhatIsInARange(t *testing.T) {
	for text, c := range map[string]struct{ in, out string }{
		"^1.2":                  {"1.2.0 1.2.9 1.9.0", "1.1.9 2.0.0 1.3.0-rc.1 2.0.0-rc.1 0.9.0"},
		"^1.2.3":                {"1.2.3 1.3.0", "1.2.2 2.0.0"},
		"^0.2.3":                {"0.2.3 0.2.9", "0.2.2 0.3.0 1.0.0"},
		"^0.0.3":                {"0.0.3", "0.0.2 0.0.4 0.1.0"},
		"^0.0":                  {"0.0.0 0.0.9", "0.1.0"},
		"^0":                    {"0.0.1 0.9.9", "1.0.0"},
		"~1.4":                  {"1.4.0 1.4.7", "1.3.9 1.5.0"},
		"~1.4.2":                {"1.4.2 1.4.7", "1.4.1 1.5.0"},
		"~1":                    {"1.0.0 1.9.9", "2.0.0 0.9.0"},
		">=1 <3":                {"1.0.0 2.9.9", "0.9.9 3.0.0 3.0.0-rc.1 2.0.0-rc.1"},
		">= 1, < 3":             {"1.0.0 2.9.9", "0.9.9 3.0.0"},
		">1":                    {"2.0.0", "1.0.0 1.9.9"},
		">1.2":                  {"1.3.0", "1.2.9"},
		">1.2.3":                {"1.2.4", "1.2.3"},
		"<=1.2":                 {"1.2.9 0.0.1", "1.3.0"},
		"<=1.2.3":               {"1.2.3 1.2.2", "1.2.4"},
		"<1.2":                  {"1.1.9", "1.2.0"},
		"1.x":                   {"1.0.0 1.9.9", "2.0.0 1.0.0-rc.1"},
		"1.2.*":                 {"1.2.0 1.2.9", "1.3.0"},
		"1":                     {"1.5.0", "2.0.0"},
		"v1.2.3":                {"1.2.3", "1.2.4"},
		"=1.2":                  {"1.2.7", "1.3.0"},
		"*":                     {"0.0.1 99.0.0", "1.0.0-rc.1"},
		"1.2 - 2.3":             {"1.2.0 2.3.9", "1.1.9 2.4.0"},
		"1.x || 3.x":            {"1.0.0 3.4.5", "2.0.0 4.0.0"},
		"^1.2.0-rc.1":           {"1.2.0-rc.1 1.2.0-rc.2 1.2.0 1.3.0-beta 1.9.0", "1.2.0-beta 2.0.0-rc.1 2.0.0"},
		">=1.0.0-0 <2":          {"1.0.0-alpha 1.5.0-rc.1 1.5.0", "2.0.0-rc.1 2.0.0 0.9.0"},
		"1.x || >=2.0.0-0 <2.1": {"1.5.0 2.0.0-rc.1 2.0.5", "1.5.0-rc.1 2.1.0"},
		">=1 >=2 <4 <3":         {"2.0.0 2.9.0", "1.0.0 3.0.0"},
		">2 <1":                 {"", "0.5.0 1.5.0 3.0.0"},
	} {
		r, err := ParseVersions(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for want, list := range map[bool]string{true: c.in, false: c.out} {
			for _, tag := range strings.Fields(list) {
				v, _ := ParseVersion(tag)
				if r.Has(v) != want {
					t.Errorf("%q has %s: %v", text, tag, !want)
				}
			}
		}
	}
}

func TestWhatIsNoRange(t *testing.T) {
	for _, text := range []string{"", " ", "||", "1.x ||", "^", "latest", "1.2.3.4", ">>1", "=>1", "<*", "^x", "1.x.3", "1.2-rc", "^1.2.3-", "!=1", "main", strings.Repeat("1 ", 30), strings.Repeat("1", 300)} {
		_, err := ParseVersions(text)
		if fault.CodeOf(err) != "git.semver" {
			t.Errorf("%q gives %v", text, err)
		}
	}
	if err := ValidVersions(""); err != nil {
		t.Errorf("none: %v", err)
	}
}

// The oracle judges releases as plain numbers of a thousand each, and knows operators only by what they say.
func TestARangeAgreesWithPlainArithmetic(t *testing.T) {
	number := func(a, b, c int) int { return a*1_000_000 + b*1_000 + c }
	var checked int
	for a := range 3 {
		for b := range 3 {
			for c := range 3 {
				low := number(a, b, c)
				caret := number(a+1, 0, 0)
				switch {
				case a == 0 && b == 0:
					caret = number(0, 0, c+1)
				case a == 0:
					caret = number(0, b+1, 0)
				}
				for operator, want := range map[string]func(int) bool{
					">=": func(n int) bool { return n >= low }, ">": func(n int) bool { return n > low },
					"<": func(n int) bool { return n < low }, "<=": func(n int) bool { return n <= low },
					"": func(n int) bool { return n == low }, "=": func(n int) bool { return n == low },
					"^": func(n int) bool { return n >= low && n < caret }, "~": func(n int) bool { return n >= low && n < number(a, b+1, 0) },
				} {
					r, err := ParseVersions(fmt.Sprintf("%s%d.%d.%d", operator, a, b, c))
					if err != nil {
						t.Fatal(err)
					}
					for x := range uint64(4) {
						for y := range uint64(4) {
							for z := range uint64(4) {
								checked++
								if got := r.Has(Version{Major: x, Minor: y, Patch: z}); got != want(number(int(x), int(y), int(z))) {
									t.Errorf("%s%d.%d.%d has %d.%d.%d: %v", operator, a, b, c, x, y, z, got)
								}
							}
						}
					}
				}
			}
		}
	}
	if checked != 27*8*64 {
		t.Errorf("%d were checked", checked)
	}
}

func TestTheHighestTagWins(t *testing.T) {
	tags := []string{"v1", "v1.2", "latest", "v1.2.0", "1.10.0", "v1.9.0", "v2.0.0-rc.1", "v1.11.0-beta", "1.10.0+b2", "v0.9.0"}
	for text, want := range map[string]string{"^1": "1.10.0+b2", "~1.2": "v1.2.0", "^1.2.0-0": "v1.11.0-beta", "*": "1.10.0+b2", ">=2.0.0-0": "v2.0.0-rc.1", "3.x": "", "0.x": "v0.9.0"} {
		r, err := ParseVersions(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, found := r.Best(tags); got != want || found != (want != "") {
				t.Errorf("%s gives %q, %v; want %q", text, got, found, want)
			}
			slices.Reverse(tags)
		}
	}
}

func TestAHostIsAskedForFewTags(t *testing.T) {
	for text, want := range map[string]string{"^1.2": "1. v1.", ">=1 <3": "1. 2. v1. v2.", "1.2.3": "1. v1.", "<2": "0. 1. v0. v1.", "1.x || 4.x": "1. 4. v1. v4.",
		">=1": "", "*": "", ">=1 <50": "", "<=2.0.0": "0. 1. 2. v0. v1. v2.", "<2.0.0-rc.1": "0. 1. 2. v0. v1. v2."} {
		r, err := ParseVersions(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Prefixes(), " "); got != want {
			t.Errorf("%s asks for %q, want %q", text, got, want)
		}
	}
}

// Whatever stands in a range and in a tag: what is in the range can be found by its prefixes, and Best agrees with Has.
func FuzzVersions(f *testing.F) {
	for _, text := range []string{"^1.2", "~0.0.3-rc.1", ">=1 <3", "1.x || 2.3 - 4", "*", "<=1.2.3+b", "v1.2.3", ">9223372036854775806"} {
		for _, tag := range []string{"v1.2.3", "0.0.3-rc.2", "2.0.0-0", "3.0.0+x", "v1", "main"} {
			f.Add(text, tag)
		}
	}
	f.Fuzz(func(t *testing.T, text, tag string) {
		r, err := ParseVersions(text)
		if err != nil {
			return
		}
		v, ok := ParseVersion(tag)
		best, found := r.Best([]string{tag, "v", "x.y.z"})
		if has := ok && r.Has(v); found != has || found && best != tag {
			t.Fatalf("%q: best of %q is %q, %v", text, tag, best, found)
		}
		prefixes := r.Prefixes()
		if found && prefixes != nil && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(tag, p) }) {
			t.Fatalf("%q has %q, which none of %q begins", text, tag, prefixes)
		}
		if again, ok := ParseVersion(v.String()); ok && again != v {
			t.Fatalf("%q is read as %s and then as %s", tag, v, again)
		}
	})
}
