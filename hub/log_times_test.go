package hub

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

const (
	first  = "2026-03-14T15:09:26.000000001Z "
	second = "2026-03-14T15:09:27.000000001Z "
)

func TestALogTellsItsTimes(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	p := s.connectAs(w, wire.Hello{LogTimes: true})
	s.secret("TOKEN", "2026-03-14")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n"})
	s.says(st.ID, "services: {web: {environment: {TOKEN: \"${TOKEN}\"}}}\n")
	asked, log := s.logOf(p, st.ID, stacks.LogAsk{Tail: 10, Times: true}, first+"web-1 | it is 2026-03-14\n"+second+"\n")
	if want := first + "web-1 | it is [secret]\n" + second + "\n"; log != want || !asked.Times {
		t.Errorf("asked %+v, the log is %q", asked, log)
	}
	if asked, log := s.hides(p, st.ID, "2026-03-14 a line\n"); log != "[secret] a line\n" || asked.Times {
		t.Errorf("without times: asked %+v, the log is %q", asked, log)
	}
}

// TestAnOlderWorkerIsNotAskedForTimes: it would not know, and the times that programs write would be taken for its.
func TestAnOlderWorkerIsNotAskedForTimes(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	s.says(st.ID, "services: {web: {}}\n")
	var out bytes.Buffer
	for want, st := range map[string]stacks.Stack{"worker.no_times": st, "stack.not_deployed": {ID: st.ID}, "worker.offline": {ID: st.ID, Worker: "wrk_other"}} {
		if err := s.hub.Logs(t.Context(), st, "web", stacks.LogAsk{Tail: 10, Times: true}, &out); fault.CodeOf(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if asked, log := s.hides(p, st.ID, "a line\n"); log != "a line\n" || asked.Times {
		t.Errorf("asked %+v, the log is %q", asked, log)
	}
}

func TestSecretsInALogWithTimes(t *testing.T) {
	cases := map[string]struct{ log, want string }{
		"of one line":          {first + "a hunter-two b\n", first + "a [secret] b\n"},
		"of several lines":     {first + "<ab\n" + second + "cd>\n" + second + "x\n", first + "<[secret]>\n" + second + "x\n"},
		"without an end":       {first + "a\n" + second + "hunter-two", first + "a\n" + second + "[secret]"},
		"lines without times":  {"a\n" + first + "b\n", "a\n" + first + "b\n"},
		"an empty line":        {first + "\n" + second + "\n", first + "\n" + second + "\n"},
		"a time within a line": {first + second + "a\n", first + second + "a\n"},
		"nothing":              {"", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, len(c.log) + 1} {
				if got := inPieces(t, c.log, size); got != c.want {
					t.Errorf("in pieces of %d it is %q, want %q", size, got, c.want)
				}
			}
		})
	}
	full := errors.New("full")
	if _, err := hiding(nil, true, refusing{full}).Write([]byte(first + "a\n")); !errors.Is(err, full) {
		t.Errorf("a reader that is gone: %v", err)
	}
}

// inPieces is what is shown of a log that comes in pieces of so many bytes.
func inPieces(t *testing.T, log string, size int) string {
	t.Helper()
	var out bytes.Buffer
	shown := hiding([]secrets.Value{secrets.NewValue("hunter-two"), secrets.NewValue("ab\ncd")}, true, &out)
	for piece := range slices.Chunk([]byte(log), size) {
		if _, err := shown.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := shown.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestALineOfALogThatNeverEndsIsCut: what a worker sends is not kept without a bound.
func TestALineOfALogThatNeverEndsIsCut(t *testing.T) {
	long := strings.Repeat("x", maxTimedLine)
	if got := inPieces(t, first+long+second+"\n"+second+"a\n", 64); strings.Count(got, "x") != len(long) || strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "\n"+second+"a\n") {
		t.Errorf("it has %d bytes and ends with %q", len(got), got[len(got)-100:])
	}
}

// refusing takes nothing.
type refusing struct{ why error }

func (r refusing) Write([]byte) (int, error) { return 0, r.why }
