package store_test

import (
	"testing"

	"berth/core/access"
	"berth/core/stacks"
)

func TestAStackTellsWhoStoppedWhat(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	halted := stacks.ContainerState{Service: "web", Container: "web-1", State: "exited", ExitCode: 137, Changed: []string{stacks.ChangedHalted}}
	see := func(want string, c stacks.ContainerState) {
		t.Helper()
		_, err := y.SaveObserved(t.Context(), y.w.ID, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{c}}}, false, y.tick())
		y.must(err)
		if got := y.stack(id).Error; got != want {
			t.Errorf("the stack says %q, want %q", got, want)
		}
	}
	see(stacks.HaltedReason("web", ""), halted) // of an older release
	bob := access.Principal{Kind: access.KindUser, ID: "usr_2", Name: "bob@example.org"}
	y.must(y.RecordAct(t.Context(), id, "web", stacks.ActStop, someone))
	y.must(y.RecordAct(t.Context(), id, "web", stacks.ActRestart, bob))
	y.must(y.RecordAct(t.Context(), id, "other", stacks.ActStop, bob))
	see("compose service web was stopped through Berth by ada@example.org; start it, or sync the stack, to have it run again", halted)
	see("", healthy[0])
	if y.audits("service.stop") != 2 || y.audits("service.restart") != 1 {
		t.Error("not every act is in the audit")
	}
	y.refused("an act on no stack", y.RecordAct(t.Context(), "stk_none", "web", stacks.ActStop, someone), "stack.not_found")
}
