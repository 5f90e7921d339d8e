package stacks

import (
	"context"
	"errors"
	"testing"

	"berth/core"
	"berth/core/fault"
)

// lacking says of every folder but one that the head lacks it.
type lacking struct{ there string }

func (l lacking) Lacks(_ context.Context, _ core.RepositoryID, path string) core.Commit {
	if path == l.there {
		return ""
	}
	return "c0ffee1234567890c0ffee1234567890c0ffee12"
}

func TestAStackNeedsItsFolder(t *testing.T) {
	s, plain := newShelf()
	desk := plain.Beside(lacking{"apps/web"})
	_, _, err := desk.Create(t.Context(), Draft{Name: "web", Repository: "rep_1", Path: "/apps/wbe/"}, ada)
	want := "commit c0ffee1234, the newest that was fetched, has no folder apps/wbe; add it to the repository first, or correct the path"
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "stack.invalid" || len(f.Fields) != 1 || f.Fields[0] != (fault.Field{Path: "path", Problem: want}) {
		t.Errorf("refused with %v", err)
	}
	if len(s.calls) != 0 {
		t.Errorf("the store was asked for %v", s.calls)
	}
	if _, _, err := desk.Create(t.Context(), Draft{Name: "web", Repository: "rep_1", Path: "apps/web/"}, ada); err != nil {
		t.Errorf("its folder is there: %v", err)
	}
	if _, _, err := plain.Create(t.Context(), Draft{Name: "web", Repository: "rep_1", Path: "apps/wbe"}, ada); err != nil {
		t.Errorf("nobody looks: %v", err)
	}
}

func TestAStackMovesToAFolderThatIsThere(t *testing.T) {
	for sentence, c := range map[string]struct {
		there, to string
		refused   bool
	}{
		"the folder is there":                    {"apps/shop", "./apps/shop/", false},
		"the folder is not there":                {"apps/shop", "apps/shpo", true},
		"it stays, though its own folder went":   {"apps/shop", "apps/web", false},
		"nobody has fetched, or everything fits": {"", "", false},
	} {
		s, plain := newShelf()
		_, err := plain.Beside(lacking{c.there}).Update(t.Context(), "stk_1", Change{Path: &c.to}, ada)
		var f *fault.Error
		if refused := errors.As(err, &f) && f.Code == "stack.invalid" && f.Fields[0].Path == "path"; refused != c.refused || c.refused == (s.nudges != 0) {
			t.Errorf("%s: %v, %d nudges", sentence, err, s.nudges)
		}
	}
	s, plain := newShelf()
	path := "apps/shop"
	s.err = fault.New(fault.NotFound, "stack.not_found", "no")
	if _, err := plain.Beside(lacking{}).Update(t.Context(), "stk_1", Change{Path: &path}, ada); fault.CodeOf(err) != "stack.not_found" {
		t.Errorf("a stack that is not there: %v", err)
	}
}
