package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"
	sdk "github.com/docker/compose/v5/pkg/compose"
	"github.com/moby/moby/api/types/network"
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

// onNetwork reports whether a container is on a network, given by its name or id, under its
// service's name.
func onNetwork(o observed, service, network string) bool {
	if o.inspected.NetworkSettings == nil {
		return false
	}
	for name, endpoint := range o.inspected.NetworkSettings.Networks {
		if endpoint != nil && (name == network || endpoint.NetworkID == network) {
			return slices.Contains(endpoint.Aliases, service) || slices.Contains(endpoint.DNSNames, service)
		}
	}
	return false
}

// changedNetworks returns the keys of networks that Compose makes anew, because those that
// are there have other settings.
func (e *Engine) changedNetworks(ctx context.Context, project *types.Project) (map[string]bool, error) {
	list, err := e.docker.NetworkList(ctx, client.NetworkListOptions{Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+project.Name)})
	if err != nil {
		return nil, err
	}
	there := map[string][]network.Summary{}
	for _, n := range list.Items {
		key := n.Labels[api.NetworkLabel]
		there[key] = append(there[key], n)
	}
	changed := map[string]bool{}
	for key, wanted := range project.Networks {
		if wanted.External || len(there[key]) == 0 {
			continue
		}
		hash, err := sdk.NetworkHash(&wanted)
		if err != nil {
			return nil, err
		}
		hashThere := taken(there[key], wanted.Name).Labels[api.ConfigHashLabel]
		changed[key] = hashThere != "" && hashThere != hash
	}
	return changed, nil
}

// taken returns the network that Compose takes for one of a project's, of which there may be
// several: one that was renamed stays when others are on it.
func taken(all []network.Summary, name string) network.Summary {
	return slices.MinFunc(all, func(a, b network.Summary) int {
		switch {
		case a.Name == name:
			return -1
		case b.Name == name:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
}
