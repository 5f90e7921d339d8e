package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/containerd/errdefs"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// prepareHost leaves to Compose only what it can deal with. Compose recreates a container by
// making the new one under a name such as "0123456789ab_shop-web-1", removing the old one and
// renaming the new; when it dies in between, it goes on with whatever it finds and never
// renames. Nor does it see containers that a person made with the stack's labels but not its own.
//
// It returns the compose services whose containers are to be made anew although their
// configuration is the same.
func (e *Engine) prepareHost(ctx context.Context, project *types.Project, p worker.Project, hide func(string) string, report func(string)) ([]string, error) {
	stack := p.Labels[worker.LabelStack]
	if stack == "" {
		return p.Replace, nil
	}
	seen, err := e.observe(ctx, project.Name)
	if err != nil {
		return nil, err
	}
	say := func(line string) { report(clipText(hide(line))) }
	seats, earlier := map[seat][]observed{}, []observed{}
	for _, o := range seen {
		_, known := project.Services[o.service]
		switch of := o.summary.Labels[worker.LabelStack]; {
		case of == stack:
			at := seatOf(o)
			seats[at] = append(seats[at], o)
		case of != "" && (known || p.RemoveOrphans): // a stack of this name that was deleted and left running
			earlier = append(earlier, o)
		}
	}
	if err := e.removeAll(ctx, earlier, say); err != nil {
		return nil, err
	}
	var stay []observed
	for at, all := range seats {
		if _, known := project.Services[at.service]; known || p.RemoveOrphans {
			if err := e.resume(ctx, all, say); err != nil {
				return nil, err
			}
		}
		kept, err := e.clear(ctx, project, p, at, all, say)
		if err != nil {
			return nil, err
		}
		stay = append(stay, kept...)
	}
	return e.outdated(ctx, project, stay, p.Replace)
}

// seat is where a container belongs in a project: only one may stand there.
type seat struct{ service, number string }

func seatOf(o observed) seat {
	return seat{o.service, o.summary.Labels[api.ContainerNumberLabel]}
}

// clear leaves at most one container at a seat of the project, under its proper name.
func (e *Engine) clear(ctx context.Context, project *types.Project, p worker.Project, at seat, all []observed, say func(string)) ([]observed, error) {
	service, known := project.Services[at.service]
	if !known {
		return all, e.removeUnseen(ctx, p, all, say)
	}
	name := properName(project, service, at)
	slices.SortFunc(all, func(a, b observed) int { return preference(a, name) - preference(b, name) })
	if preference(all[0], name) == strange || cutShort(all[0], name) {
		return nil, e.removeAll(ctx, all, say)
	}
	if err := e.removeAll(ctx, all[1:], say); err != nil {
		return nil, err
	}
	if preference(all[0], name) == unnamed {
		if _, err := e.docker.ContainerRename(ctx, all[0].id, client.ContainerRenameOptions{NewName: name}); err != nil {
			return nil, err
		}
		say(fmt.Sprintf("%s: container %s renamed to %s: it was left behind by a deployment that was interrupted", at.service, all[0].name, name))
	}
	return all[:1], nil
}

// What a container at a seat may be, best first.
const (
	proper  = iota
	renamed // by a person
	unnamed // made by Compose, and not yet renamed
	strange // made by a person
)

var beforeRename = regexp.MustCompile(`^[0-9a-f]{12}_`)

func preference(o observed, name string) int {
	switch {
	case o.summary.Labels[api.ConfigHashLabel] == "" || o.summary.Labels[api.ContainerNumberLabel] == "":
		return strange
	case o.name == name:
		return proper
	case beforeRename.ReplaceAllString(o.name, "") == name:
		return unnamed
	}
	return renamed
}

// cutShort reports whether a container may have been made only in part: older engines
// connect it to its networks one by one. What has never run holds nothing yet; only what
// replaces another container has inherited volumes, and was complete before that was removed.
func cutShort(o observed, name string) bool {
	return o.name == name && o.state == container.StateCreated && o.summary.Labels[api.ContainerReplaceLabel] == ""
}

func properName(project *types.Project, service types.ServiceConfig, at seat) string {
	if service.ContainerName != "" {
		return service.ContainerName
	}
	return strings.Join([]string{project.Name, service.Name, at.number}, api.Separator)
}

// removeUnseen removes, where orphans are to go, those that Compose does not see.
func (e *Engine) removeUnseen(ctx context.Context, p worker.Project, all []observed, say func(string)) error {
	if !p.RemoveOrphans {
		return nil
	}
	seenByCompose := func(o observed) bool { return o.summary.Labels[api.ConfigHashLabel] != "" }
	return e.removeAll(ctx, slices.DeleteFunc(slices.Clone(all), seenByCompose), say)
}

// removeAll stops containers as their settings say and removes them, never their volumes.
func (e *Engine) removeAll(ctx context.Context, all []observed, say func(string)) error {
	if err := e.resume(ctx, all, say); err != nil {
		return err
	}
	for _, o := range all {
		_, err := e.docker.ContainerStop(ctx, o.id, client.ContainerStopOptions{})
		if err == nil {
			_, err = e.docker.ContainerRemove(ctx, o.id, client.ContainerRemoveOptions{Force: true})
		}
		if err != nil && !errdefs.IsNotFound(err) {
			return err
		}
		say(fmt.Sprintf("%s: container %s removed: it is not one that the stack has", o.service, o.name))
	}
	return nil
}
