package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/hub/worker"
)

// namedOthers is how many containers a fault names.
const namedOthers = 5

// checkName makes sure that no person uses the project's name. Compose knows a project by its name and
// nothing else: it would stop, recreate or remove what somebody made under the same one. What an earlier
// stack of this name left running is taken over instead.
func (e *Engine) checkName(ctx context.Context, p worker.Project) error {
	if p.Labels[worker.LabelStack] == "" {
		return nil
	}
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+p.Name)})
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(list.Items, beside)
	others := slices.DeleteFunc(slices.Clone(all), func(c container.Summary) bool { return c.Labels[worker.LabelStack] != "" })
	if len(others) == 0 {
		return nil
	}
	slices.SortFunc(others, func(a, b container.Summary) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return takenFault(p.Name, others, len(others) < len(all))
}

// takenFault says whose containers are in the way. Where the stack has containers of its own
// beside them, the docker compose command would end those as well.
func takenFault(project string, others []container.Summary, besideOurs bool) error {
	var names []string
	for _, c := range others {
		names = append(names, nameOf(c))
	}
	next := fmt.Sprintf("Give this stack another name, or take the other project down on the host (docker compose --project-name %s down), then deploy again.", project)
	if besideOurs {
		next = "Remove them on the host (docker rm --force with their names; docker compose down would end this stack's own as well), then deploy again."
	}
	return fault.New(fault.Conflict, "engine.project_taken",
		"The Compose project %s on this host is not this stack's alone: it has %s, which no stack made (%s). Nothing was changed, because a deployment would stop or remove them. %s",
		project, counted(names), origin(others[0]), next)
}

func nameOf(c container.Summary) string {
	if len(c.Names) == 0 {
		return c.ID[:min(len(c.ID), 12)]
	}
	return strings.TrimPrefix(c.Names[0], "/")
}

// counted lists names, and says how many there are when they are too many to list.
func counted(names []string) string {
	what := "the container "
	if len(names) > 1 {
		what = "the containers "
	}
	if len(names) > namedOthers {
		return what + strings.Join(names[:namedOthers], ", ") + fmt.Sprintf(" and %d more", len(names)-namedOthers)
	}
	return what + strings.Join(names, ", ")
}

// origin says where a container comes from. Anybody can have written its labels.
func origin(c container.Summary) string {
	if folder := c.Labels[api.WorkingDirLabel]; folder != "" {
		return fmt.Sprintf("%s was made by hand in %q", nameOf(c), folder)
	}
	return nameOf(c) + " was made by hand"
}
