package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/moby/api/types/container"
)

// maxRestarts is how often a container may restart while Verify watches. Once or twice
// is what a service does that starts before its database; more is a loop.
const maxRestarts = 3

// minRun is how long a container without health check must have run to count as up.
const minRun = time.Second

type verdict int

const (
	waiting verdict = iota
	good
	failed
)

// judge says how one container does. before is its restart count when watching began.
func judge(o observed, before int) verdict {
	switch {
	case o.restarts-before >= maxRestarts, o.state == container.StateDead, o.health == container.Unhealthy && o.state == container.StateRunning:
		return failed
	case o.state == container.StateExited && restarts(o):
		return waiting // between two runs
	case o.state == container.StateExited && o.exitCode != 0:
		return failed
	case o.state == container.StateExited:
		return good
	case o.state == container.StateRunning && (o.health == "" || o.health == container.Healthy):
		return good
	}
	return waiting
}

// restarts reports whether the engine starts an exited container again by itself.
func restarts(o observed) bool {
	switch o.policy {
	case container.RestartPolicyAlways, container.RestartPolicyUnlessStopped:
		return true
	case container.RestartPolicyOnFailure:
		return false // it is "restarting" until the engine gives up
	}
	return false
}

// describe puts a container's condition into words.
func (o observed) describe() string {
	text := string(o.state)
	if o.state == container.StateExited || o.state == container.StateRestarting || o.state == container.StateDead {
		text = fmt.Sprintf("%s with code %d", text, o.exitCode)
	}
	if o.health != "" && o.state == container.StateRunning {
		text = string(o.health)
	}
	switch {
	case o.restarts == 1:
		text += ", restarted once"
	case o.restarts > 1:
		text += fmt.Sprintf(", restarted %d times", o.restarts)
	}
	return text
}

// latest returns the compose service of the container that started last, the most likely
// one to have kept the others from being watched to the end.
func latest(own []observed) string {
	last := observed{}
	for _, o := range own {
		if !o.started.Before(last.started) {
			last = o
		}
	}
	return last.service
}

// firstFailed returns the first failed container of a project's services, by name.
func firstFailed(project *types.Project, seen []observed, before map[string]int) *observed {
	bad := slices.DeleteFunc(ofProject(project, seen), func(o observed) bool { return judge(o, before[o.id]) != failed })
	if len(bad) == 0 {
		return nil
	}
	return &bad[0]
}

// ofProject returns the containers of the services that a project has now, by name.
func ofProject(project *types.Project, seen []observed) []observed {
	var own []observed
	for _, o := range seen {
		if _, known := project.Services[o.service]; known {
			own = append(own, o)
		}
	}
	slices.SortFunc(own, func(a, b observed) int { return strings.Compare(a.name, b.name) })
	return own
}
