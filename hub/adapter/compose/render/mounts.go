package render

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
)

// resolveMounts replaces the sources of relative bind mounts by content or state paths.
func (r *rendering) resolveMounts(ctx context.Context, project *types.Project) error {
	for _, name := range project.ServiceNames() {
		service := project.Services[name]
		for i := range service.Volumes {
			place := fmt.Sprintf("services.%s.volumes[%d]", name, i)
			if err := r.resolveMount(ctx, place, &service.Volumes[i]); err != nil {
				return err
			}
		}
	}
	return r.checkVolumeDevices(project)
}

func (r *rendering) resolveMount(ctx context.Context, place string, mount *types.ServiceVolumeConfig) error {
	if !path.IsAbs(mount.Target) { // "v:/v" is a path of Windows to Compose, and becomes a volume without name
		return invalid("%s: the target %q is not an absolute path; the name of a volume needs two letters at least.", place, mount.Target)
	}
	if mount.Type != types.VolumeTypeBind {
		return nil
	}
	if err := r.checkBindSource(place, mount.Source); err != nil || path.IsAbs(mount.Source) {
		return err
	}
	source, err := r.inRepository(mount.Source)
	if err != nil {
		return in(place, err)
	}
	found, err := r.repo.find(ctx, source)
	if err != nil {
		return in(place, err)
	}
	switch {
	case found.kind == nothing:
		if mount.ReadOnly {
			r.warn(fmt.Sprintf("%s: %s is not in the repository at this commit, so an empty folder is mounted read-only; check the path.", place, mount.Source))
		}
		mount.Source = r.statePath(source)
	case mount.ReadOnly:
		mount.Source, err = r.content.add(ctx, source, found)
		mount.Bind = contentBind(mount.Bind)
	case found.kind == regularFile:
		return unsupported("%s: %s is a file of the repository and mounted read-write, but deployments never write to the repository: add \":ro\" (read_only: true) to mount it.", place, mount.Source)
	default:
		r.warn(fmt.Sprintf("%s: %s is mounted read-write, so the container gets a folder that is empty at first and survives deployments, not the repository's files; add \":ro\" for those.", place, mount.Source))
		mount.Source = r.statePath(source)
	}
	return in(place, err)
}

// checkBindSource refuses sources that mean something else on every host, and those
// that would pass for rendered paths.
func (r *rendering) checkBindSource(place, source string) error {
	switch {
	case source == "":
		return invalid("%s: a bind mount needs a source.", place)
	case strings.HasPrefix(source, "~"):
		return escapes("%s: %q depends on who runs the worker; write an absolute path, or one relative to the stack's folder.", place, source)
	case len(source) > 1 && source[1] == ':':
		return unsupported("%s: %q is a Windows path.", place, source)
	case rendersItself(source):
		return escapes("%s: paths below %s are made by Berth.", place, reservedRoot)
	}
	return nil
}

// reservedRoot is the folder that rendered paths begin with.
const reservedRoot = "/.berth"

func rendersItself(source string) bool {
	clean := path.Clean(source)
	return clean == reservedRoot || strings.HasPrefix(clean, reservedRoot+"/")
}

// contentBind makes the engine fail, rather than mount a new empty folder, if a worker
// lacks the content.
func contentBind(bind *types.ServiceVolumeBind) *types.ServiceVolumeBind {
	if bind == nil {
		bind = &types.ServiceVolumeBind{}
	}
	bind.CreateHostPath = false
	return bind
}

// statePath names the stack's own folder for a path of the repository. Below the
// stack's folder it is the relative path, which stays the same when the stack moves
// within the repository.
func (r *rendering) statePath(source string) string {
	dir := path.Clean(r.src.Dir)
	switch {
	case source == dir:
		return core.StateRoot + "."
	case dir == ".":
		return core.StateRoot + source
	}
	if below, ok := strings.CutPrefix(source, dir+"/"); ok {
		return core.StateRoot + below
	}
	return core.StateRoot + ".repository/" + source
}

// checkVolumeDevices refuses named volumes that are relative bind mounts in disguise.
func (r *rendering) checkVolumeDevices(project *types.Project) error {
	for name, volume := range project.Volumes {
		device, bound := volume.DriverOpts["device"], strings.Contains(volume.DriverOpts["o"], "bind")
		if bound && (!path.IsAbs(device) || rendersItself(device)) {
			return unsupported("volumes.%s.driver_opts.device: %q is not an absolute path; mount it as a bind mount of the compose service.", name, device)
		}
	}
	return nil
}
