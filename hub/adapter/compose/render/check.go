package render

import (
	"context"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/hub/adapter/compose"
)

// checkProject judges what only the merged project shows.
func (r *rendering) checkProject(_ context.Context, project *types.Project) error {
	ports, containers := 0, 0
	for _, name := range project.ServiceNames() {
		service := project.Services[name]
		if containers += min(service.GetScale(), maxContainers+1); containers > maxContainers {
			return tooLarge("The project asks for more than %d containers.", maxContainers)
		}
		if ports += len(service.Ports); ports > maxPorts {
			return tooLarge("The project publishes more than %d ports.", maxPorts)
		}
		if strings.HasPrefix(service.Image, "-") || strings.ContainsAny(service.Image, " \t\r\n\x00") {
			return invalid("services.%s.image: %q is not the name of an image.", name, clipKey(service.Image))
		}
		labels := []types.Labels{service.Labels}
		if service.Deploy != nil {
			labels = append(labels, service.Deploy.Labels)
		}
		for _, mount := range service.Volumes {
			if mount.Volume != nil {
				labels = append(labels, types.Labels(mount.Volume.Labels))
			}
		}
		if err := r.checkLabels("services."+name, labels...); err != nil {
			return err
		}
		if service.Build != nil || service.Develop != nil || service.Provider != nil || len(service.LabelFiles) > 0 ||
			service.CredentialSpec != nil || service.UseAPISocket || service.Extends != nil {
			return unsupported("services.%s uses a key that is not supported.", name)
		}
	}
	return r.checkResourceLabels(project)
}

func (r *rendering) checkResourceLabels(project *types.Project) error {
	all := map[string]types.Labels{}
	for name, n := range project.Networks {
		all["networks."+name] = n.Labels
	}
	for name, v := range project.Volumes {
		all["volumes."+name] = v.Labels
	}
	for name, c := range project.Configs {
		all["configs."+name] = c.Labels
	}
	for name, s := range project.Secrets {
		all["secrets."+name] = s.Labels
	}
	for place, labels := range all {
		if err := r.checkLabels(place, labels); err != nil {
			return err
		}
	}
	return nil
}

func (r *rendering) checkLabels(place string, sets ...types.Labels) error {
	for _, labels := range sets {
		for name := range labels {
			if compose.ReservedLabel(name) {
				return unsupported("%s: %s.labels: the label %s belongs to Berth or Compose and cannot be set.", locate(r.files, place), place, name)
			}
		}
	}
	return nil
}
