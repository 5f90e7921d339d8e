package ui

import (
	"reflect"
	"strings"
	"testing"
)

func TestALogKeepsItsColoursAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want logText
		sent string // to the script
	}{
		"plain":                             {"hello", logText{{"", "hello"}}, "hello"},
		"a colour that ends":                {"\x1b[31mERROR\x1b[0m disk", logText{{"sgr-31", "ERROR"}, {"", " disk"}}, "\x1b[31mERROR\x1b[m disk"},
		"bold and a colour together":        {"\x1b[1;92mok\x1b[m", logText{{"sgr-1 sgr-32", "ok"}}, "\x1b[1;32mok\x1b[m"},
		"one look is changed in parts":      {"\x1b[1m\x1b[33ma\x1b[22mb\x1b[39mc", logText{{"sgr-1 sgr-33", "a"}, {"sgr-33", "b"}, {"", "c"}}, "\x1b[1;33ma\x1b[m\x1b[33mb\x1b[mc"},
		"256 colours are left out":          {"\x1b[38;5;196;4mx", logText{{"sgr-4", "x"}}, "\x1b[4mx\x1b[m"},
		"true colours are left out":         {"\x1b[38;2;1;2;3mx\x1b[48:2:1:2:3my", logText{{"", "x"}, {"", "y"}}, "xy"},
		"what stands behind is one for all": {"\x1b[41;97mx\x1b[49my", logText{{"sgr-7 sgr-37", "x"}, {"sgr-37", "y"}}, "\x1b[7;37mx\x1b[m\x1b[37my\x1b[m"},
		"moving the cursor is dropped":      {"a\x1b[2Kb\x1b[1;1Hc", logText{{"", "a\x1b[2Kb\x1b[1;1Hc"}}, "abc"},
		"a title is dropped":                {"\x1b]0;evil\x07x\x1b[32my", logText{{"", "\x1b]0;evil\x07x"}, {"sgr-32", "y"}}, "x\x1b[32my\x1b[m"},
		"a sequence that is cut off":        {"x\x1b[31", logText{{"", "x\x1b[31"}}, "x31"},
		"HTML is text":                      {"\x1b[31m<b onclick=x>\x1b[m", logText{{"sgr-31", "<b onclick=x>"}}, "\x1b[31m<b onclick=x>\x1b[m"},
		"numbers beyond all":                {"\x1b[99999999999999999999mx", logText{{"", "x"}}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := coloured(c.line); !reflect.DeepEqual(got, c.want) {
				t.Errorf("shown as %q, want %q", got, c.want)
			}
			if got := onlyColour(c.line); got != c.sent {
				t.Errorf("sent as %q, want %q", got, c.sent)
			}
		})
	}
}

func TestALineOfManyColoursIsBounded(t *testing.T) {
	if n := len(coloured(strings.Repeat("\x1b[31mx\x1b[32my", 10_000))); n != maxSpans+1 {
		t.Errorf("%d pieces", n)
	}
}

func TestSearchingALogSeesWhatPeopleSee(t *testing.T) {
	lines := []string{"GET /ok", "\x1b[31mERR\x1b[0mOR disk", "get /again"}
	if got := holding(append([]string{}, lines...), "error"); len(got) != 1 || got[0] != lines[1] {
		t.Errorf("error: %q", got)
	}
	if got := holding(append([]string{}, lines...), "get"); len(got) != 2 {
		t.Errorf("get: %q", got)
	}
}

func FuzzColouredLogs(f *testing.F) {
	f.Add("\x1b[1;31mx\x1b[0m")
	f.Fuzz(func(t *testing.T, line string) {
		var all strings.Builder
		for _, span := range coloured(line) {
			all.WriteString(visible(span.Text))
			for word := range strings.FieldsSeq(span.Class) {
				if !strings.HasPrefix(word, "sgr-") || len(word) > 7 {
					t.Fatalf("class %q", span.Class)
				}
			}
		}
		if strings.ContainsRune(all.String(), '\x1b') {
			t.Fatalf("a sequence is left: %q", all.String())
		}
	})
}
