package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"

	"berth/hub/worker"
)

// restartsBefore is how often a container had restarted before what is judged here. What a
// container does that this deployment made is all the deployment's, also while Compose
// waited for another one.
func (w *watch) restartsBefore(o observed) int {
	if w.deployment != "" && o.summary.Labels[worker.LabelDeployment] == w.deployment {
		return 0
	}
	return o.restarts
}

// steady returns how much longer everything must stay as it is.
func (w *watch) steady(own []observed) time.Duration {
	var print strings.Builder
	for _, o := range own {
		fmt.Fprintf(&print, "%s %d %v;", o.id, o.restarts, o.started)
	}
	if w.since.IsZero() || w.print != print.String() {
		w.since, w.print = time.Now(), print.String()
	}
	left := w.stable - time.Since(w.since)
	if left <= 0 && !w.proven(own) {
		return min(minRun, w.engine.pace.most) // nothing to say about: it is a moment
	}
	if left <= 0 {
		w.say("every compose service is up")
		return 0
	}
	w.say(fmt.Sprintf("every compose service is up; watching for %v", w.stable))
	return left
}

// proven reports whether every container that declares no health check has run for long
// enough to tell it from one that dies at once.
func (w *watch) proven(own []observed) bool {
	for _, o := range own {
		if o.state == container.StateRunning && o.health == "" && time.Since(o.started) < minRun && time.Since(w.since) < minRun {
			return false
		}
	}
	return true
}

func (w *watch) pending(own []observed) []string {
	var names []string
	for _, o := range own {
		if judge(o, w.before[o.id]) == waiting {
			names = append(names, fmt.Sprintf("%s (%s)", o.service, o.describe()))
		}
	}
	if len(names) > 10 {
		names = append(names[:10], fmt.Sprintf("%d more", len(names)-10))
	}
	return slices.Compact(names)
}

// missing returns a compose service that should have a container and has none.
func (w *watch) missing(own []observed) string {
	has := map[string]bool{}
	for _, o := range own {
		has[o.service] = true
	}
	for _, name := range slices.Sorted(slices.Values(w.project.ServiceNames())) {
		service := w.project.Services[name]
		if service.GetScale() > 0 && !has[name] {
			return name
		}
	}
	return ""
}
