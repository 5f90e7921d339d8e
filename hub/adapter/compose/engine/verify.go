package engine

import (
	"context"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/secrets"
	"berth/hub/worker"
)

// defaultTimeout bounds Verify when the caller does not.
const defaultTimeout = 30 * time.Minute

// Verify waits until a project is healthy. See worker.Engine. A container may restart
// twice; the third restart is a failure, and each begins the time for stable anew. Restarts
// count from when a container is first seen, or, when this deployment made it, from its
// making. A timeout of zero or less is half an hour.
func (e *Engine) Verify(ctx context.Context, p worker.Project, timeout, stable time.Duration, report func(line string)) error {
	r := redactor(p)
	project, err := load(ctx, p)
	if err == nil {
		w := newWatch(e, project, stable)
		w.redactor, w.deployment, w.own = r, p.Labels[worker.LabelDeployment], p
		w.report = func(line string) { report(clipText(r.Redact(line))) }
		err = w.run(ctx, timeout)
	}
	return e.unread(ctx, err, r.Redact)
}

// watch is one run of Verify.
type watch struct {
	engine     *Engine
	project    *types.Project
	stable     time.Duration
	redactor   *secrets.Redactor
	deployment string // whose containers are new; empty: none are
	own        worker.Project
	report     func(string)

	before map[string]int // restart counts when a container was first seen, by id
	said   string         // the last line about what is waited for
	since  time.Time      // since when all is well; zero when it is not
	print  string         // what was well: containers and their starts
}

func newWatch(e *Engine, project *types.Project, stable time.Duration) *watch {
	return &watch{engine: e, project: project, stable: stable, report: func(string) {}, before: map[string]int{}}
}

func (w *watch) run(ctx context.Context, timeout time.Duration) error {
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	began := time.Now()
	for {
		seen, err := w.engine.observeOwn(ctx, w.own)
		if err != nil {
			return err
		}
		pause, err := w.look(ctx, seen)
		if err != nil || pause == 0 {
			return err
		}
		left := timeout - time.Since(began)
		if left <= 0 {
			return w.late(ctx, seen, timeout)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(w.engine.pace.interval(time.Since(began)), pause, left)):
		}
	}
}

// look judges what was seen. It returns how long to wait at most before the next look;
// zero when all is well for long enough.
func (w *watch) look(ctx context.Context, seen []observed) (time.Duration, error) {
	own := ofProject(w.project, seen)
	for _, o := range own {
		if _, known := w.before[o.id]; !known {
			w.before[o.id] = w.restartsBefore(o)
		}
	}
	if bad := firstFailed(w.project, own, w.before); bad != nil {
		return 0, w.engine.unhealthy(ctx, *bad, w.redactor)
	}
	if missing := w.missing(own); missing != "" {
		return 0, unhealthyFault(missing, "", "Compose service %s has no container any more: something removed it while the deployment ran.", missing)
	}
	pending := w.pending(own)
	if len(pending) > 0 {
		w.since = time.Time{}
		w.say("waiting for " + strings.Join(pending, ", "))
		return w.engine.pace.most, nil
	}
	return w.steady(own), nil
}

// late says what is still waited for when the time is over.
func (w *watch) late(ctx context.Context, seen []observed, timeout time.Duration) error {
	for _, o := range ofProject(w.project, seen) {
		if judge(o, w.before[o.id]) == waiting {
			return w.engine.unhealthyAfter(ctx, o, w.redactor, timeout)
		}
	}
	return unhealthyFault(latest(ofProject(w.project, seen)), "", "The compose services did not stay up for %v within %v.", w.stable, timeout)
}

// say reports a line unless it was the last one.
func (w *watch) say(line string) {
	if line != w.said {
		w.said = line
		w.report(line)
	}
}
