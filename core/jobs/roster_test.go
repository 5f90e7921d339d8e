package jobs

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
)

func TestRunsAreDealtFairly(t *testing.T) {
	for sentence, c := range map[string]struct {
		workers []Candidate
		runs    int
		want    map[core.WorkerID]int
	}{
		"equals get equally many":           {[]Candidate{{Worker: "a"}, {Worker: "b"}, {Worker: "c"}}, 3000, map[core.WorkerID]int{"a": 1000, "b": 1000, "c": 1000}},
		"who has more gets fewer":           {[]Candidate{{Worker: "a", Open: 10}, {Worker: "b"}}, 20, map[core.WorkerID]int{"a": 5, "b": 15}},
		"whose turn is longest ago, begins": {[]Candidate{{Worker: "a", ChosenAt: noon}, {Worker: "b", ChosenAt: noon.Add(-time.Hour)}, {Worker: "c", ChosenAt: noon}}, 1, map[core.WorkerID]int{"b": 1}},
		"who was never chosen, begins":      {[]Candidate{{Worker: "a", ChosenAt: noon}, {Worker: "b"}}, 1, map[core.WorkerID]int{"b": 1}},
	} {
		r, got := NewRoster(c.workers), map[core.WorkerID]int{}
		for i := range c.runs {
			for _, id := range r.deal(fmt.Sprint("run ", i), Definition{Mode: ModeOnce}) {
				got[id]++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
}

func TestADecisionThatIsMadeAgainCountsOnce(t *testing.T) {
	r := NewRoster([]Candidate{{Worker: "a"}, {Worker: "b", Open: 5}})
	for range 4 {
		if got := r.deal("fire", Definition{}); len(got) != 1 || got[0] != "a" {
			t.Fatalf("dealt to %v", got)
		}
	}
	if r.workers[0].Open != 1 {
		t.Errorf("a has %d runs", r.workers[0].Open)
	}
	if got := r.dealTo("fire", Definition{}, "b"); len(got) != 1 || r.workers[0].Open != 0 || r.workers[1].Open != 6 {
		t.Errorf("dealt to %v: %+v", got, r.workers)
	}
	for sentence, got := range map[string][]core.WorkerID{
		"one that is not there":     r.dealTo("x", Definition{}, "c"),
		"one that lacks a tag":      r.dealTo("x", Definition{Tags: []string{"eu"}}, "b"),
		"one of whom a tag is lost": r.deal("x", Definition{Tags: []string{"eu"}}),
	} {
		if got != nil {
			t.Errorf("%s: dealt to %v", sentence, got)
		}
	}
}

func TestARosterLeavesItsCandidatesAlone(t *testing.T) {
	all := []Candidate{{Worker: "b"}, {Worker: "a"}}
	NewRoster(all).deal("x", Definition{Mode: ModeOnceAll})
	if all[0].Worker != "b" || all[0].Open != 0 || all[1].Open != 0 {
		t.Errorf("they are %+v", all)
	}
}
