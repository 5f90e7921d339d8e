package hub

import (
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// However few repositories there is room for at a time, each gets its turn before any gets
// a second one; those that somebody asked for go first.
func TestNoRepositoryIsPassedOverForEver(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newSchedule(time.Second)
	var all []repositories.Repository
	for _, id := range []core.RepositoryID{"a", "b", "c", "d", "e"} {
		all = append(all, repositories.Repository{ID: id})
	}
	s.know(all, now)
	var looked []core.RepositoryID
	for range 10 { // every look takes longer than the interval, and there is room for one
		id := s.known[s.dueNow(now)[0]].ID
		looked = append(looked, id)
		s.looked(id, now)
		now = now.Add(2 * time.Second)
	}
	if want := []core.RepositoryID{"a", "b", "c", "d", "e", "a", "b", "c", "d", "e"}; !slices.Equal(looked, want) {
		t.Errorf("looked at %v", looked)
	}
	s.known[3].AskedAt = now
	if due := s.dueNow(now); len(due) != 5 || due[0] != 3 {
		t.Errorf("due are %v, the asked one is 3", due)
	}
	for _, r := range s.known {
		s.looked(r.ID, now)
	}
	if due := s.dueNow(now); len(due) != 1 || due[0] != 3 {
		t.Errorf("right after a look %v are due", due)
	}
}

// A repository that has failed for long is looked at less often, also by a hub that began just now, unless somebody asks.
func TestAFailingRepositoryIsLookedAtLessAndLess(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newSchedule(10 * time.Second)
	s.know([]repositories.Repository{{ID: "good"}, {ID: "bad", ErrorCode: "git.unreachable", UpdatedAt: now.Add(-time.Hour)}}, now)
	looks := map[core.RepositoryID]int{}
	for range 3600 {
		for _, i := range s.dueNow(now) {
			looks[s.known[i].ID]++
			s.looked(s.known[i].ID, now)
		}
		now = now.Add(time.Second)
	}
	if looks["good"] < 360 || looks["good"] > 400 || looks["bad"] < 4 || looks["bad"] > 5 {
		t.Errorf("within an hour there were %v looks", looks)
	}
	s.known[1].AskedAt = now
	if due := s.dueNow(now); len(due) == 0 || s.known[due[0]].ID != "bad" {
		t.Errorf("asked for, it is not due first: %v", due)
	}
}

func TestAHostThatHangsLeavesRoomForOthers(t *testing.T) {
	freed := 0
	h := newHosts(func() { freed++ })
	enters := func(host string) (n int) {
		for n < 100 && h.enter(host) {
			n++
		}
		return n
	}
	if n := enters("slow"); n != maxOfHost || n >= maxPolls {
		t.Fatalf("a host that is not known got room for %d", n)
	}
	if n := enters("other"); n != maxOfHost {
		t.Errorf("another host got room for %d beside it", n)
	}
	away := fault.New(fault.Unavailable, "git.unreachable", "away")
	for range maxOfHost {
		h.leave("slow", away)
	}
	if freed != 1 {
		t.Errorf("that there is room again was told %d times", freed)
	}
	if n := enters("slow"); n != maxOfBadHost {
		t.Errorf("a host that was away got room for %d", n)
	}
	h.leave("slow", away)
	h.leave("slow", nil)
	if n := enters("slow"); n != maxOfHost {
		t.Errorf("a host that answers again got room for %d", n)
	}
	for range maxOfHost {
		h.leave("slow", nil)
		h.leave("other", nil)
	}
	if len(h.all) != 0 {
		t.Errorf("hosts at which nothing looks are kept: %v", h.all)
	}
}
