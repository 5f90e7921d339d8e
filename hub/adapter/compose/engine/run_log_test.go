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

// TestALogIsReadOnFromAnyLine without gap or repetition, as a worker does that was restarted.
func TestALogIsReadOnFromAnyLine(t *testing.T) {
	t.Parallel()
	r := newRun(t, "sh", "-c", `for n in 1 2 3 4 5 6 7 8 9; do echo "line $n"; done; echo; echo oops >&2; sleep 0.1; printf 'no end'`)
	r.start()
	all := r.log(time.Time{}) // follows it while it runs
	var numbered []string
	for n := range 9 {
		numbered = append(numbered, fmt.Sprint("line ", n+1))
	}
	if got := slices.DeleteFunc(texts(all), func(text string) bool { return text == "oops" }); !slices.Equal(got, append(numbered, "", "no end")) || len(all) != 12 {
		t.Fatalf("all of it is %q", got)
	}
	for i := range all {
		if i > 0 && all[i].at.Before(all[i-1].at) {
			t.Errorf("line %d is older than the one before", i)
		}
		if rest := texts(r.log(all[i].at)); !slices.Equal(rest, texts(all[i+1:])) {
			t.Errorf("after line %d come %q", i, rest)
		}
	}
	if again := texts(r.log(time.Time{})); !slices.Equal(again, texts(all)) {
		t.Errorf("a second time it is %q", again)
	}
}

// TestNoLineOfAFastWriterIsMissing, though it ends with its last line.
func TestNoLineOfAFastWriterIsMissing(t *testing.T) {
	t.Parallel()
	const many = 20_000
	r := newRun(t, "sh", "-c", fmt.Sprintf(`n=0; while [ $n -lt %d ]; do echo "line $n"; n=$((n+1)); done`, many))
	r.start()
	all := r.log(time.Time{})
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
	got := texts(r.log(time.Time{}, "PASSWORD", "NOT_THERE"))
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
		after    int      // seconds; 0: from the beginning
		readings []string // each are entries with | between them
		want     string
	}{
		"lines":                          {0, []string{`1 10 "a\n"|2 11 "b\n"`}, "10 a|11 b"},
		"a line in parts":                {0, []string{`1 10 "a"|2 11 "x\n"|1 10 "b\n"`}, "11 x|11 ab"},
		"without an end":                 {0, []string{`1 10 "a\n"|1 11 "b"`}, "10 a|11 b"},
		"what was read before":           {0, []string{`1 10 "a\n"|1 11 "b\n"`, `1 11 "b\n"|1 12 "c\n"`}, "10 a|11 b|12 c"},
		"alike, and read before":         {0, []string{`1 10 "a\n"|1 10 "b\n"`, `1 10 "a\n"|1 10 "b\n"|1 10 "c\n"`}, "10 a|10 b|10 c"},
		"a part that is read again":      {0, []string{`1 10 "a\n"|1 11 "b"`, `1 10 "a\n"|1 11 "b"|1 11 "c\n"`}, "10 a|11 bc"},
		"after a moment":                 {10, []string{`1 10 "a\n"|1 11 "b\n"`}, "11 b"},
		"after a clock was set back":     {0, []string{`1 50 "a\n"|1 10 "b\n"|1 11 "c\n"`, `1 11 "c\n"|1 12 "d\n"`}, "50 a|10 b|11 c|12 d"},
		"nothing":                        {0, []string{""}, ""},
		"nothing new":                    {10, []string{`1 10 "a\n"`}, ""},
		"an empty line, and another one": {0, []string{`1 10 "\n"|1 11 "\n"`}, "10 |11 "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			l := &runLog{redactor: secrets.NewRedactor(nil), line: func(at time.Time, text string) error {
				got = append(got, fmt.Sprint(at.Unix(), " ", text))
				return nil
			}}
			if c.after > 0 {
				l.last = time.Unix(int64(c.after), 0)
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
		l := &runLog{redactor: secrets.NewRedactor(nil), line: func(time.Time, string) error { return nil }}
		if err := l.read(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	for name, text := range map[string]string{"half a header": "\x01\x00", "half an entry": "\x01\x00\x00\x00\x00\x00\x00\xffa", "nothing": ""} {
		l := &runLog{redactor: secrets.NewRedactor(nil), line: func(time.Time, string) error { return nil }}
		if err := l.read(bufio.NewReader(strings.NewReader(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := errors.New("full")
	l := &runLog{redactor: secrets.NewRedactor(nil), line: func(time.Time, string) error { return full }}
	if err := l.read(entries(`1 10 "a\n"`)); !errors.Is(err, full) {
		t.Errorf("the reader's own error became %v", err)
	}
}
