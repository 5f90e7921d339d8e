package store_test

import (
	"maps"
	"testing"

	"berth/core"
)

func TestWhatTheAuditNamesIsPresentUntilItIsDeleted(t *testing.T) {
	y := openYard(t)
	s, err := y.Stack(t.Context(), y.add("web"))
	y.must(err)
	gone := core.NewID(core.PrefixStack, y.at)
	ids := []string{string(s.ID), string(s.ID), gone, string(s.Repository), core.NewID(core.PrefixJob, y.at), core.NewID(core.PrefixServiceAccount, y.at), "default", ""}
	got, err := y.Present(t.Context(), ids)
	y.must(err)
	if want := map[string]bool{string(s.ID): true, string(s.Repository): true}; !maps.Equal(got, want) {
		t.Errorf("present are %v, want %v", got, want)
	}
	if got, err := y.Present(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing, %v %v are present", got, err)
	}
}
