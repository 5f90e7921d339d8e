package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"

	"berth/hub/worker"
)

// load reads the rendered project with the secrets as its only variables.
func load(ctx context.Context, p worker.Project) (project *types.Project, err error) {
	details := types.ConfigDetails{
		WorkingDir:  strings.TrimSuffix(p.StateDir, "/"),
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: p.YAML}},
		Environment: types.Mapping{},
	}
	for name, value := range p.Secrets {
		details.Environment[name] = value.Reveal()
	}
	var absent []string
	defer func() {
		if r := recover(); r != nil { // the library asserts types without asking
			project, err = nil, applyFault("The rendered project of %s is not a Compose project.", p.Name)
		}
	}()
	project, err = loader.LoadWithContext(ctx, details, func(o *loader.Options) {
		o.SetProjectName(p.Name, true)
		o.SkipValidation = true // the hub has validated it; this is most of the time
		o.SkipExtends = true
		o.SkipInclude = true
		o.SkipResolveEnvironment = true
		o.SkipResolveLabels = true
		o.ResolvePaths = false
		o.Interpolate.Substitute = func(text string, lookup template.Mapping) (string, error) {
			return template.Substitute(text, func(name string) (string, bool) {
				value, found := lookup(name)
				if !found {
					absent = append(absent, name)
				}
				return value, true
			})
		}
	})
	if err != nil {
		return nil, applyFault("The rendered project of %s cannot be read: %v. Deploy again.", p.Name, err)
	}
	if len(absent) > 0 {
		slices.Sort(absent)
		return nil, applyFault("The secret variables %s did not reach the worker; nothing was changed. Check their providers and deploy again.", strings.Join(slices.Compact(absent), ", "))
	}
	return project, refuseHostPrograms(project)
}

// refuseHostPrograms refuses what would make the SDK run a program of this host or give
// a container the engine. The hub refuses it too; a worker does not rely on that.
func refuseHostPrograms(project *types.Project) error {
	for name, s := range project.Services {
		if s.Provider != nil || s.Build != nil || s.UseAPISocket || len(s.Models) > 0 || len(s.EnvFiles) > 0 || len(s.LabelFiles) > 0 {
			return about(name, applyFault("%s: the rendered project asks for something that a worker does not do (provider, build, models, use_api_socket, env_file or label_file).", name))
		}
	}
	if len(project.Models) > 0 {
		return applyFault("The rendered project asks for models, which a worker does not run.")
	}
	return nil
}
