package engine

import (
	"context"
	"slices"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"
	sdk "github.com/docker/compose/v5/pkg/compose"
	"github.com/moby/moby/client"
)

// outdated returns the compose services whose containers Compose would keep, or connect
// again in part, and which have to be made anew: those in replace, those that are missing
// from a network of theirs, and those on a network that Compose makes anew, because it
// connects them to it without the name of their service.
func (e *Engine) outdated(ctx context.Context, project *types.Project, seen []observed, replace []string) ([]string, error) {
	changed, err := e.changedNetworks(ctx, project)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(replace)
	for _, o := range seen {
		service, known := project.Services[o.service]
		if !known {
			continue
		}
		for key := range service.Networks {
			if changed[key] || !onNetwork(o, service.Name, project.Networks[key].Name) {
				names = append(names, o.service)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, known := project.Services[name]; return !known })
	slices.Sort(names)
	return slices.Compact(names), nil
}

// onNetwork reports whether a container is on a network under its service's name.
func onNetwork(o observed, service, network string) bool {
	if o.inspected.NetworkSettings == nil {
		return false
	}
	endpoint := o.inspected.NetworkSettings.Networks[network]
	return endpoint != nil && (slices.Contains(endpoint.Aliases, service) || slices.Contains(endpoint.DNSNames, service))
}

// changedNetworks returns the keys of networks that are there with other settings.
func (e *Engine) changedNetworks(ctx context.Context, project *types.Project) (map[string]bool, error) {
	list, err := e.docker.NetworkList(ctx, client.NetworkListOptions{Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+project.Name)})
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, there := range list.Items {
		key := there.Labels[api.NetworkLabel]
		wanted, known := project.Networks[key]
		if !known || there.Labels[api.ConfigHashLabel] == "" {
			continue
		}
		hash, err := sdk.NetworkHash(&wanted)
		if err != nil {
			return nil, err
		}
		changed[key] = changed[key] || hash != there.Labels[api.ConfigHashLabel]
	}
	return changed, nil
}
