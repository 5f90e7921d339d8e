package ui

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain text stays":                  {"Grüße, 世界 — a\tb\nc", "Grüße, 世界 — a\tb\nc"},
		"emoji with joiners stay":           {"👩\u200d🚀", "👩\u200d🚀"},
		"colours of terminals go":           {"\x1b[1;31merror\x1b[0m done", "error done"},
		"a cursor that moves goes":          {"\x1b[2K\x1b[1Aline", "line"},
		"a title that is set goes":          {"\x1b]0;title\x07text", "text"},
		"a link of terminals goes":          {"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		"a lone escape shows":               {"a\x1b", "a␛"},
		"control characters show":           {"a\x00b\x07c\x7f", "a␀b␇c␡"},
		"a carriage return shows":           {"a\rb", "a␍b"},
		"C1 controls show":                  {"a\u009bb", "a‹U+009B›b"},
		"text that reorders shows":          {"user\u202egnp.exe", "user‹U+202E›gnp.exe"},
		"isolates show":                     {"\u2066a\u2069", "‹U+2066›a‹U+2069›"},
		"what has no width shows":           {"a\u200bb\ufeff", "a‹U+200B›b‹U+FEFF›"},
		"tags of language show":             {"a\U000e0041", "a‹U+E0041›"},
		"bytes that are no text show":       {"a\xff\xfeb", "a\uFFFDb"},
		"a separator of paragraphs shows":   {"a\u2029b", "a‹U+2029›b"},
		"HTML is the template's business":   {"<b>&", "<b>&"},
		"a sequence within a sequence goes": {"\x1b[\x1b[31m31mtext", "31mtext"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := visible(c.in); got != c.want {
				t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", "plain", evil, "\x1b[31m\u202e", "\x1b]\x1b\\\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := visible(text)
		if suspicious(strings.ReplaceAll(got, "\uFFFD", "")) || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
		if again := visible(got); again != got {
			t.Errorf("%q becomes %q, then %q", text, got, again)
		}
	})
}

func TestCleanReachesEverythingButWhatAFormGivesBack(t *testing.T) {
	type inner struct{ Text string }
	model := struct {
		Text   string
		Exact  exact
		List   []inner
		Nested struct{ Words []string }
		Link   *inner
	}{Text: "\x00", Exact: "\x00", List: []inner{{"\x00"}}, Link: &inner{"\x00"}}
	model.Nested.Words = []string{"\x00"}
	clean(&model)
	if model.Text != "␀" || model.List[0].Text != "␀" || model.Nested.Words[0] != "␀" || model.Link.Text != "␀" {
		t.Errorf("something was not cleaned: %+v", model)
	}
	if model.Exact != "\x00" {
		t.Errorf("what was typed was changed to %q", model.Exact)
	}
}
