package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/jobs"
)

func TestThirtyRunsAreDrawnAsTheyWere(t *testing.T) {
	p := pictureOf(sampleRuns(40), sampleNow, hubNotice{}).titled(sampleRuns(40), sampleNow, hubNotice{})
	const want = "The last 30 runs, oldest first: 1 failed, 1 unknown, 1 skipped, 1 cancelled, 26 succeeded. The longest took 2 min 28 s, the newest 1 min 20 s."
	if len(p.Bars) != pictureRuns || p.Width != 300 || p.Text != want || p.Top != "2 min 28 s" {
		t.Errorf("%d bars on %d, below %s: %q", len(p.Bars), p.Width, p.Top, p.Text)
	}
	highest := barHeight
	for i, b := range p.Bars {
		if b.X != i*barStep || b.Y+b.H != barHeight || b.H < barLeast || b.Y < 0 || !strings.Contains(b.Title, " UTC: ") {
			t.Errorf("bar %d is %+v", i, b)
		}
		highest = min(highest, b.Y)
	}
	if last := p.Bars[29]; highest != 0 || last.Tone != "ok" || last.Title != "Fri 21 Nov, 03:30 UTC: succeeded, 1 min 20 s" {
		t.Errorf("the highest ends at %d, the newest is %+v", highest, last)
	}
	var shapes []string
	for _, s := range p.Tones {
		shapes = append(shapes, fmt.Sprint(s.Tone, " ", strings.Count(s.D, "M")))
	}
	if want := []string{"bad 2", "idle 2", "ok 26"}; !slices.Equal(shapes, want) || !strings.HasPrefix(p.Tones[0].D, fmt.Sprintf("M%d %dh8v%dh-8Z", p.Bars[9].X, p.Bars[9].Y, p.Bars[9].H)) {
		t.Errorf("in a list they are %q, %s", shapes, p.Tones[0].D)
	}
	if failed, skipped := p.Bars[29-4], p.Bars[29-9]; failed.Tone != "bad" || skipped.Tone != "idle" || skipped.H != barLeast || strings.Contains(skipped.Title, ",  ") {
		t.Errorf("one that failed is %+v, one that was skipped %+v", failed, skipped)
	}
}

func TestFewRunsStandAtTheEnd(t *testing.T) {
	two := sampleRuns(2)
	two[0].StartedAt, two[0].FinishedAt = time.Time{}, time.Time{}
	two[0].State = jobs.RunQueued
	p := pictureOf(two, sampleNow, hubNotice{})
	if got := []int{p.Bars[0].X, p.Bars[1].X, p.Bars[0].H, p.Bars[1].H}; !slices.Equal(got, []int{280, 290, barHeight, barLeast}) {
		t.Errorf("they are drawn at %v", got)
	}
	if p.Text != "The last 2 runs, oldest first: 1 succeeded, 1 queued. The longest took 1 min 33 s." {
		t.Errorf("in words: %q", p.Text)
	}
	one := pictureOf(sampleRuns(1), sampleNow, hubNotice{})
	if one.Text != "The only run so far: succeeded. It took 1 min 20 s." || one.Bars[0].H != barHeight {
		t.Errorf("the only one is %+v", one)
	}
	if none := pictureOf(nil, sampleNow, hubNotice{}); none.Text != "" || none.Bars != nil {
		t.Errorf("nothing is drawn as %+v", none)
	}
}

func TestFiguresOfRuns(t *testing.T) {
	runs := sampleRuns(30)
	if got := runFigures(runs); len(got) != 2 || got[0].Value != "92 %" || got[1].Name != "Median time" {
		t.Errorf("of thirty they are %v", got)
	}
	if got := runFigures(runs[4:5]); len(got) != 1 || got[0].Value != "0 %" {
		t.Errorf("of one that failed they are %v", got)
	}
	if got := runFigures(runs[9:10]); got != nil {
		t.Errorf("of one that was skipped they are %v", got)
	}
	if got := lastToRun(append(runs, jobs.Run{Job: "job_2"}, jobs.Run{Job: "job_3"}), 2); len(got) != 2 || got[0] != "job_1" || got[1] != "job_2" {
		t.Errorf("what ran last is %v", got)
	}
}
