package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// told are the events that may mean a change of what runs. Health checks that run in a
// container are not among them: they come every few seconds and change nothing.
var told = []events.Action{
	events.ActionCreate, events.ActionStart, events.ActionKill, events.ActionDie, events.ActionStop, events.ActionDestroy, events.ActionRename, events.ActionUpdate,
	events.ActionPause, events.ActionUnPause, events.ActionHealthStatus, events.ActionConnect, events.ActionDisconnect,
}

// Watch follows the engine's events. See worker.Engine. It rings once when it begins, for
// what was not followed until then.
func (e *Engine) Watch(ctx context.Context, changed func(worker.Happening)) error {
	seen := newEnds()
	return e.events(ctx, func() { changed(worker.Happening{}) }, func(event events.Message) {
		if h, matters := seen.read(event); matters {
			changed(h)
		}
	})
}

// events tells of what may have changed a container of ours, once it has begun.
func (e *Engine) events(ctx context.Context, begun func(), tell func(events.Message)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	filters := make(client.Filters).Add("type", string(events.ContainerEventType), string(events.NetworkEventType))
	for _, action := range told {
		filters.Add("event", string(action))
	}
	now := time.Now() // the engine tells again what happens before it answers
	begun()
	stream := e.docker.Events(ctx, client.EventsListOptions{Filters: filters, Since: fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond())})
	for {
		select {
		case event := <-stream.Messages:
			if e.concerns(ctx, event) {
				tell(event)
			}
		case err := <-stream.Err:
			return e.lost(ctx, err)
		}
	}
}

// concerns reports whether an event may be about a container of ours. Events of containers
// carry its labels. Those of networks carry no label but the container's id, and when the
// container cannot be asked any more, its end has an event of its own.
func (e *Engine) concerns(ctx context.Context, event events.Message) bool {
	if event.Type == events.ContainerEventType {
		return event.Actor.Attributes[worker.LabelStack] != "" && !strings.HasPrefix(string(event.Action), "exec_")
	}
	id := event.Actor.Attributes["container"]
	if event.Type != events.NetworkEventType || id == "" {
		return false
	}
	inspected, err := e.docker.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	return err == nil && inspected.Container.Config != nil && inspected.Container.Config.Labels[worker.LabelStack] != ""
}

// lost says why events cannot be followed any more. A stream that only ends is an engine
// that goes away.
func (e *Engine) lost(ctx context.Context, err error) error {
	if ctx.Err() == nil && (err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return e.unreachable(errors.New("its events ended"))
	}
	return e.unread(ctx, err, asIs)
}
