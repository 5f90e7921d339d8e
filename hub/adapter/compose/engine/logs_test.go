package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"berth/core/secrets"
	"berth/core/stacks"
	"berth/hub/worker"
)

// timesOf takes the times off the lines of a log; each has one.
func timesOf(t *testing.T, log string) (times []time.Time, text string) {
	t.Helper()
	for line := range strings.Lines(log) {
		at, rest, timed := stacks.CutLineTime(line)
		if !timed {
			t.Errorf("there is no time before %q", line)
		}
		times, text = append(times, at), text+rest
	}
	return times, text
}

func TestLogsTellWhenLinesWereWritten(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-time.Second)
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "echo one; sleep 1; echo two >&2; printf three; sleep 3600"], stop_signal: SIGKILL}, term: {image: IMAGE, network_mode: none, tty: true, command: [sh, -c, "echo plain; echo; echo more"]}, twin: {image: IMAGE, network_mode: none, scale: 2, command: [echo, hello]}}`)
	s.apply()
	read := func(service string, tail int) ([]time.Time, string) {
		t.Helper()
		var out bytes.Buffer
		if err := s.engine.Logs(t.Context(), s.Name, service, worker.LogAsk{Tail: tail, Times: true}, &out); err != nil {
			t.Fatal(err)
		}
		return timesOf(t, out.String())
	}
	s.until("the lines are there", func() bool { _, text := read("web", 100); return strings.Contains(text, "two") })
	times, text := read("web", 2)
	if text != "one\ntwo\n" || times[1].Sub(times[0]) < 900*time.Millisecond || times[0].Before(began) || times[1].After(time.Now().Add(time.Second)) {
		t.Errorf("it is %q, written at %v", text, times)
	}
	s.output("term")
	if _, text := read("term", 10); text != "plain\r\n\r\nmore\r\n" {
		t.Errorf("a terminal wrote %q", text)
	}
	s.until("both wrote", func() bool { _, text := read("twin", 10); return strings.Count(text, "hello") == 2 })
	if _, text := read("twin", 10); !strings.Contains(text, s.Name+"-twin-1 | hello\n") || !strings.Contains(text, s.Name+"-twin-2 | hello\n") {
		t.Errorf("two containers wrote %q", text)
	}
}

func TestLogsThatAreFollowedTellTimes(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "echo hello; sleep 3600"], stop_signal: SIGKILL}}`)
	s.apply()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out recorder
	ended := make(chan error, 1)
	go func() {
		ended <- s.engine.Logs(ctx, s.Name, "web", worker.LogAsk{Tail: 10, Follow: true, Times: true}, &out)
	}()
	s.until("the first hello", func() bool { return strings.HasSuffix(out.String(), " hello\n") })
	s.Recreate = true
	s.apply()
	s.until("the second hello", func() bool { return strings.Count(out.String(), " hello\n") == 2 })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the end of the context is an error: %v", err)
	}
	if times, text := timesOf(t, out.String()); text != "hello\nhello\n" || !times[0].Before(times[1]) {
		t.Errorf("it is %q, written at %v", text, times)
	}
}

// TestTimesTearNoSecret, neither one of several lines nor one that stands where the engine cuts a line.
func TestTimesTearNoSecret(t *testing.T) {
	t.Parallel()
	const says = `command: [sh, -c, "echo \"$$SHORT\"; head -c 16380 /dev/zero | tr '\\0' x; echo \"$$LONG\"; echo end; sleep 3600"], stop_signal: SIGKILL, environment: {SHORT: "${SHORT}", LONG: "${LONG}"}`
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, `+says+`}, term: {image: IMAGE, network_mode: none, tty: true, `+says+`}}`)
	s.secret("SHORT", "ab\ncd\nef")
	s.secret("LONG", "hunter-long-1")
	s.apply()
	for _, service := range []string{"web", "term"} {
		var text string
		s.until("it has said everything", func() bool {
			var out bytes.Buffer
			if err := s.engine.Logs(t.Context(), s.Name, service, worker.LogAsk{Tail: 100, Times: true, Secret: map[string]string{"SHORT": "${SHORT}", "LONG": "${LONG}"}}, &out); err != nil {
				t.Fatal(err)
			}
			_, text = timesOf(t, out.String())
			return strings.Contains(text, "end")
		})
		if got, want := strings.ReplaceAll(text, "\r", ""), "[secret]\n"+strings.Repeat("x", 16380)+"[secret]\nend\n"; got != want {
			t.Errorf("%s: the log is %.100q … %q", service, got, got[max(0, len(got)-100):])
		}
	}
}

func TestEntriesBecomeLinesWithTimes(t *testing.T) {
	const ten, eleven = "1970-01-01T00:00:10.000000000Z ", "1970-01-01T00:00:11.000000000Z "
	cases := map[string]struct {
		entries []string
		want    string
	}{
		"lines":              {[]string{`1 10 "a\n"`, `2 11 "b\n"`}, ten + "a\n" + eleven + "b\n"},
		"a line in parts":    {[]string{`1 10 "a"`, `2 11 "x\n"`, `1 11 "b\n"`}, eleven + "x\n" + ten + "ab\n"},
		"without an end":     {[]string{`1 10 "a\n"`, `1 11 "b"`}, ten + "a\n" + eleven + "b\n"},
		"an empty line":      {[]string{`1 10 "\n"`}, ten + "\n"},
		"a line without end": {[]string{`1 10 "` + strings.Repeat("x", maxLine) + `"`, `1 11 "y\n"`}, ten + strings.Repeat("x", maxLine) + "\n" + ten + "y\n"},
		"nothing":            {nil, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := timeLines(entries(c.entries...), false, secrets.NewRedactor(nil), &shared{w: &out}, ""); err != nil || out.String() != c.want {
				t.Errorf("it is %.200q, %v", out.String(), err)
			}
		})
	}
}

func TestATerminalsEntries(t *testing.T) {
	const ten, eleven = "2026-03-14T15:09:10Z ", "2026-03-14T17:09:11.5+02:00 "
	part := strings.Repeat("x", maxPart)
	cases := map[string]struct{ log, want string }{
		"lines":                          {ten + "a b\r\n" + eleven + "c\r\n", "10 a b\r\n|11 c\r\n"},
		"without an end":                 {ten + "a\n" + eleven + "b", "10 a\n|11 b"},
		"an empty line":                  {ten + "\n" + eleven + "b\n", "10 \n|11 b\n"},
		"a line that was cut":            {ten + part + eleven + "a\n", "10 " + part + "|11 a\n"},
		"a long line that was not":       {ten + part + "a b\n" + eleven + "c\n", "10 " + part + "|10 a b\n|11 c\n"},
		"a time within a line":           {ten + "at " + eleven + "\n", "10 at " + eleven + "\n"},
		"a log that ends behind a part":  {ten + part, "10 " + part},
		"a log that ends within a time":  {ten + "a\n2026-03-", "10 a\n"},
		"a log that ends behind a time":  {ten + "a\n" + eleven, "10 a\n"},
		"a line that ends where it must": {ten + part[1:] + "\n" + eleven + "b\n", "10 " + part[1:] + "\n|11 b\n"},
		"nothing":                        {"", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			err := readTerminal(bufio.NewReader(strings.NewReader(c.log)), func(e entry) error {
				got = append(got, e.at.UTC().Format("05 ")+e.text)
				return nil
			})
			if strings.Join(got, "|") != c.want || err != nil {
				t.Errorf("its entries are %.200q, %v", got, err)
			}
		})
	}
	full := errors.New("full")
	if err := readTerminal(bufio.NewReader(strings.NewReader(ten+"a\n")), func(entry) error { return full }); !errors.Is(err, full) {
		t.Errorf("the reader's own error became %v", err)
	}
	for _, log := range []string{"no time\n", strings.Repeat("x", 5000)} {
		if err := readTerminal(bufio.NewReader(strings.NewReader(log)), func(entry) error { return nil }); err == nil {
			t.Errorf("%.20q was read", log)
		}
	}
}
