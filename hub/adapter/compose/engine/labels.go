package engine

import (
	"maps"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"

	"berth/hub/worker"
)

// addLabels adds the labels by which Compose and Berth know their containers again.
// Custom labels are not part of the hash that decides whether a container is recreated
// (ServiceHash and NetworkHash in the SDK), so they may change with every deployment.
func addLabels(project *types.Project, p worker.Project) {
	for name, service := range project.Services {
		service.CustomLabels = types.Labels{
			api.ProjectLabel:     project.Name,
			api.ServiceLabel:     name,
			api.VersionLabel:     api.ComposeVersion,
			api.WorkingDirLabel:  project.WorkingDir,
			api.ConfigFilesLabel: filepath.Join(project.WorkingDir, "compose.yaml"),
			api.OneoffLabel:      "False",
		}
		maps.Copy(service.CustomLabels, p.Labels)
		project.Services[name] = service
	}
	stack, known := p.Labels[worker.LabelStack]
	if !known {
		return
	}
	for name, n := range project.Networks {
		n.CustomLabels = n.CustomLabels.Add(worker.LabelStack, stack)
		project.Networks[name] = n
	}
	for name, v := range project.Volumes {
		v.CustomLabels = v.CustomLabels.Add(worker.LabelStack, stack)
		project.Volumes[name] = v
	}
}
