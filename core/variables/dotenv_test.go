package variables_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"berth/core/fault"
	"berth/core/variables"
)

func TestParseDotenvReadsValues(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"bare":                          {"A=b", "b"},
		"empty":                         {"A=", ""},
		"spaces around":                 {"  A = b c \t\n", "b c"},
		"exported":                      {"export A=b", "b"},
		"exported with a tab":           {"export\tA=b", "b"},
		"after a byte order mark":       {"\ufeffA=b", "b"},
		"Windows line":                  {"A=b\r\n", "b"},
		"Windows line at the end":       {"A=b\r", "b"},
		"equals signs":                  {"A=b=c==", "b=c=="},
		"comment":                       {"A=b # why", "b"},
		"comment alone":                 {"A= # why", ""},
		"hash without a space":          {"A=b#c", "b#c"},
		"hash at once":                  {"A=#b", "#b"},
		"dollar and backslash":          {`A=$B\n${C}`, `$B\n${C}`},
		"quote inside a bare value":     {`A=it's "so"`, `it's "so"`},
		"single quotes":                 {`A='b # $c \n "'`, `b # $c \n "`},
		"single quotes, then a comment": {`A='b' # c`, "b"},
		"single quote, joined":          {`A='it'\''s'`, "it's"},
		"single quotes alone":           {`A=''\'''\'''`, "''"},
		"several lines":                 {"A='one\n two \r\n\n'\n", "one\n two \r\n\n"},
		"double quotes":                 {`A="a\nb\r\t\"\\\$\` + "`" + `\d"`, "a\nb\r\t\"\\$`\\d"},
		"double quotes, several lines":  {"A=\"a\nb\"", "a\nb"},
		"double quotes, dollar":         {`A="$B"`, "$B"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := variables.ParseDotenv("# first\n\n" + strings.TrimPrefix(c.text, "\ufeff"))
			if strings.HasPrefix(c.text, "\ufeff") {
				got, err = variables.ParseDotenv(c.text)
			}
			if err != nil || len(got) != 1 || got[0].Name != "A" || got[0].Value != c.want {
				t.Fatalf("%q gave %+v, %v; want %q", c.text, got, err, c.want)
			}
		})
	}
}

func TestParseDotenvGivesLines(t *testing.T) {
	got, err := variables.ParseDotenv("# top\nA='1\n2\n3'\n\nB=4\n")
	if err != nil || len(got) != 2 || got[0].Line != 2 || got[1].Line != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	cases := map[string]struct{ text, says string }{
		"no equals sign":               {"A=1\nhunter2\n", "line 2: no = was found"},
		"single quote never closed":    {"A=1\n\nB='hunter2\nC=3\n", "line 3: the quote that begins its value is never closed"},
		"double quote never closed":    {`A="hunter2\"`, "line 1: the quote that begins its value is never closed"},
		"text after the quote":         {"A='x\ny'hunter2", "line 2: text follows the closing quote"},
		"comment sticks to the quote":  {`A="x"#hunter2`, "line 1: text follows"},
		"joined piece never closed":    {`A='x'\''hunter2`, "line 1: the quote"},
		"both lines of a text are bad": {"hunter2\nA='b'c\n", "line 1: no = was found; write NAME=value, and quote values of several lines; text: line 2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := variables.ParseDotenv(c.text)
			if fault.CodeOf(err) != "variable.invalid_text" || !strings.Contains(fault.PublicOf(err), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v repeats what may be a value", err)
			}
		})
	}
	if _, err := variables.ParseDotenv(strings.Repeat("x\n", 1000)); err == nil || len(err.Error()) > 10_000 {
		t.Errorf("a thousand bad lines gave %d bytes", len(err.Error()))
	}
}

func TestWriteDotenvWrapsSeveralLinesInSingleQuotes(t *testing.T) {
	got := variables.WriteDotenv([]variables.Assignment{
		{Name: "PLAIN", Value: "http://h:80/a,b"}, {Name: "EMPTY"}, {Name: "KEY", Value: "one\ntwo's\n"},
		{Name: "SPACED", Value: " a b "}, {Name: "HELD", Note: "secret"}})
	const want = "PLAIN=http://h:80/a,b\nEMPTY=\nKEY='one\ntwo'\\''s\n'\nSPACED=' a b '\n# secret\nHELD=\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// F7: every value comes back byte for byte, whatever stands around it.
func FuzzDotenvRoundTrip(f *testing.F) {
	for _, seed := range []string{"", "a", " a ", "it's", `\`, `'\''`, "a\nb", "a\r\nb\r", "\n", "'", `"`, "#", "=", "$A ${B}", "{\n \"k\": \"v\\n\"\n}", "é\u2028", "\ufeff"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		if !utf8.ValidString(one) || !utf8.ValidString(two) {
			return
		}
		text := variables.WriteDotenv([]variables.Assignment{{Name: "A", Value: one, Note: "x"}, {Name: "B", Value: two}, {Name: "C", Value: one}})
		got, err := variables.ParseDotenv(text)
		if err != nil || len(got) != 3 || got[0].Value != one || got[1].Value != two || got[2].Value != one {
			t.Fatalf("%q and %q became %q, and that %+v, %v", one, two, text, got, err)
		}
	})
}

// F7: any text is read or refused with a line, and what is read can be written again.
func FuzzParseDotenv(f *testing.F) {
	for _, seed := range []string{"A=b\n", "export A='b\n'\n#c", `A="\`, "=\n", "A", "A='b'c", "\r\n\r", "A=\"\n\nB=#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := variables.ParseDotenv(text)
		if err != nil {
			if fault.CodeOf(err) != "variable.invalid_text" || !strings.Contains(err.Error(), "line ") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, a := range got {
			if !variables.ValidName(a.Name) {
				return // names are judged later
			}
		}
		again, err := variables.ParseDotenv(variables.WriteDotenv(got))
		for i, a := range again {
			if a.Name != got[i].Name || a.Value != got[i].Value {
				t.Fatalf("%q became %+v and then %+v", text, got[i], a)
			}
		}
		if err != nil || len(again) != len(got) {
			t.Fatalf("%q: %+v became %+v, %v", text, got, again, err)
		}
	})
}
