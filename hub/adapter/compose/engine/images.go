package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
	"github.com/docker/compose/v5/pkg/api"
)

// wanted is an image that a project needs, and who needs it first; or that of a job.
type wanted struct {
	service  string // or the job
	image    string
	platform string // empty: the host's
	policy   string // of types.PullPolicy…
	refresh  time.Duration
	file     string // where people name it; empty: the Compose file
}

// wantedImages lists the images of a project, each once for a platform, by service.
func wantedImages(project *types.Project) ([]wanted, error) {
	var all []wanted
	for _, name := range slices.Sorted(slices.Values(project.ServiceNames())) {
		service := project.Services[name]
		policy, refresh, err := service.GetPullPolicy()
		if err != nil {
			return nil, about(name, applyFault("%s: %v", name, err))
		}
		all = append(all, wanted{service: name, image: service.Image, platform: service.Platform, policy: policy, refresh: refresh})
		for _, image := range api.GetDependentImages(service, project.Name) {
			all = append(all, wanted{service: name, image: image, policy: policy, refresh: refresh})
		}
		for _, mount := range service.Volumes {
			if mount.Type == types.VolumeTypeImage {
				all = append(all, wanted{service: name, image: mount.Source, policy: types.PullPolicyMissing})
			}
		}
	}
	return distinct(all), nil
}

func distinct(all []wanted) []wanted {
	seen := map[[2]string]bool{}
	return slices.DeleteFunc(all, func(w wanted) bool {
		key := [2]string{w.image, w.platform}
		twice := seen[key]
		seen[key] = true
		return twice
	})
}

// mustPull decides from the pull policy and from what the host has. force asks for
// every image that may be pulled at all.
func (e *Engine) mustPull(ctx context.Context, w wanted, force bool) (bool, error) {
	present, tagged, err := e.present(ctx, w)
	switch {
	case err != nil:
		return false, err
	case w.policy == types.PullPolicyNever || w.policy == types.PullPolicyBuild:
		if !present {
			return false, imageFault(w, "it is not on the host, and pull_policy forbids to pull it", "Load it on the host, or change pull_policy.")
		}
		return false, nil
	case force, !present, w.policy == types.PullPolicyAlways:
		return true, nil
	case w.policy == types.PullPolicyRefresh:
		return time.Since(tagged) > w.refresh, nil
	}
	return false, nil
}

// present reports whether the host has the image for the platform, and when it was
// last tagged there.
func (e *Engine) present(ctx context.Context, w wanted) (bool, time.Time, error) {
	image, err := e.docker.ImageInspect(ctx, w.image)
	switch {
	case errdefs.IsNotFound(err):
		return false, time.Time{}, nil
	case errdefs.IsInvalidArgument(err):
		return false, time.Time{}, imageFault(w, "the name is not one of an image", "Correct the image in the Compose file.").Because(err)
	case err != nil:
		return false, time.Time{}, err
	}
	if w.platform != "" {
		asked, err := platforms.Parse(w.platform)
		if err != nil {
			return false, time.Time{}, applyFault("%s: platform %q: %v", w.service, w.platform, err)
		}
		if !strings.EqualFold(asked.OS, image.Os) || asked.Architecture != image.Architecture {
			return false, time.Time{}, nil
		}
	}
	return true, image.Metadata.LastTagTime, nil
}
