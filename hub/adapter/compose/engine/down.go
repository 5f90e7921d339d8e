package engine

import (
	"context"

	"github.com/docker/compose/v5/pkg/api"

	"berth/core"
)

// Down takes a stack off this host. See worker.Engine. A project that is not there is
// no error.
func (e *Engine) Down(ctx context.Context, projectName string, stack core.StackID, volumes bool, report func(line string)) error {
	names := map[string]string{}
	seen, err := e.observe(ctx, projectName)
	for _, o := range seen {
		names[o.name] = o.service
	}
	if err == nil {
		err = relay(report, names, asIs, func(progress *progress) error {
			sdk, err := newSDK(ofStack{e.docker, stack}, progress, progress.question)
			if err != nil {
				return err
			}
			return sdk.Down(ctx, projectName, api.DownOptions{RemoveOrphans: true, Volumes: volumes})
		})
	}
	return e.failed(ctx, err, asIs)
}
