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

func TestAQuoteIsTheEndOfBothStreams(t *testing.T) {
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
	s := newStack(t, `services: {web: {image: IMAGE, command: [sh, -c, "echo the token $$S was refused; exit 3"], environment: {S: "${S}"}}}`)
	s.secret("S", hunter)
	s.apply()
	err := s.verify(patience, patience)
	bad := failing(err)
	if bad.Service != "web" || bad.Lines != "the token [secret] was refused" || leaks(err.Error()) != "" {
		t.Errorf("%+v of %v", bad, err)
	}
}
