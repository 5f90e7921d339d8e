package demo

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// scene answers with stacks as they are at a time after it began.
type scene func(after time.Duration) []stacks.Stack

func (s scene) at(begun time.Time) Store { return played{s, begun} }

type played struct {
	scene scene
	begun time.Time
}

func (p played) Stacks(context.Context, stacks.Filter, core.Page) (core.List[stacks.Stack], error) {
	return core.List[stacks.Stack]{Items: p.scene(time.Since(p.begun))}, nil
}

func TestAwait(t *testing.T) {
	active := stacks.Stack{Name: "guestbook", Status: stacks.StatusActive}
	is := func(change stacks.Stack) scene {
		change.Name = "hello"
		return func(time.Duration) []stacks.Stack { return []stacks.Stack{change, active} }
	}
	becoming := func(first stacks.Stack, after time.Duration) scene {
		return func(now time.Duration) []stacks.Stack {
			s := stacks.Stack{Status: stacks.StatusActive}
			if now < after {
				s = first
			}
			s.Name = "hello"
			return []stacks.Stack{s, active}
		}
	}
	stopped := stacks.Stack{Status: stacks.StatusDegraded, Error: "container hello-web-1 of compose service web was stopped by hand"}
	for name, c := range map[string]struct {
		scene scene
		code  string
		says  string
		least time.Duration
		most  time.Duration
	}{
		"active":                     {is(stacks.Stack{Status: stacks.StatusActive}), "", "", 0, 0},
		"deleted":                    {func(time.Duration) []stacks.Stack { return []stacks.Stack{active} }, "", "", 0, 0},
		"becoming active":            {becoming(stacks.Stack{Status: stacks.StatusSyncing}, time.Minute), "", "", time.Minute, time.Minute + time.Second},
		"stopped before, runs again": {becoming(stopped, 3*time.Second), "", "", 3 * time.Second, 4 * time.Second},
		"stopped by somebody":        {is(stopped), "demo.stack", "Stack hello is degraded: container hello-web-1 of compose service web was stopped by hand. Nobody", steady, steady + time.Second},
		"being repaired":             {becoming(stacks.Stack{Status: stacks.StatusDegraded, HealAt: time.Now()}, time.Minute), "", "", time.Minute, time.Minute + time.Second},
		"paused":                     {is(stacks.Stack{Status: stacks.StatusPaused, Paused: true}), "demo.stack", "Stack hello is paused", steady, steady + time.Second},
		"failed":                     {is(stacks.Stack{Status: stacks.StatusError, Error: "No space."}), "demo.stack", "Stack hello: No space.", 0, 0},
		"waiting":                    {is(stacks.Stack{Status: stacks.StatusPending}), "demo.slow", "Stack hello is pending.", wait, wait + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), wait)
				defer cancel()
				err := Options{Desks: Desks{Store: c.scene.at(begun)}}.await(ctx, "hello", "guestbook")
				if took := time.Since(begun); took < c.least || took > c.most {
					t.Errorf("it took %s", took)
				}
				if fault.CodeOf(err) != c.code && !(c.code == "" && err == nil) || c.code != "" && !strings.Contains(fault.PublicOf(err), c.says) {
					t.Errorf("got %v; want %s, %q", err, c.code, c.says)
				}
			})
		})
	}
}
