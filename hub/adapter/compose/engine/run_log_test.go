package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/secrets"
	"berth/hub/worker/runs"
)

// TestALogIsReadOnFromAnyLine without gap or repetition, as a worker does that was restarted: also where the engine
// has written the two streams in another order than that of their times.
func TestALogIsReadOnFromAnyLine(t *testing.T) {
	t.Parallel()
	r := newRun(t, "sh", "-c", `for n in 1 2 3 4 5 6 7 8 9; do echo "out $n"; echo "err $n" >&2; done; echo; sleep 0.1; printf 'no end'`)
	r.start()
	all := r.log("") // follows it while it runs
	var out, errs []string
	for _, text := range texts(all) {
		if strings.HasPrefix(text, "err") {
			errs = append(errs, text)
		} else {
			out = append(out, text)
		}
	}
	if fmt.Sprintf("%q %q", out, errs) != `["out 1" "out 2" "out 3" "out 4" "out 5" "out 6" "out 7" "out 8" "out 9" "" "no end"] ["err 1" "err 2" "err 3" "err 4" "err 5" "err 6" "err 7" "err 8" "err 9"]` {
		t.Fatalf("all of it is %q", texts(all))
	}
	for i := range all {
		if rest := texts(r.log(all[i].to)); !slices.Equal(rest, texts(all[i+1:])) {
			t.Errorf("after line %d of %q come %q", i, texts(all), rest)
		}
	}
	if again := texts(r.log("")); !slices.Equal(again, texts(all)) {
		t.Errorf("a second time it is %q", again)
	}
}

// TestNoLineOfAFastWriterIsMissing, though it ends with its last line.
func TestNoLineOfAFastWriterIsMissing(t *testing.T) {
	t.Parallel()
	const many = 20_000
	r := newRun(t, "sh", "-c", fmt.Sprintf(`n=0; while [ $n -lt %d ]; do echo "line $n"; n=$((n+1)); done`, many))
	r.start()
	all := r.log("")
	for n, l := range all {
		if l.text != fmt.Sprint("line ", n) {
			t.Fatalf("line %d is %q", n, l.text)
		}
	}
	if len(all) != many || r.find().State != runs.Exited {
		t.Errorf("%d lines of %d", len(all), many)
	}
}

// TestNoSecretIsInALog, also where the engine cuts a line.
func TestNoSecretIsInALog(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("hunter-", 30)
	r := newRun(t, "sh", "-c", `echo "<$PASSWORD>"; echo "$FILL$PASSWORD!"; printf "%s" "$PASSWORD"; echo "$OPEN" >&2`)
	r.Secrets["PASSWORD"] = secrets.NewValue(secret)
	r.Variables["OPEN"] = "shown"
	r.Variables["FILL"] = strings.Repeat("x", 16<<10-100) // the engine's entries have 16 KiB
	r.start()
	r.ended()
	got := texts(r.log("", "PASSWORD", "NOT_THERE"))
	slices.Sort(got)
	want := []string{"<[secret]>", "[secret]", "shown", r.Variables["FILL"] + "[secret]!"}
	if !slices.Equal(got, want) {
		t.Errorf("the log is %.300q", got)
	}
}

// entries puts text into the engine's form: each is a stream's number, a time in seconds, and what was written.
func entries(all ...string) *bufio.Reader {
	var out bytes.Buffer
	for _, e := range all {
		var stream byte
		var at int
		var text string
		if _, err := fmt.Sscanf(e, "%d %d %q", &stream, &at, &text); err != nil {
			panic(err)
		}
		text = time.Unix(int64(at), 0).UTC().Format("2006-01-02T15:04:05.000000000Z") + " " + text
		out.Write(append([]byte{stream, 0, 0, 0}, binary.BigEndian.AppendUint32(nil, uint32(len(text)))...))
		out.WriteString(text)
	}
	return bufio.NewReader(&out)
}

func TestEntriesOfALog(t *testing.T) {
	cases := map[string]struct {
		after    string   // seconds of both streams; empty: from the beginning
		readings []string // each are entries with | between them
		want     string   // the lines, each with its position in seconds before
	}{
		"lines":                       {"", []string{`1 10 "a\n"|2 11 "b\n"`}, "10 0 a|10 11 b"},
		"a line in parts":             {"", []string{`1 10 "a"|2 11 "x\n"|1 10 "b\n"`}, "0 11 x|10 11 ab"},
		"without an end":              {"", []string{`1 10 "a\n"|1 11 "b"`}, "10 0 a|11 0 b"},
		"what was read before":        {"", []string{`1 10 "a\n"|1 11 "b\n"`, `1 10 "a\n"|1 11 "b\n"|1 12 "c\n"`}, "10 0 a|11 0 b|12 0 c"},
		"alike, and read before":      {"", []string{`1 10 "a\n"|1 10 "b\n"`, `1 10 "a\n"|1 10 "b\n"|1 10 "c\n"`}, "10 0 a|10 0 b|10 0 c"},
		"a part that is read again":   {"", []string{`1 10 "a\n"|1 11 "b"`, `1 10 "a\n"|1 11 "b"|1 11 "c\n"`}, "10 0 a|11 0 bc"},
		"after a position":            {"10 12", []string{`1 10 "a\n"|2 11 "b\n"|1 11 "c\n"|2 12 "d\n"|2 13 "e\n"`}, "11 12 c|11 13 e"},
		"after one of one stream":     {"10 0", []string{`2 9 "x\n"|1 10 "a\n"|2 8 "y\n"`}, "10 9 x|10 8 y"},
		"streams in any order":        {"", []string{`2 12 "c\n"|1 10 "a\n"|1 11 "b\n"`, `2 12 "c\n"|1 10 "a\n"|1 11 "b\n"|2 13 "d\n"`}, "0 12 c|10 12 a|11 12 b|11 13 d"},
		"after a clock was set back":  {"", []string{`1 50 "a\n"|1 10 "b\n"|1 11 "c\n"`, `1 11 "c\n"|1 12 "d\n"`}, "50 0 a|10 0 b|11 0 c|12 0 d"},
		"nothing":                     {"", []string{""}, ""},
		"what the engine has no more": {"10 0", []string{`1 12 "c\n"|1 13 "d\n"`}, "10 0 " + gapMark + "|12 0 c|13 0 d"},
		"and of the other stream":     {"10 30", []string{`1 12 "c\n"|2 30 "x\n"|2 31 "y\n"`}, "12 30 c|12 31 y"},
		"nothing new":                 {"10 0", []string{`1 10 "a\n"`}, ""},
		"empty lines":                 {"", []string{`1 10 "\n"|1 11 "\n"`}, "10 0 |11 0 "},
	}
	seconds := func(at time.Time) int64 { return max(0, at.Unix()) }
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			l := newRunLog(runs.Position{}, secrets.NewRedactor(nil), func(to runs.Position, text string) error {
				got = append(got, fmt.Sprint(seconds(to.Out), " ", seconds(to.Err), " ", text))
				return nil
			})
			var out, errs int64
			if _, err := fmt.Sscan(c.after, &out, &errs); err == nil {
				l.streams[stdout].last = time.Unix(out, 0)
				if errs > 0 {
					l.streams[stderr].last = time.Unix(errs, 0)
				}
			}
			for _, reading := range c.readings {
				var all []string
				if reading != "" {
					all = strings.Split(reading, "|")
				}
				if err := l.read(entries(all...)); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.end(); err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("handed on were %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestALogThatIsNone(t *testing.T) {
	for name, text := range map[string]string{
		"a stream that is none": "\x09\x00\x00\x00\x00\x00\x00\x01x",
		"an endless entry":      "\x01\x00\x00\x00\xff\xff\xff\xffx",
		"no time":               "\x01\x00\x00\x00\x00\x00\x00\x03a b",
	} {
		l := newRunLog(runs.Position{}, secrets.NewRedactor(nil), func(runs.Position, string) error { return nil })
		if err := l.read(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	for name, text := range map[string]string{"half a header": "\x01\x00", "half an entry": "\x01\x00\x00\x00\x00\x00\x00\xffa", "nothing": ""} {
		l := newRunLog(runs.Position{}, secrets.NewRedactor(nil), func(runs.Position, string) error { return nil })
		if err := l.read(bufio.NewReader(strings.NewReader(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := errors.New("full")
	l := newRunLog(runs.Position{}, secrets.NewRedactor(nil), func(runs.Position, string) error { return full })
	if err := l.read(entries(`1 10 "a\n"`)); !errors.Is(err, full) {
		t.Errorf("the reader's own error became %v", err)
	}
}
