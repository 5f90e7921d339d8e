package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
)

// steady is how long a stack must stand still in a state that somebody has to end, before that is
// taken for what it is: while the server starts, what is stored may be older than what runs.
const steady = 10 * time.Second

// await waits until the named stacks are active, or one cannot be.
func (o Options) await(ctx context.Context, names ...string) error {
	stuck := map[string]time.Time{} // since when, by the problem
	for {
		waiting := []string{}
		for _, name := range names {
			s, found, err := o.stack(ctx, name)
			if err != nil && ctx.Err() == nil {
				return err
			}
			if !found || s.Status == stacks.StatusActive {
				continue // one that somebody deleted is not waited for
			}
			problem, now := problemOf(s)
			if problem == "" {
				waiting = append(waiting, standing(s))
				continue
			}
			if stuck[problem].IsZero() {
				stuck[problem] = time.Now()
			}
			if now || time.Since(stuck[problem]) >= steady {
				return fault.New(fault.Conflict, "demo.stack", "%s", problem)
			}
			waiting = append(waiting, problem)
		}
		if len(waiting) == 0 && ctx.Err() == nil {
			return nil
		}
		if err := pause(ctx); err != nil {
			return errors.Join(fault.New(fault.Unavailable, "demo.slow", "The demo stacks were not active within %s. %s", wait, strings.Join(waiting, " ")), err)
		}
	}
}

// problemOf says what keeps a stack from becoming active by itself, if anything does; now, that there is
// no need to see whether it stays so.
func problemOf(s stacks.Stack) (problem string, now bool) {
	switch {
	case s.Status == stacks.StatusError:
		return fmt.Sprintf("Stack %s: %s", s.Name, s.Error), true
	case s.Paused && s.Status == stacks.StatusPaused:
		return fmt.Sprintf("Stack %s is paused, so that nothing of it is deployed by itself. Press Resume on its page.", s.Name), false
	case s.Status == stacks.StatusDegraded && s.HealAt.IsZero():
		return fmt.Sprintf("Stack %s is degraded: %s. Nobody puts that right but you: press Sync now on its page, or Start beside what was stopped.", s.Name, strings.TrimSuffix(s.Error, ".")), false
	}
	return "", false
}

// standing says how a stack is that is still waited for.
func standing(s stacks.Stack) string {
	text := fmt.Sprintf("Stack %s is %s", s.Name, s.Status)
	if s.Error != "" {
		text += ": " + strings.TrimSuffix(s.Error, ".")
	}
	return text + "."
}
