package render

import (
	"context"
	"path"

	"github.com/compose-spec/compose-go/v2/types"
)

// resolveFileObjects replaces the files of configs and secrets by content paths, and
// values from variables by the values.
func (r *rendering) resolveFileObjects(ctx context.Context, project *types.Project) error {
	for name, config := range project.Configs {
		if err := r.resolveFileObject(ctx, "configs."+name, (*types.FileObjectConfig)(&config)); err != nil {
			return err
		}
		config.Environment = "" // its value is in Content
		project.Configs[name] = config
	}
	for name, secret := range project.Secrets {
		if err := r.resolveFileObject(ctx, "secrets."+name, (*types.FileObjectConfig)(&secret)); err != nil {
			return err
		}
		project.Secrets[name] = secret
	}
	return checkInlineFiles(project)
}

func (r *rendering) resolveFileObject(ctx context.Context, place string, object *types.FileObjectConfig) error {
	if object.Environment != "" && object.Content == "" {
		if _, given := r.variables.values[object.Environment]; given {
			return invalid("%s: the variable %s is empty, so no file would be made.", place, object.Environment)
		}
		r.variables.missing[object.Environment] = true
		return invalid("%s: the stack has no variable %s; add it.", place, object.Environment)
	}
	if object.File == "" {
		return nil
	}
	if err := r.checkBindSource(place, object.File); err != nil || path.IsAbs(object.File) {
		return err
	}
	source, err := r.inRepository(object.File)
	if err != nil {
		return in(place, err)
	}
	found, err := r.repo.find(ctx, source)
	if err != nil {
		return in(place, err)
	}
	if found.kind != regularFile {
		return missingFile("%s.file: %s is not a file of the repository at this commit.", place, source)
	}
	object.File, err = r.content.add(ctx, source, found)
	return in(place, err)
}

// checkInlineFiles refuses what the engine could only find out after other compose
// services were started: it cannot put a file into a read-only container.
func checkInlineFiles(project *types.Project) error {
	for name, service := range project.Services {
		if !service.ReadOnly {
			continue
		}
		for _, ref := range service.Configs {
			if project.Configs[ref.Source].Content != "" {
				return unsupported("services.%s is read_only, so the config %s needs a file: of the repository instead of content.", name, ref.Source)
			}
		}
		for _, ref := range service.Secrets {
			if project.Secrets[ref.Source].Environment != "" {
				return unsupported("services.%s is read_only, so the secret %s cannot be made from a variable; give the service a tmpfs and pass the variable in its environment.", name, ref.Source)
			}
		}
	}
	return nil
}
