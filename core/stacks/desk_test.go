package stacks

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// shelf is a Store that remembers what it was asked, and a nudger that counts.
type shelf struct {
	calls  []string
	stack  Stack
	first  *Ask
	change Change
	ask    Ask
	by     access.Principal
	err    error
	nudges int
}

func (s *shelf) Nudge() { s.nudges++ }

func (s *shelf) CreateStack(_ context.Context, st Stack, first *Ask, by access.Principal) (Stack, Deployment, error) {
	s.calls, s.stack, s.first, s.by = append(s.calls, "create"), st, first, by
	return st, Deployment{ID: "dep_1"}, s.err
}

func (s *shelf) UpdateStack(_ context.Context, id core.StackID, change Change, by access.Principal) (Stack, error) {
	s.calls, s.change, s.by = append(s.calls, "update "+string(id)), change, by
	return Stack{ID: id}, s.err
}

func (s *shelf) DeleteStack(_ context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (bool, error) {
	s.calls, s.by = append(s.calls, "delete "+string(id)), by
	return teardown && volumes, s.err
}

func (s *shelf) QueueDeployment(_ context.Context, ask Ask, by access.Principal) (Deployment, error) {
	s.calls, s.ask, s.by = append(s.calls, "queue"), ask, by
	return Deployment{ID: "dep_1"}, s.err
}

func (s *shelf) PauseStack(_ context.Context, id core.StackID, by access.Principal) (Stack, error) {
	s.calls, s.by = append(s.calls, "pause "+string(id)), by
	return Stack{ID: id, Paused: true}, s.err
}

func (s *shelf) ResumeStack(_ context.Context, id core.StackID, by access.Principal) (Stack, error) {
	s.calls, s.by = append(s.calls, "resume "+string(id)), by
	return Stack{ID: id}, s.err
}

// Stack is at apps/web, whatever is asked for.
func (s *shelf) Stack(_ context.Context, id core.StackID) (Stack, error) {
	return Stack{ID: id, Repository: "rep_1", Path: "apps/web"}, s.err
}

func (s *shelf) RecordAct(_ context.Context, id core.StackID, service string, act Act, by access.Principal) error {
	s.calls, s.by = append(s.calls, string(act)+" "+service+" of "+string(id)), by
	return s.err
}

func (s *shelf) CancelDeployment(_ context.Context, id core.DeploymentID, by access.Principal) (Deployment, error) {
	s.calls, s.by = append(s.calls, "cancel "+string(id)), by
	return Deployment{ID: id}, s.err
}

var (
	ada   = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleOperator}
	robot = access.Principal{Kind: access.KindServiceAccount, ID: "sva_1", Name: "ci", Role: access.RoleOperator}
)

func newShelf() (*shelf, *Desk) {
	s := &shelf{}
	return s, NewDesk(s, s, func() time.Time { return noon })
}

func TestCreate(t *testing.T) {
	s, desk := newShelf()
	draft := Draft{Name: "web", Repository: "rep_1", Path: "./apps/web/", Worker: "wrk_1", WorkerTags: []string{"eu"}, AutoSync: true}
	got, d, err := desk.Create(t.Context(), draft, ada)
	if err != nil || d.ID != "dep_1" || s.nudges != 1 || s.by != ada {
		t.Fatalf("%+v, %v; %d nudges by %v", got, err, s.nudges, s.by)
	}
	want := Stack{ID: s.stack.ID, Name: "web", Repository: "rep_1", Path: "apps/web", Worker: "wrk_1", WorkerTags: []string{"eu"}, AutoSync: true}
	if !reflect.DeepEqual(s.stack, want) || !core.ValidID(core.PrefixStack, string(got.ID)) {
		t.Errorf("stored was %+v\nwant %+v", s.stack, want)
	}
	if s.first == nil || !reflect.DeepEqual(*s.first, Ask{Stack: got.ID, Trigger: TriggerManual, Actor: ada.Name, Reason: "the stack was added by ada@example.org"}) {
		t.Errorf("the first wish is %+v", s.first)
	}
	draft.AutoSync = false
	if _, _, err := desk.Create(t.Context(), draft, ada); err != nil || s.first != nil {
		t.Errorf("without automatic sync the first wish is %+v, %v", s.first, err)
	}
}

func TestBadInputTouchesNothing(t *testing.T) {
	bad, path, tags := "Not A Name", "../..", []string{"a b"}
	for name, c := range map[string]struct {
		run   func(*Desk) error
		paths string
	}{
		"a draft of nothing": {func(d *Desk) error { _, _, err := d.Create(t.Context(), Draft{}, ada); return err }, "name repository_id"},
		"a draft that is all wrong": {func(d *Desk) error {
			_, _, err := d.Create(t.Context(), Draft{Name: bad, Path: path, WorkerTags: tags}, ada)
			return err
		}, "path name worker_tags[0] repository_id"},
		"an edit that is all wrong": {func(d *Desk) error {
			_, err := d.Update(t.Context(), "stk_1", Change{Name: &bad, Path: &path, WorkerTags: &tags}, ada)
			return err
		}, "name path worker_tags[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			s, desk := newShelf()
			err := c.run(desk)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != "stack.invalid" || len(s.calls) != 0 || s.nudges != 0 {
				t.Fatalf("got %v, %q and %d nudges", err, s.calls, s.nudges)
			}
			var paths []string
			for _, field := range f.Fields {
				paths = append(paths, field.Path)
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("complaints are about %s, want %s", got, c.paths)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	s, desk := newShelf()
	path, on := "/apps/web/", true
	if _, err := desk.Update(t.Context(), "stk_1", Change{Path: &path, AutoSync: &on}, ada); err != nil {
		t.Fatal(err)
	}
	if *s.change.Path != "apps/web" || s.change.Name != nil || !*s.change.AutoSync || s.nudges != 1 || s.by != ada {
		t.Errorf("stored was %+v by %v", s.change, s.by)
	}
	if path != "/apps/web/" {
		t.Error("the caller's own text was changed")
	}
}

func TestWishes(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(*Desk) error
		want Ask
		by   access.Principal
	}{
		"a person syncs": {func(d *Desk) error { _, err := d.Sync(t.Context(), "stk_1", ada); return err },
			Ask{Stack: "stk_1", Trigger: TriggerManual, Actor: ada.Name, Reason: "sync was asked for by ada@example.org"}, ada},
		"a program syncs": {func(d *Desk) error { _, err := d.Sync(t.Context(), "stk_1", robot); return err },
			Ask{Stack: "stk_1", Trigger: TriggerAPI, Actor: "ci", Reason: "sync was asked for by ci"}, robot},
		"a redeploy says what it recreates": {func(d *Desk) error {
			_, err := d.Redeploy(t.Context(), "stk_1", DeployOptions{RecreateVolumes: true}, robot)
			return err
		}, Ask{Stack: "stk_1", Trigger: TriggerRedeploy, Actor: "ci", Reason: "a redeploy was asked for by ci", Options: DeployOptions{RecreateVolumes: true}}, robot},
	} {
		t.Run(name, func(t *testing.T) {
			s, desk := newShelf()
			if err := c.run(desk); err != nil || !reflect.DeepEqual(s.ask, c.want) || s.by != c.by || s.nudges != 1 {
				t.Errorf("asked was %+v by %v, %v, %d nudges\nwant %+v", s.ask, s.by, err, s.nudges, c.want)
			}
		})
	}
}

func TestDeleteAndCancel(t *testing.T) {
	s, desk := newShelf()
	if gone, err := desk.Delete(t.Context(), "stk_1", true, true, ada); err != nil || !gone || s.nudges != 1 {
		t.Errorf("%v, %v, %d nudges", gone, err, s.nudges)
	}
	if gone, err := desk.Delete(t.Context(), "stk_1", true, false, ada); err != nil || gone {
		t.Errorf("without volumes: %v, %v", gone, err)
	}
	if d, err := desk.Cancel(t.Context(), "dep_1", ada); err != nil || d.ID != "dep_1" || s.nudges != 3 {
		t.Errorf("%v, %v, %d nudges", d, err, s.nudges)
	}
}

func TestNothingIsNudgedForWhatWasNotStored(t *testing.T) {
	name := "web"
	for what, run := range map[string]func(*Desk) error{
		"create": func(d *Desk) error {
			_, _, err := d.Create(t.Context(), Draft{Name: name, Repository: "rep_1"}, ada)
			return err
		},
		"update":   func(d *Desk) error { _, err := d.Update(t.Context(), "stk_1", Change{Name: &name}, ada); return err },
		"delete":   func(d *Desk) error { _, err := d.Delete(t.Context(), "stk_1", false, false, ada); return err },
		"sync":     func(d *Desk) error { _, err := d.Sync(t.Context(), "stk_1", ada); return err },
		"redeploy": func(d *Desk) error { _, err := d.Redeploy(t.Context(), "stk_1", DeployOptions{}, ada); return err },
		"cancel":   func(d *Desk) error { _, err := d.Cancel(t.Context(), "dep_1", ada); return err },
	} {
		s, desk := newShelf()
		s.err = fault.New(fault.Conflict, "test.refused", "no")
		if err := run(desk); err != s.err || s.nudges != 0 || len(s.calls) != 1 {
			t.Errorf("%s: %v, %d nudges, %q", what, err, s.nudges, s.calls)
		}
	}
}
