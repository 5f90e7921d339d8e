package secrets_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"berth/core/secrets"
)

// marked writes pieces, whose marks count from 1, and returns what came out.
func marked(t *testing.T, limit int, secret string, pieces ...string) string {
	t.Helper()
	var out strings.Builder
	l := secrets.NewRedactor([]secrets.Value{secrets.NewValue(secret)}).Lines(&out, limit)
	for i, piece := range pieces {
		if err := l.Write(fmt.Sprint(i+1, " "), piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestLinesKeepTheirMarks(t *testing.T) {
	const limit = 1000
	cases := map[string]struct {
		secret string
		pieces []string
		want   string
	}{
		"lines":                                 {"hunter-two", []string{"a\n", "b\n", "\n"}, "1 a\n2 b\n3 \n"},
		"a secret":                              {"hunter-two", []string{"a hunter-two\n", "b\n"}, "1 a [secret]\n2 b\n"},
		"a line in parts":                       {"hunter-two", []string{"a", "b\n", "c\n"}, "1 ab\n3 c\n"},
		"a secret in parts":                     {"hunter-two", []string{"hun", "ter", "-two\n", "c\n"}, "1 [secret]\n4 c\n"},
		"without an end":                        {"hunter-two", []string{"a\n", "b hunter"}, "1 a\n2 b hunter"},
		"what only begins like one":             {"hunter-two", []string{"a hunter-\n", "b\n"}, "1 a hunter-\n2 b\n"},
		"a secret of several lines":             {"ab\ncd\nef", []string{"x\n", "<ab\n", "cd\n", "ef>\n", "y\n"}, "1 x\n2 <[secret]>\n5 y\n"},
		"a secret that ends a line":             {"ab\ncd\n", []string{"x\n", "ab\n", "cd\n", "y\n", "z\n"}, "1 x\n2 [secret]y\n5 z\n"},
		"what begins like one of several lines": {"ab\ncd\nef", []string{"ab\n", "cd\n", "x\n", "y\n"}, "1 ab\n2 cd\n3 x\n4 y\n"},
		"one after the other":                   {"ab\ncd", []string{"ab\n", "cd\n", "ab\n", "cd\n", "y\n"}, "1 [secret]\n3 [secret]\n5 y\n"},
		"a mark that looks like one":            {"1 2 ", []string{"a\n", "b\n"}, "1 a\n2 b\n"},
		"nothing":                               {"hunter-two", []string{"", ""}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := marked(t, limit, c.secret, c.pieces...); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

func TestALineWithoutAnEndIsEndedWithItsMark(t *testing.T) {
	if got := marked(t, 6, "hunter-two", "abcd", "efg", "h\n", "x\n"); got != "1 abcd\n1 efgh\n4 x\n" {
		t.Errorf("it is %q", got)
	}
	if got := marked(t, 6, "hunter-two", "abcd hunter", "-two\n"); strings.Contains(got, "hunt") || strings.Contains(got, "two") {
		t.Errorf("half a secret shows in %q", got)
	}
}

func TestLinesSayWhyTheyCannotBeWritten(t *testing.T) {
	full := errors.New("full")
	l := secrets.NewRedactor(nil).Lines(writerFunc(func([]byte) (int, error) { return 0, full }), 100)
	if err := l.Write("1 ", "a\n"); !errors.Is(err, full) {
		t.Errorf("it says %v", err)
	}
	if err := l.End(); err != nil {
		t.Errorf("nothing more was held back, and the end says %v", err)
	}
}

// FuzzLines: without their marks, lines are what the same text is without any.
func FuzzLines(f *testing.F) {
	f.Add("hunter-two", "a hunter-two\nb hunter-\ntwo\n", uint(3))
	f.Add("ab\ncd\nef", "<ab\ncd\nef>\nab\ncd\nx\n", uint(1))
	f.Add("ab\ncd\n", "ab\ncd\nab\ncd\ny", uint(2))
	f.Fuzz(func(t *testing.T, secret, text string, cut uint) {
		const mark = "\x00mark\x00"
		if strings.Contains(text, "\x00") || strings.Contains(secret, "\x00") {
			return
		}
		var out strings.Builder
		r := redactor(secret)
		l := r.Lines(&out, len(text)+1000)
		for line := range strings.Lines(text) {
			at := int(cut % uint(len(line)+1))
			for _, piece := range []string{line[:at], line[at:]} {
				if err := l.Write(mark, piece); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := l.End(); err != nil {
			t.Fatal(err)
		}
		got, want := out.String(), r.Redact(text)
		if strings.ReplaceAll(got, mark, "") != want {
			t.Fatalf("%q without %q is %q, want %q", text, secret, got, want)
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, mark) || strings.Count(line, mark) != 1 {
				t.Fatalf("%q without %q has the line %q", text, secret, line)
			}
		}
	})
}
