package engine

import (
	"context"

	"github.com/containerd/errdefs"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/client"

	"berth/core"
	"berth/hub/worker"
)

// Down takes a stack off this host. See worker.Engine. A project that is not there is
// no error.
func (e *Engine) Down(ctx context.Context, projectName string, stack core.StackID, volumes bool, report func(line string)) error {
	names := map[string]string{}
	var own []observed
	seen, err := e.observe(ctx, projectName)
	for _, o := range seen {
		names[o.name] = o.service
		if o.summary.Labels[worker.LabelStack] == string(stack) {
			own = append(own, o)
		}
	}
	if err == nil {
		err = e.resume(ctx, own, report)
	}
	if err == nil {
		err = relay(report, names, asIs, func(progress *progress) error {
			docker := ofStack{e.docker, stack}
			sdk, err := newSDK(docker, progress, progress.question)
			if err != nil {
				return err
			}
			if err := sdk.Down(ctx, projectName, api.DownOptions{RemoveOrphans: true, Volumes: volumes}); err != nil {
				return err
			}
			return removeRenamed(ctx, docker, projectName, volumes, progress)
		})
	}
	return e.failed(ctx, err, asIs)
}

// removeRenamed removes what Compose does not: it knows one network and one volume by each
// name in a Compose file, and one that had another name before may be there as well.
func removeRenamed(ctx context.Context, docker ofStack, projectName string, volumes bool, progress *progress) error {
	ofProject := make(client.Filters).Add("label", api.ProjectLabel+"="+projectName)
	networks, err := docker.NetworkList(ctx, client.NetworkListOptions{Filters: ofProject})
	if err != nil {
		return err
	}
	for _, n := range networks.Items {
		_, err := docker.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
		if err := sayRemoved("network "+n.Name, err, progress); err != nil {
			return err
		}
	}
	if !volumes {
		return nil
	}
	list, err := docker.VolumeList(ctx, client.VolumeListOptions{Filters: ofProject})
	if err != nil {
		return err
	}
	for _, v := range list.Items {
		_, err := docker.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{})
		if err := sayRemoved("volume "+v.Name, err, progress); err != nil {
			return err
		}
	}
	return nil
}

// sayRemoved tells what became of a removal. What others use stays and is no error.
func sayRemoved(what string, err error, progress *progress) error {
	switch {
	case err == nil:
		progress.say(what + " removed")
	case errdefs.IsConflict(err) || errdefs.IsPermissionDenied(err):
		progress.say(what + " stays: others use it")
	case !errdefs.IsNotFound(err):
		return err
	}
	return nil
}
