package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/hub/worker"
)

// namedOthers is how many containers a fault names.
const namedOthers = 5

// checkName makes sure that the project's name is not a person's. Compose knows a project by its name
// and nothing else: networks and volumes of the same name would be shared, and what takes one project
// down takes the other down as well. What an earlier stack of this name left running is taken over
// instead. Where the stack has containers already, or had some and no other project came up since, what a
// person put beside them is left alone: it is in the way only of a container of the same name. say takes
// a line about it.
func (e *Engine) checkName(ctx context.Context, project *types.Project, p worker.Project, say func(string)) error {
	if p.Labels[worker.LabelStack] == "" {
		return nil
	}
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+p.Name)})
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(list.Items, beside)
	others := slices.DeleteFunc(slices.Clone(all), func(c container.Summary) bool { return c.Labels[worker.LabelStack] != "" })
	slices.SortFunc(others, func(a, b container.Summary) int { return strings.Compare(nameOf(a), nameOf(b)) })
	switch {
	case len(others) == 0:
		return nil
	case len(others) == len(all) && (!p.Placed || slices.ContainsFunc(others, byCompose)):
		return takenFault(p.Name, others)
	}
	wanted := namesOf(project)
	for _, c := range others {
		if service := wanted[nameOf(c)]; service != "" {
			return about(service, nameFault(service, c))
		}
	}
	say(fmt.Sprintf("%s, which no stack made, %s this project's name and %s left alone; remove what nobody needs on the host with docker rm --force",
		counted(others), oneOrMore(others, "has", "have"), oneOrMore(others, "is", "are")))
	return nil
}

// takenFault says whose containers a project of this name consists of.
func takenFault(project string, others []container.Summary) error {
	return fault.New(fault.Conflict, "engine.project_taken",
		"The Compose project %s on this host is not this stack's: it has %s, which no stack made (%s). Nothing was changed, because the two would share networks and volumes. "+
			"Give this stack another name, or take the other project down on the host (docker compose --project-name %s down), then deploy again.",
		project, counted(others), origin(others[0]), project)
}

// nameFault says who has the name of a container that a compose service needs.
func nameFault(service string, c container.Summary) error {
	return fault.New(fault.Conflict, "engine.project_taken",
		"Compose service %s needs the name of the container %s on this host, which no stack made (%s). Nothing was changed. "+
			"Rename it (docker rename %[2]s NAME) or remove it (docker rm --force %[2]s) on the host, then deploy again.", service, nameOf(c), origin(c))
}

// byCompose reports whether a container is of a project that Compose brought up.
func byCompose(c container.Summary) bool { return c.Labels[api.ConfigHashLabel] != "" }

func oneOrMore(all []container.Summary, one, more string) string {
	if len(all) == 1 {
		return one
	}
	return more
}

func nameOf(c container.Summary) string {
	if len(c.Names) == 0 {
		return c.ID[:min(len(c.ID), 12)]
	}
	return strings.TrimPrefix(c.Names[0], "/")
}

// counted names containers, and says how many there are when they are too many to name.
func counted(all []container.Summary) string {
	var names []string
	for _, c := range all[:min(len(all), namedOthers)] {
		names = append(names, nameOf(c))
	}
	text := oneOrMore(all, "the container ", "the containers ") + strings.Join(names, ", ")
	if more := len(all) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// origin says where a container comes from. Anybody can have written its labels.
func origin(c container.Summary) string {
	if folder := c.Labels[api.WorkingDirLabel]; folder != "" {
		return fmt.Sprintf("%s was made by hand in %q", nameOf(c), folder)
	}
	return nameOf(c) + " was made by hand"
}
