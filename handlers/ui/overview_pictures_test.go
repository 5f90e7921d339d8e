package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"berth/core"
	"berth/core/fleet"
	"berth/core/stacks"
)

// tallied is the last day of sampleNow with what ended in hour 0, 10 and 23.
func tallied(span stacks.Span) stacks.Tally {
	t := stacks.NewTally(span, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 100 * time.Second})
	t.Ended[0][stacks.DeploymentSucceeded] = 2
	t.Ended[10][stacks.DeploymentSucceeded], t.Ended[10][stacks.DeploymentFailed], t.Ended[10][stacks.DeploymentLost] = 5, 4, 1
	t.Ended[span.Steps-1][stacks.DeploymentRolledBack], t.Ended[span.Steps-1][stacks.DeploymentCancelled] = 1, 2
	return t
}

func TestADayOfDeploymentsIsDrawnAsItWas(t *testing.T) {
	a := activityOf(tallied(stacks.LastDay(sampleNow)), sampleNow)
	if len(a.Columns) != 24 || a.Top != 10 || a.Width != 240 || a.Days || a.From.ISO != "2025-11-20T10:00:00Z" {
		t.Fatalf("%d columns, at most %d, %d wide, from %s", len(a.Columns), a.Top, a.Width, a.From.ISO)
	}
	const want = "Deployments that ended. Last 24 hours, by the hour: 4 failed, 1 unknown, 1 rolled back, 7 succeeded, 2 cancelled. At most 10 an hour."
	if a.Text != want {
		t.Errorf("in words it is %q\nwant %q", a.Text, want)
	}
	for i, want := range map[int]string{0: "20 Nov, 10:00 to 11:00 UTC: 2 succeeded", 1: "20 Nov, 11:00 to 12:00 UTC: none", 10: "20 Nov, 20:00 to 21:00 UTC: 4 failed, 1 unknown, 5 succeeded",
		13: "20 Nov, 23:00 to 00:00 UTC: none", 23: "21 Nov, 09:00 to 10:00 UTC: 1 rolled back, 2 cancelled"} {
		if got := a.Columns[i].Title; got != want {
			t.Errorf("column %d says %q, want %q", i, got, want)
		}
	}
	for i, want := range map[int][]part{0: {{800, 200, "ok"}}, 1: nil, 10: {{608, 392, "bad"}, {480, 128, "bad"}, {0, 480, "ok"}}, 23: {{887, 113, "warn"}, {700, 187, "idle"}}} {
		if got := a.Columns[i].Parts; !slices.Equal(got, want) {
			t.Errorf("column %d is made of %v, want %v", i, got, want)
		}
	}
	if got, want := fmt.Sprint(a.Figures), "[{Succeeded 53 %} {Median time 2.0 s} {95 % took up to 1 min 40 s}]"; got != want {
		t.Errorf("the figures are %s, want %s", got, want)
	}
	var rows []string
	for _, r := range a.Rows {
		rows = append(rows, fmt.Sprint(r.Day, r.When.ISO, " ", r.Words, " ", r.Total, r.Href == "/deployments?after="+core.FirstID(core.PrefixDeployment, mustTime(t, r.When.ISO).Add(time.Hour))))
	}
	if want := []string{"2025-11-21T09:00:00Z 1 rolled back, 2 cancelled 3 true", "2025-11-20T20:00:00Z 4 failed, 1 unknown, 5 succeeded 10 true", "2025-11-20T10:00:00Z 2 succeeded 2 true"}; !slices.Equal(rows, want) {
		t.Errorf("the lines are %q, want %q", rows, want)
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAFortnightOfDeploymentsIsDrawnByTheDay(t *testing.T) {
	a := activityOf(tallied(stacks.LastFortnight(sampleNow)), sampleNow)
	if len(a.Columns) != 14 || !a.Days || a.Span != "Last 14 days, by the day" || a.Columns[13].Title != "Fri 21 Nov: 1 rolled back, 2 cancelled" || a.Rows[2].Day != "Sat 8 Nov" {
		t.Errorf("got %+v", a)
	}
	single := stacks.NewTally(stacks.LastFortnight(sampleNow), nil)
	single.Ended[4][stacks.DeploymentSucceeded] = 1
	if one := activityOf(single, sampleNow); one.Top != 4 || !slices.Equal(one.Columns[4].Parts, []part{{750, 250, "ok"}}) || !strings.HasSuffix(one.Text, "1 succeeded. At most 1 a day.") {
		t.Errorf("a single one is %v below %d, %q", one.Columns[4].Parts, one.Top, one.Text)
	}
	if empty := activityOf(stacks.NewTally(stacks.LastFortnight(sampleNow), nil), sampleNow); empty.Columns != nil || empty.Span != "" || empty.Text != "" {
		t.Errorf("nothing is drawn as %+v", empty)
	}
}

func TestColumnsStayInTheirFrame(t *testing.T) {
	a := activityOf(sampleTally(stacks.LastDay(sampleNow)), sampleNow)
	highest := columnHeight
	for _, c := range a.Columns {
		ground := columnHeight
		for _, p := range c.Parts {
			if p.Y+p.H != ground || p.H < partLeast || p.Y < 0 {
				t.Errorf("at %d a part lies at %d, %d high, above %d", c.X, p.Y, p.H, ground)
			}
			ground = p.Y
		}
		highest = min(highest, ground)
	}
	if highest != 0 {
		t.Errorf("the highest column ends at %d", highest)
	}
}

func TestFiguresSayNothingThatIsNotSo(t *testing.T) {
	for name, c := range map[string]struct {
		total map[stacks.DeploymentState]int
		times []time.Duration
		want  string
	}{
		"all well":                 {map[stacks.DeploymentState]int{stacks.DeploymentSucceeded: 3, stacks.DeploymentSuperseded: 9}, []time.Duration{time.Second}, "[{Succeeded 100 %} {Median time 1.0 s} {95 % took up to 1.0 s}]"},
		"one of thousands failed":  {map[stacks.DeploymentState]int{stacks.DeploymentSucceeded: 9999, stacks.DeploymentFailed: 1}, nil, "[{Succeeded 99 %}]"},
		"one of thousands is well": {map[stacks.DeploymentState]int{stacks.DeploymentSucceeded: 1, stacks.DeploymentFailed: 9999}, nil, "[{Succeeded <1 %}]"},
		"none is well":             {map[stacks.DeploymentState]int{stacks.DeploymentLost: 1}, nil, "[{Succeeded 0 %}]"},
		"nothing was tried":        {map[stacks.DeploymentState]int{stacks.DeploymentCancelled: 1}, nil, "[]"},
	} {
		if got := fmt.Sprint(figuresOf(stacks.Tally{Times: c.times}, c.total)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestSharesFillTheirLine(t *testing.T) {
	for _, counts := range [][]int{{1}, {1, 1}, {9962, 37, 1}, {1, 9999}, {0, 3, 0}, {100, 99, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}, {2, 997, 1}} {
		end := 0
		for i, w := range portions(counts, shareLength, shareLeast) {
			if counts[i] > 0 && w < shareLeast || counts[i] == 0 && w != 0 {
				t.Errorf("of %v number %d is %d wide", counts, i, w)
			}
			end += w
		}
		if end != shareLength {
			t.Errorf("%v are %d wide", counts, end)
		}
	}
	if got := portions([]int{0, 0}, shareLength, shareLeast); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("nothing is %v wide", got)
	}
	segments := segmentsOf(map[stacks.Status]int{stacks.StatusActive: 997, stacks.StatusError: 2, stacks.StatusNew: 1})
	if got, want := stacksInWords(segments, 1000), "Stacks by status: 1000 in all, 2 error, 997 active, 1 new."; got != want || len(segments) != 3 || segments[2].X+segments[2].W != shareLength {
		t.Errorf("%+v\nin words %q, want %q", segments, got, want)
	}
}

func TestAFleetIsDrawnWhateverItsSize(t *testing.T) {
	for _, c := range []struct {
		fleet    fleet.Presence
		text     string
		segments string
		longest  bool
	}{
		{fleet.Presence{Online: 1}, "The one worker is online.", "Online 1 0+1000", false},
		{fleet.Presence{Away: 1}, "The one worker is offline.", "Offline 1 0+1000", false},
		{fleet.Presence{Unheard: 1}, "Whether the one worker is there is not known.", "Not known 1 0+1000", false},
		{fleet.Presence{Never: 1}, "The one worker has never connected.", "Never connected 1 0+1000", false},
		{fleet.Presence{Online: 9, Unheard: 3}, "12 workers: 3 not known, 9 online.", "Not known 3 0+258 Online 9 258+742", false},
		{fleet.Presence{Online: 9, Away: 3}, "12 workers: 3 offline, 9 online.", "Offline 3 0+258 Online 9 258+742", false},
		{fleet.Presence{Online: 9962, Away: 37, Never: 1}, "10000 workers: 37 offline, 9962 online, 1 never connected.", "Offline 37 0+19 Online 9962 19+965 Never connected 1 984+16", true},
	} {
		p := fleetOf(c.fleet)
		var segments []string
		for _, s := range p.Segments {
			segments = append(segments, fmt.Sprintf("%s %d %d+%d", s.Word, s.Count, s.X, s.W))
		}
		if got := strings.Join(segments, " "); got != c.segments || p.Text != c.text || p.Longest != c.longest || p.Total != c.fleet.Total() {
			t.Errorf("%+v is %q, %q, longest %t", c.fleet, got, p.Text, p.Longest)
		}
	}
}

// TestPicturesHaveWords: each picture on each overview says in words what it shows, and what it says
// stands beside it as text or as a table.
func TestPicturesHaveWords(t *testing.T) {
	for name, want := range map[string]int{"overview": 10, "overview-large": 11, "overview-quiet": 2, "overview-empty": 0} {
		page, err := samples()[name].render()
		if err != nil {
			t.Fatal(err)
		}
		pictures := 0
		walk(t, page, func(n *html.Node) {
			if n.Type != html.ElementNode || n.Data != "svg" || attr(n, "aria-hidden") == "true" {
				return
			}
			pictures++
			if attr(n, "role") != "img" || len(attr(n, "aria-label")) < 20 {
				t.Errorf("%s: a picture is a %q called %q", name, attr(n, "role"), attr(n, "aria-label"))
			}
			titles := 0
			for c := range n.Descendants() {
				if c.Data == "title" && text(c) != "" {
					titles++
				}
			}
			if titles == 0 {
				t.Errorf("%s: the picture %q has no titles", name, attr(n, "aria-label"))
			}
		})
		if pictures != want {
			t.Errorf("%s has %d pictures, want %d", name, pictures, want)
		}
		if hasTable := bytes.Contains(page, []byte("As a table")); hasTable != (want >= 10) {
			t.Errorf("%s has a table: %t", name, hasTable)
		}
	}
}
