package stacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
)

// archive holds revisions: their numbers and images, newest first.
type archive []int

func (a archive) Revision(_ context.Context, stack core.StackID, number int) (Revision, error) {
	for _, n := range a {
		if n == number {
			return Revision{Stack: stack, Number: n}, nil
		}
	}
	return Revision{}, fault.New(fault.NotFound, "revision.not_found", "none")
}

func (a archive) Revisions(ctx context.Context, stack core.StackID, before, limit int) ([]Revision, error) {
	var all []Revision
	for _, n := range a {
		if (before == 0 || n < before) && len(all) < limit {
			all = append(all, Revision{Stack: stack, Number: n})
		}
	}
	return all, nil
}

func (a archive) Compose(_ core.StackID, number int) ([]byte, error) {
	switch number {
	case 4:
		return nil, fault.New(fault.NotFound, "revision.compose_missing", "none")
	case 5:
		return []byte("damaged"), nil
	}
	return fmt.Appendf(nil, `{"services":{"web":{"image":"web:%d"}}}`, number), nil
}

func (a archive) ReadDocument(content []byte) (core.Document, error) {
	var doc core.Document
	return doc, json.Unmarshal(content, &doc.Value)
}

func TestCompareFindsTheOneBefore(t *testing.T) {
	a := archive{9, 7, 5, 4, 2}
	c := NewComparer(a, a, a)
	cases := []struct {
		number, with int
		compared     int
		change       RevisionChange
		code         string
		first        bool
	}{
		{number: 9, compared: 7, change: RevisionChange{ChangeField, "web", "image", "web:7", "web:9", ""}},
		{number: 9, with: 2, compared: 2, change: RevisionChange{ChangeField, "web", "image", "web:2", "web:9", ""}},
		{number: 2, with: 9, compared: 9, change: RevisionChange{ChangeField, "web", "image", "web:9", "web:2", ""}},
		{number: 2, first: true},
		{number: 3, code: "revision.not_found"},
		{number: 9, with: 3, code: "revision.not_found"},
		{number: 4, code: "revision.compose_missing"},
		{number: 7, code: "revision.storage"}, // the one before is damaged
	}
	for _, want := range cases {
		changes, compared, err := c.Compare(t.Context(), "stk_1", want.number, want.with)
		if fault.CodeOf(err) != want.code && !(want.code == "" && err == nil) {
			t.Errorf("%d with %d: got %v, want %q", want.number, want.with, err, want.code)
			continue
		}
		if err == nil && want.first {
			if compared != 0 || changes == nil || len(changes) > 0 {
				t.Errorf("the first differs from %d in %+v", compared, changes)
			}
			continue
		}
		if err == nil && (compared != want.compared || len(changes) != 1 || changes[0] != want.change) {
			t.Errorf("%d with %d: got %d, %+v", want.number, want.with, compared, changes)
		}
	}
	broken := errors.New("broken")
	if _, _, err := NewComparer(unreadable{broken}, a, a).Compare(t.Context(), "stk_1", 9, 0); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// unreadable is a store that fails.
type unreadable struct{ err error }

func (u unreadable) Revision(context.Context, core.StackID, int) (Revision, error) {
	return Revision{}, u.err
}

func (u unreadable) Revisions(context.Context, core.StackID, int, int) ([]Revision, error) {
	return nil, u.err
}

func TestRenderedFilesAreComparedByLine(t *testing.T) {
	texts := keptTexts{1: "services:\n  web:\n    environment:\n      API_TOKEN: old-canary\n    image: web:1\n", 2: "services:\n  web:\n    environment:\n      API_TOKEN: new-canary\n    image: web:2\n", 3: "services:\n  web:\n    environment:\n      API_TOKEN: new-canary\n    image: web:2\n"}
	c := NewComparer(nil, texts, nil)
	diff, err := c.Rendered("stk_1", 2, 1)
	if err != nil || !strings.Contains(diff, "-    image: web:1\n") || !strings.Contains(diff, "+    image: web:2") || strings.Contains(diff, "canary") {
		t.Errorf("got %v\n%s", err, diff)
	}
	if diff, err := c.Rendered("stk_1", 3, 2); err != nil || diff != "" {
		t.Errorf("the same text differs by %q, %v", diff, err)
	}
	if _, err := c.Rendered("stk_1", 3, 9); fault.CodeOf(err) != "revision.compose_missing" {
		t.Errorf("got %v", err)
	}
}

// keptTexts are rendered files by revision.
type keptTexts map[int]string

func (r keptTexts) Compose(_ core.StackID, number int) ([]byte, error) {
	if r[number] == "" {
		return nil, fault.New(fault.NotFound, "revision.compose_missing", "none")
	}
	return []byte(r[number]), nil
}
