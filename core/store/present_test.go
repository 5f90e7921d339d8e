package store_test

import (
	"maps"
	"testing"

	"berth/core"
)

func TestWhatTheAuditNamesHasANameUntilItIsDeleted(t *testing.T) {
	y := openYard(t)
	s, err := y.Stack(t.Context(), y.add("web"))
	y.must(err)
	d := y.queue(wish(s.ID))
	gone := core.NewID(core.PrefixStack, y.at)
	ids := []string{string(s.ID), string(s.ID), gone, string(s.Repository), core.NewID(core.PrefixJob, y.at), core.NewID(core.PrefixServiceAccount, y.at), string(y.w.ID), string(y.w.TokenID), string(d.ID), "default", ""}
	got, err := y.Named(t.Context(), ids)
	y.must(err)
	if want := map[string]string{string(s.ID): "web", string(s.Repository): "demo", string(y.w.ID): "web-1", string(y.w.TokenID): "", string(d.ID): ""}; !maps.Equal(got, want) {
		t.Errorf("they are called %v, want %v", got, want)
	}
	if got, err := y.Named(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing, %v %v have names", got, err)
	}
}
