package secrets_test

import (
	"slices"
	"strings"
	"testing"

	"berth/core/secrets"
)

func TestSecretsWithinATextAreFound(t *testing.T) {
	for _, c := range []struct {
		template, text string
		want           []string
	}{
		{"${A}", "hunter2", []string{"hunter2"}},
		{"${A}", "", []string{""}},
		{"postgres://u:${A}@db/x", "postgres://u:p@ss@db/x", []string{"p@ss"}},
		{"<${A}|${B}>", "<one|two|three>", []string{"one", "two|three"}},
		{"${A}${B}", "onetwo", []string{"", "onetwo"}},
		{"$${A}", "${A}", nil},
		{"$$${A}$$", "$x$", []string{"x"}},
		{"plain", "plain", nil},
		{"<${A}>", "something else", []string{"something else"}},
		{"<${A}>", "<", []string{"<"}},
		{"a${A}a", "a", []string{"a"}},
		{"${A}-${B}", "none", []string{"none"}},
		{"${A}", "two\nlines\n", []string{"two\nlines\n"}},
	} {
		var got []string
		for _, v := range secrets.Within(c.template, c.text) {
			got = append(got, v.Reveal())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q made %q: got %q, want %q", c.template, c.text, got, c.want)
		}
		if got := secrets.HasPlaceholder(c.template); got != (c.want != nil) {
			t.Errorf("%q holds a secret: %v", c.template, got)
		}
	}
}

func FuzzWithin(f *testing.F) {
	f.Add("a", "b", "secret")
	f.Add("$", "$$", "")
	f.Fuzz(func(t *testing.T, before, after, value string) {
		escape := func(text string) string { return strings.ReplaceAll(text, "$", "$$") }
		got := secrets.Within(escape(before)+"${A}"+escape(after), before+value+after)
		if len(got) != 1 || got[0].Reveal() != value {
			t.Errorf("%q between %q and %q was found as %d values", value, before, after, len(got))
		}
	})
}
