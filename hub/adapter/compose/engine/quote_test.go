package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
)

const hunter = "hunter2-hunter2-hunter2"

func hunterRedactor() *secrets.Redactor {
	return secrets.NewRedactor([]secrets.Value{secrets.NewValue(hunter)})
}

// leaks returns a part of the secret that text shows.
func leaks(text string) string {
	for n := minSecret; n <= len(hunter); n++ {
		for _, part := range []string{hunter[:n], hunter[len(hunter)-n:]} {
			if strings.Contains(text, part) {
				return part
			}
		}
	}
	return ""
}

// However the engine, the reading or the quoting cuts, no part of a secret is quoted.
func TestAQuoteShowsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 100) + "\n"
	cases := map[string]func(q *quote){
		"whole": func(q *quote) { fmt.Fprintln(q.out, "token", hunter) },
		"cut by the limit of bytes": func(q *quote) {
			fmt.Fprint(q.out, strings.Repeat("y", 10_000)+hunter+strings.Repeat("z", quotedBytes-10)+"\n")
		},
		"cut by two writes": func(q *quote) { fmt.Fprint(q.out, hunter[:9]); fmt.Fprintln(q.out, hunter[9:]) },
		"torn by the other stream": func(q *quote) {
			fmt.Fprint(q.out, hunter[:9])
			fmt.Fprint(q.errors, "warning\n")
			fmt.Fprintln(q.out, hunter[9:])
		},
		"begun before what was read": func(q *quote) {
			fmt.Fprint(q.out, hunter[9:]+"\n"+strings.Repeat(line, quoteReads-1))
		},
		"begun before what was read, on the other stream": func(q *quote) {
			fmt.Fprint(q.out, strings.Repeat(line, quoteReads-5))
			fmt.Fprint(q.errors, hunter[9:]+"\n"+strings.Repeat(line, 4))
		},
		"begun before few long entries": func(q *quote) {
			fmt.Fprint(q.out, hunter[9:]+"\n"+strings.Repeat(hunter, quoteReads*entryBytes/len(hunter))+"\n")
		},
		"not written to its end":           func(q *quote) { fmt.Fprint(q.out, "token "+hunter[:15]) },
		"not written to its end, far away": func(q *quote) { fmt.Fprint(q.out, strings.Repeat("a", 50_000)+hunter[:15]) },
	}
	for name, write := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQuote(hunterRedactor())
			write(q)
			text := q.text()
			if part := leaks(text); part != "" || len(text) > quotedBytes || strings.Count(text, "\n") >= quotedLines {
				t.Errorf("shows %q: %d bytes, %q", part, len(text), text)
			}
		})
	}
}

// The same with the secret at every place around every border.
func TestNoBorderCutsASecret(t *testing.T) {
	t.Parallel()
	r := hunterRedactor()
	fill := strings.Repeat("x", 10_000)
	for at := range len(hunter) + 1 {
		for border, write := range map[string]func(q *quote){
			"of a line":            func(q *quote) { fmt.Fprint(q.out, fill+hunter+fill[:quotedBytes-at]+"\n") },
			"of a line, redacted":  func(q *quote) { fmt.Fprint(q.out, fill+hunter+fill[:quotedBytes-at]+hunter+"\n") },
			"of a line that grows": func(q *quote) { fmt.Fprint(q.out, fill+hunter+fill[:quotedBytes-at]); fmt.Fprint(q.out, fill[:at]) },
			"of all lines":         func(q *quote) { fmt.Fprint(q.out, "a\nb "+hunter+"\n"+fill[:quotedBytes-1-at]+"\n") },
			"of two writes":        func(q *quote) { fmt.Fprint(q.out, hunter[:at]); fmt.Fprint(q.out, hunter[at:]+"\n") },
			"of two long writes":   func(q *quote) { fmt.Fprint(q.out, fill+hunter[:at]); fmt.Fprint(q.out, hunter[at:]+"\n") },
			"of the streams": func(q *quote) {
				fmt.Fprint(q.out, hunter[:at])
				fmt.Fprint(q.errors, hunter[:len(hunter)-at])
				fmt.Fprint(q.out, hunter[at:]+"\n")
				fmt.Fprint(q.errors, hunter[len(hunter)-at:]+"\n")
			},
			"of an entry":             func(q *quote) { fmt.Fprint(q.out, fill+fill[:entryBytes-len(fill)-at]+hunter+"\n") },
			"of the first entry read": func(q *quote) { fmt.Fprint(q.out, hunter[at:]+"\n"+strings.Repeat("x\n", quoteReads)) },
			"of the end":              func(q *quote) { fmt.Fprint(q.out, "token "+hunter[:at]) },
			"of a control character":  func(q *quote) { fmt.Fprint(q.out, hunter[:at]+"\x00"+hunter[at:]+"\n") },
			"of half a character":     func(q *quote) { fmt.Fprint(q.out, fill+hunter[:at]+"\xff"+hunter[at:]+fill[:quotedBytes-at]) },
		} {
			q := newQuote(r)
			write(q)
			text := q.text()
			if part := leaks(text); part != "" || len(text) > quotedBytes {
				t.Errorf("the border %s at %d shows %q", border, at, part)
			}
		}
		for border, printed := range map[string]string{
			"of the quote":           hunter + fill[:quotedCheck-at],
			"of what is kept":        fill[:checkBytes-at] + hunter[:at] + "...",
			"of a control character": "a " + hunter[:at] + "\x1b" + hunter[at:],
		} {
			if part := leaks(quoteCheck(printed, r)); part != "" {
				t.Errorf("the border %s at %d shows %q of a health check", border, at, part)
			}
		}
		long := fill[:2000]
		for border, err := range map[string]error{
			"of the beginning": errors.New(fill[:maxText-at] + hunter + long),
			"of the end":       errors.New(long + hunter + fill[:maxEnd-at]),
		} {
			if part := leaks(final(applyFault("%v", err), r.Redact).Error()); part != "" {
				t.Errorf("the border %s at %d shows %q of a fault", border, at, part)
			}
		}
	}
}

func TestAQuoteIsTheEndOfBothStreams(t *testing.T) {
	t.Parallel()
	q := newQuote(hunterRedactor())
	for i := range 15 {
		fmt.Fprintf(q.out, "out %d\n", i)
		fmt.Fprintf(q.errors, "err %d\n", i)
	}
	fmt.Fprint(q.errors, "panic: h") // may be the beginning of a secret, but is too short to tell
	got := strings.Split(q.text(), "\n")
	if len(got) != quotedLines || got[0] != "err 5" || got[quotedLines-2] != "err 14" || got[quotedLines-1] != "panic: h" {
		t.Errorf("quoted %q", got)
	}
	short := newQuote(hunterRedactor())
	fmt.Fprint(short.out, "only line")
	if got := short.text(); got != "only line" {
		t.Errorf("quoted %q", got)
	}
}

func TestAHealthChecksWordsShowNoPartOfASecret(t *testing.T) {
	t.Parallel()
	for name, printed := range map[string]string{
		"whole":             "no answer for " + hunter,
		"cut by the engine": strings.Repeat("x", checkBytes-15) + hunter[:15] + "...",
		"cut by the quote":  hunter + strings.Repeat("y", quotedCheck-5),
	} {
		if got := quoteCheck(printed, hunterRedactor()); leaks(got) != "" || len(got) > quotedCheck || got == "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := quoteCheck("  not yet, h", hunterRedactor()); got != "not yet, h" {
		t.Errorf("quoted %q", got)
	}
}

// What the engine answers may quote a secret at any length.
func TestFaultsAreRedactedBeforeTheyAreCut(t *testing.T) {
	t.Parallel()
	e := open(t)
	hide := hunterRedactor().Redact
	for before := maxText - len(hunter); before <= maxText; before++ {
		for _, err := range []error{
			errors.New(strings.Repeat("x", before) + hunter + strings.Repeat("y", 2000)),
			applyFault("%s%s%s", strings.Repeat("x", before), hunter, strings.Repeat("y", maxEnd-5)),
			imageFault(wanted{service: "web", image: "a"}, strings.Repeat("x", before)+hunter, "Next.").Because(errors.New(strings.Repeat("z", before) + hunter)),
		} {
			got := e.failed(t.Context(), err, hide)
			text := got.Error()
			if part := leaks(text); part != "" || len(text) > 3*(maxText+maxEnd) || fault.KindOf(got) != fault.Invalid {
				t.Fatalf("shows %q: %s", part, text)
			}
		}
	}
	long := e.failed(t.Context(), imageFault(wanted{service: "web", image: "a"}, strings.Repeat("x", 5000), "Do this next."), hide)
	if !strings.HasSuffix(long.Error(), "Do this next.") {
		t.Errorf("the next step is missing: %v", long)
	}
}

func TestLogLinesAreRedactedBeforeTheyAreCut(t *testing.T) {
	t.Parallel()
	for before := maxText - len(hunter); before <= maxText; before++ {
		var told []string
		err := relay(func(line string) { told = append(told, line) }, nil, hunterRedactor().Redact, func(p *progress) error {
			p.say(strings.Repeat("x", before) + hunter)
			return nil
		})
		if err != nil || len(told) != 1 || leaks(told[0]) != "" || len(told[0]) > maxText+len("…") {
			t.Fatalf("%v, %q", err, told)
		}
	}
}

// The whole way: a container that dies with a secret in its words.
func TestUnhealthyIsToldInParts(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "echo the token $$S was refused; exit 3"], environment: {S: "${S}"}}}`)
	s.secret("S", hunter)
	s.apply()
	err := s.verify(patience, patience)
	bad := failing(err)
	if bad.Service != "web" || bad.Lines != "the token [secret] was refused" || leaks(err.Error()) != "" {
		t.Errorf("%+v of %v", bad, err)
	}
}

func TestAHealthChecksWordsStandBelowTheContainers(t *testing.T) {
	for _, c := range []struct{ lines, check, want string }{
		{"up", "", "up"}, {"", "no\nnot yet", "health check: no\nhealth check: not yet"}, {"up", "no", "up\nhealth check: no"}, {"", "", ""},
	} {
		if got := withCheck(c.lines, c.check); got != c.want {
			t.Errorf("%q and %q become %q, want %q", c.lines, c.check, got, c.want)
		}
	}
}
