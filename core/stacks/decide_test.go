package stacks

import (
	"strings"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	inSync := Stack{Path: "apps/web", AutoSync: true, Seen: "c1", SeenTree: "t1", DeployedTree: "t1"}
	with := func(change func(*Stack)) Stack {
		s := inSync
		change(&s)
		return s
	}
	failed := func(change func(*Stack)) Stack {
		s := with(func(s *Stack) {
			s.Status, s.Retry = StatusError, Retry{Trigger: TriggerPoll, Of: "dep_1", Failed: "c2"}
		})
		change(&s)
		return s
	}
	repeats := Verdict{OutOfSync: true, Record: true, Settled: true, Reason: "commit c2, which was deployed already and failed for what is in its files"}
	for name, c := range map[string]struct {
		stack Stack
		sight Sight
		want  Verdict // Reason and Problem: a part of them
	}{
		"the very commit again": {inSync, Sight{Commit: "c1", Tree: "t1"}, Verdict{Reason: "apps/web at commit c1 is as it was at the last look"}},
		"another commit, the same tree": {inSync, Sight{Commit: "c2", Tree: "t1"},
			Verdict{Reason: "apps/web at commit c2 is as it was at the last look", Record: true}},
		"a tree that changed":        {inSync, Sight{Commit: "c2", Tree: "t2"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "apps/web changed at commit c2"}},
		"the first look":             {with(func(s *Stack) { s.Seen, s.SeenTree, s.DeployedTree = "", "", "" }), Sight{Commit: "c1", Tree: "t1"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "first look at apps/web, commit c1"}},
		"by hand only":               {with(func(s *Stack) { s.AutoSync = false }), Sight{Commit: "c2", Tree: "t2"}, Verdict{OutOfSync: true, Record: true, Reason: "sync it by hand"}},
		"by hand, and nothing new":   {with(func(s *Stack) { s.AutoSync = false }), Sight{Commit: "c2", Tree: "t1"}, Verdict{Record: true, Reason: "as it was"}},
		"the folder is gone":         {inSync, Sight{Commit: "c2"}, Verdict{OutOfSync: true, Record: true, Problem: "commit c2 has no folder apps/web", Reason: "what runs was left alone"}},
		"the folder is still gone":   {with(func(s *Stack) { s.Seen, s.OutOfSync = "c2", true }), Sight{Commit: "c2"}, Verdict{OutOfSync: true, Problem: "has no folder", Reason: "has no folder"}},
		"paused, noted already":      {with(func(s *Stack) { s.Seen, s.Paused, s.OutOfSync = "c2", true, true }), Sight{Commit: "c2", Tree: "t2"}, Verdict{OutOfSync: true, Reason: "is paused"}},
		"paused, taken back since":   {with(func(s *Stack) { s.Seen, s.Paused = "c2", true }), Sight{Commit: "c2", Tree: "t2"}, Verdict{OutOfSync: true, Record: true, Reason: "is paused"}},
		"gone though never seen":     {Stack{Path: "x", AutoSync: true}, Sight{Commit: "c1"}, Verdict{OutOfSync: true, Record: true, Problem: "has no folder x", Reason: "has no folder x"}},
		"the root has a name":        {with(func(s *Stack) { s.Path = "" }), Sight{Commit: "c2", Tree: "t2"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "the repository's root changed"}},
		"seen, but not deployed":     {with(func(s *Stack) { s.DeployedTree, s.OutOfSync = "t0", true }), Sight{Commit: "c1", Tree: "t1"}, Verdict{OutOfSync: true, Reason: "as it was"}},
		"back to what was deployed":  {with(func(s *Stack) { s.OutOfSync = true }), Sight{Commit: "c1", Tree: "t1"}, Verdict{Record: true, Reason: "as it was"}},
		"fallen behind meanwhile":    {with(func(s *Stack) { s.DeployedTree = "t0" }), Sight{Commit: "c1", Tree: "t1"}, Verdict{OutOfSync: true, Record: true, Reason: "as it was"}},
		"it failed for its files":    {failed(func(*Stack) {}), Sight{Commit: "c2", Tree: "t2"}, repeats},
		"so did the first":           {failed(func(s *Stack) { s.Seen, s.SeenTree, s.DeployedTree = "", "", "" }), Sight{Commit: "c2", Tree: "t2"}, repeats},
		"a commit after that":        {failed(func(*Stack) {}), Sight{Commit: "c3", Tree: "t3"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "changed at commit c3"}},
		"a variable changed since":   {failed(func(s *Stack) { s.RetryAt = time.Unix(1, 0) }), Sight{Commit: "c2", Tree: "t2"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "changed at commit c2"}},
		"a rollback failed":          {failed(func(s *Stack) { s.Retry.Aim.Revision = 1 }), Sight{Commit: "c2", Tree: "t2"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "changed at commit c2"}},
		"a commit is named in short": {inSync, Sight{Commit: "0123456789abcdef", Tree: "t2"}, Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: "at commit 0123456789"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(c.stack, c.sight)
			if got.Deploy != c.want.Deploy || got.OutOfSync != c.want.OutOfSync || got.Record != c.want.Record || got.Settled != c.want.Settled {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
			if !strings.Contains(got.Reason, c.want.Reason) || !strings.Contains(got.Problem, c.want.Problem) || (got.Problem == "") != (c.want.Problem == "") || strings.Contains(got.Reason, "abcdef") {
				t.Errorf("it says %q and %q, want %q and %q", got.Reason, got.Problem, c.want.Reason, c.want.Problem)
			}
		})
	}
}
