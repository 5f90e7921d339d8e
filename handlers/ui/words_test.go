package ui

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
)

func TestMomentsAndDurations(t *testing.T) {
	for want, then := range map[string]time.Time{
		"just now": before(59 * time.Second), "1 min ago": before(time.Minute), "59 min ago": before(time.Hour - time.Second), "1 h ago": before(time.Hour),
		"47 h ago": before(48*time.Hour - time.Second), "2 days ago": before(48 * time.Hour), "29 days ago": before(30*24*time.Hour - time.Second),
		"22 Oct": before(30 * 24 * time.Hour), "21 Nov 2024": before(365 * 24 * time.Hour), "in 3 h": sampleNow.Add(3 * time.Hour),
	} {
		if got := at(then, sampleNow).Ago; got != want {
			t.Errorf("%s is %q, want %q", then, got, want)
		}
	}
	if m := at(time.Time{}, sampleNow); m != (moment{}) {
		t.Errorf("never is %+v", m)
	}
	berlin := time.FixedZone("CET", 3600)
	if m := at(sampleNow.In(berlin), sampleNow); m.ISO != "2025-11-21T09:30:00Z" || m.UTC != "21 Nov 2025, 09:30:00 UTC" {
		t.Errorf("a time of another zone is %+v", m)
	}
	for want, d := range map[string]time.Duration{"<1 ms": 0, "1 ms": time.Millisecond, "999 ms": 999 * time.Millisecond, "1.0 s": time.Second, "9.9 s": 9949 * time.Millisecond,
		"10 s": 10 * time.Second, "1 min 01 s": 61 * time.Second, "2 h 05 min": 125 * time.Minute, "": -1} {
		if got := took(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "compose service db is unhealthy": "Compose service db is unhealthy.", "apps/web changed": "apps/web changed.", "done!": "done!",
		"Already so.": "Already so.", "wireops.yaml: line 3": "wireops.yaml: line 3.", "db": "Db.",
	} {
		if got := sentence(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestComplaintsStandBesideTheirFields(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	err := fault.BadFields("x.invalid", []fault.Field{{Path: "tags[0]", Problem: "no"}, {Path: "tags[1]", Problem: "no"}, {Path: "name", Problem: "too long"}, {Path: "other", Problem: "odd"}})
	c, ours := complain(r, err)
	name, tags, namesake := input{Name: "name"}, input{Name: "tags"}, input{Name: "tag"}
	rest := c.on(&namesake, &tags, &name)
	if !ours || c.Status != 422 || rest != "other: odd." {
		t.Errorf("ours %t, status %d, rest %q", ours, c.Status, rest)
	}
	if tags.Problem != "No." || name.Problem != "Too long." || namesake.Problem != "" || !tags.Focus || name.Focus {
		t.Errorf("tags %+v, name %+v, tag %+v", tags, name, namesake)
	}
	if c, _ := complain(r, fault.New(fault.Conflict, "x.y", "Not now.")); c.general() != "Not now." || c.Status != 409 {
		t.Errorf("a conflict is %q, %d", c.general(), c.Status)
	}
	if _, ours := complain(r, errors.New("disk on fire")); ours {
		t.Error("a defect is shown as if typing something else would help")
	}
}

func TestLogLines(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "a\r": "a", "10%\r20%\r30%": "30%", "10%\r20%\r": "20%", "": ""} {
		if got := lastStroke(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	var out bytes.Buffer
	l := &safeLines{w: &out, flush: func() error { return nil }}
	for _, piece := range []string{"fir", "st\nsec", "ond \x1b[31mred\n", strings.Repeat("x", maxLogLine+1), "\n"} {
		if n, err := l.Write([]byte(piece)); err != nil || n != len(piece) {
			t.Fatal(n, err)
		}
	}
	if want := " first\n second \x1b[31mred\x1b[m\n " + strings.Repeat("x", maxLogLine+1) + "\n \n"; out.String() != want {
		t.Errorf("the stream is %d bytes: %.80q", out.Len(), out.String())
	}
	end := &endOf{limit: 10}
	for range 100 {
		end.Write([]byte("12345\n"))
	}
	if got := string(end.end()); got != "345\n12345\n" && got != "2345\n12345\n" || cap(end.kept) > 64 {
		t.Errorf("the end is %q, in %d bytes", got, cap(end.kept))
	}
	end.timed = true
	if got := end.lines(); !slices.Equal(got, []serviceLogLine{{text: "12345"}}) {
		t.Errorf("with times it begins with a part of one: %+v", got)
	}
}

func TestPhasesStayInTheirFrame(t *testing.T) {
	for _, state := range []stacks.DeploymentState{stacks.DeploymentRunning, stacks.DeploymentFailed, stacks.DeploymentSucceeded} {
		for _, p := range sampleDeployment(state).Phases {
			if p.X < 0 || p.W < 0 || p.X+p.W > 1000 {
				t.Errorf("phase %s lies outside: %d + %d", p.Name, p.X, p.W)
			}
		}
	}
}

func TestNamesForFolders(t *testing.T) {
	for folder, want := range map[string]string{"": "", "apps/Web Shop": "web-shop", "apps/_x_": "x", "a/" + strings.Repeat("n", 80): strings.Repeat("n", 63), "äpps": "pps"} {
		if got := nameFrom(folder); got != want {
			t.Errorf("%q becomes %q, want %q", folder, got, want)
		} else if len(stacks.CheckName(got)) > 0 && got != "" {
			t.Errorf("%q is no name for a stack", got)
		}
	}
}

func TestEveryMessageHasItsPlace(t *testing.T) {
	for what, n := range said {
		if n.Text == "" || icons[n.Icon] == "" || n.Tone == "" {
			t.Errorf("%s says %+v", what, n)
		}
	}
	if n := noteOf(httptest.NewRequest(http.MethodGet, "/?said=<b>evil</b>", nil)); n != (note{}) {
		t.Errorf("a link put %q into a page", n.Text)
	}
}
