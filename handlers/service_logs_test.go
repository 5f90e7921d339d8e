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
	later   chan string // what is said to those who follow
}

var saidAt = time.Date(2023, 11, 14, 22, 13, 23, 456, time.UTC)

// Logs says a line every twelve hours.
func (l talker) Logs(ctx context.Context, _ stacks.Stack, _ string, ask stacks.LogAsk, w io.Writer) error {
	*l.asked = append(*l.asked, ask)
	if ask.Times && l.untimed {
		return fault.New(fault.Conflict, "worker.no_times", "The worker tells no times.")
	}
	for i, line := range l.lines {
		if err := l.say(i, line, ask.Times, w); err != nil {
			return err
		}
	}
	for i := len(l.lines); ask.Follow && l.later != nil; i++ {
		select {
		case line := <-l.later:
			if err := l.say(i, line, ask.Times, w); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (l talker) say(number int, line string, times bool, w io.Writer) error {
	if times {
		line = stacks.LineTime(saidAt.Add(time.Duration(number)*12*time.Hour)) + line
	}
	_, err := io.WriteString(w, line+"\n")
	return err
}

// speaks makes the stand's hub one whose services say lines.
func (s *stand) speaks(untimed bool, lines ...string) *[]stacks.LogAsk {
	l := talker{lines: lines, untimed: untimed, asked: &[]stacks.LogAsk{}}
	s.hears(l)
	return l.asked
}

func (s *stand) hears(l talker) {
	s.deps.Stacks.Live, s.deps.UI.Live = l, l
	s.build()
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

// TestThePageOfALogShowsWhenLinesWereWritten, and the day where another one begins.
func TestThePageOfALogShowsWhenLinesWereWritten(t *testing.T) {
	s := newStand(t)
	s.found()
	s.speaks(false, "one <b>", "10%\r\x1b[31m20%\x1b[0m", "2023 three")
	session, id := s.spoken()
	logs := "/stacks/" + id + "/services/web/logs"
	page := s.browse(session, logs)
	says(t, page, 200, `<li data-day="14 Nov 2023, UTC"><time class="at is-clock" datetime="2023-11-14T22:13:23Z" title="14 Nov 2023, 22:13:23 UTC" data-second>22:13:23</time><span class="line">one &lt;b&gt;</span></li>`,
		`<li data-day="15 Nov 2023, UTC"><time class="at is-clock" datetime="2023-11-15T10:13:23Z"`, `<span class="line"><span class="sgr-31">20%</span></span>`, `<li><time class="at is-clock" datetime="2023-11-15T22:13:23Z"`,
		`name="times" value="off" data-times="log-box">`, `href="`+logs+`/file"`)
	if strings.Contains(page.Body.String(), "data-untimed") {
		t.Error("times are hidden, and nobody wants that")
	}
	says(t, s.browse(session, logs+"?times=off"), 200, `data-follow data-untimed>`, `data-times="log-box" checked>`, `href="`+logs+`/file?times=off"`, "22:13:23")
	found := s.browse(session, logs+"?q=2023")
	says(t, found, 200, "2023 three", "1 of 3", `<li data-day="15 Nov 2023, UTC"><time class="at is-clock" datetime="2023-11-15T22:13:23Z"`)
	if strings.Contains(found.Body.String(), "one &lt;b&gt;") {
		t.Error("the time of a line is searched")
	}
}

func TestALogIsFollowedAndSavedWithItsTimes(t *testing.T) {
	s := newStand(t)
	s.found()
	s.speaks(false, "one", "10%\r20%", "\x1b[31mred")
	session, id := s.spoken()
	logs := "/stacks/" + id + "/services/web/logs"
	for path, want := range map[string]string{
		"/follow":         "2023-11-14T22:13:23Z one\n2023-11-15T10:13:23Z 20%\n2023-11-15T22:13:23Z \x1b[31mred\x1b[m\n",
		"/follow?q=20":    "2023-11-15T10:13:23Z 20%\n",
		"/file":           "2023-11-14T22:13:23.000000456Z one\n2023-11-15T10:13:23.000000456Z 10%\r20%\n2023-11-15T22:13:23.000000456Z \x1b[31mred\n",
		"/file?times=off": "one\n10%\r20%\n\x1b[31mred\n",
	} {
		if w := s.browse(session, logs+path); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

// TestALogWithoutTimesIsShownAllTheSame: its worker is of an earlier release. What programs write is not taken for them.
func TestALogWithoutTimesIsShownAllTheSame(t *testing.T) {
	s := newStand(t)
	s.found()
	asked := s.speaks(true, "2023-11-14T22:13:23.000000456Z said by a program")
	session, id := s.spoken()
	logs := "/stacks/" + id + "/services/web/logs"
	page := s.browse(session, logs)
	says(t, page, 200, `<li><span class="at is-clock"></span><span class="line">2023-11-14T22:13:23.000000456Z said by a program</span></li>`, "There are no times", "data-untimed")
	if strings.Contains(page.Body.String(), "data-times") {
		t.Error("times are offered that nobody tells")
	}
	if len(*asked) != 2 || (*asked)[1].Times || (*asked)[1].Tail != 200 {
		t.Errorf("the worker was asked %+v", *asked)
	}
	for path, want := range map[string]string{"/follow": " 2023-11-14T22:13:23.000000456Z said by a program\n", "/file": "2023-11-14T22:13:23.000000456Z said by a program\n"} {
		if w := s.browse(session, logs+path); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}
