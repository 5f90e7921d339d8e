package handlers_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// talker is a hub whose services say lines, and note what they were asked.
type talker struct {
	noHub
	lines   []string
	untimed bool // its worker tells no times
	asked   *[]stacks.LogAsk
}

var saidAt = time.Date(2023, 11, 14, 22, 13, 23, 456, time.UTC)

// Logs says a line every twelve hours.
func (l talker) Logs(_ context.Context, _ stacks.Stack, _ string, ask stacks.LogAsk, w io.Writer) error {
	*l.asked = append(*l.asked, ask)
	if ask.Times && l.untimed {
		return fault.New(fault.Conflict, "worker.no_times", "The worker tells no times.")
	}
	for i, line := range l.lines {
		if ask.Times {
			line = stacks.LineTime(saidAt.Add(time.Duration(i)*12*time.Hour)) + line
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// speaks makes the stand's hub one whose services say lines.
func (s *stand) speaks(untimed bool, lines ...string) *[]stacks.LogAsk {
	l := talker{lines: lines, untimed: untimed, asked: &[]stacks.LogAsk{}}
	s.deps.Stacks.Live, s.deps.UI.Live = l, l
	s.build()
	return l.asked
}

// spoken is a stack with a compose service web, and a session that may look at it.
func (s *stand) spoken() (session, id string) {
	_, stack := s.madeStack(s.session(s.user(access.RoleOperator)))
	id = strings.TrimPrefix(stack, "/stacks/")
	s.exec(`UPDATE stacks SET containers = ? WHERE id = ?`, `[{"service":"web","container":"web-1","state":"running"}]`, id)
	return s.session(s.user(access.RoleViewer)), id
}

func TestALogIsReadWithTimestamps(t *testing.T) {
	s := newStand(t)
	s.found()
	asked := s.speaks(false, "one", "two")
	session, id := s.spoken()
	logs := "/api/custom/stacks/" + id + "/services/web/logs"
	for path, want := range map[string]string{
		"":                       "one\ntwo\n",
		"?timestamps=false":      "one\ntwo\n",
		"?timestamps=true":       "2023-11-14T22:13:23.000000456Z one\n2023-11-15T10:13:23.000000456Z two\n",
		"?timestamps=1&tail=1":   "2023-11-14T22:13:23.000000456Z one\n2023-11-15T10:13:23.000000456Z two\n",
		"?timestamps=&tail=1000": "one\ntwo\n",
	} {
		if w := s.browse(session, logs+path); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	*asked = nil
	if w := s.browse(session, logs+"?timestamps=yes"); w.Code != 422 || !strings.Contains(w.Body.String(), `"path":"timestamps"`) {
		t.Errorf("what is no boolean: %d %s", w.Code, w.Body)
	}
	if len(*asked) > 0 {
		t.Errorf("the worker was asked all the same: %+v", *asked)
	}
	s.speaks(true, "one")
	if w := s.browse(session, logs+"?timestamps=true"); w.Code != 409 || !strings.Contains(w.Body.String(), "worker.no_times") {
		t.Errorf("a worker that tells none: %d %s", w.Code, w.Body)
	}
	if w := s.browse(session, logs); w.Code != 200 || w.Body.String() != "one\n" {
		t.Errorf("without times: %d %s", w.Code, w.Body)
	}
}
