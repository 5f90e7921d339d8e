package engine

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// maxTail bounds the lines that are read back.
const maxTail = 10_000

// Logs writes a compose service's output. See worker.Engine. With several containers,
// each line begins with the container's name, behind its time if that is wanted. When follow is true, containers that
// replace or restart others are followed too; the end of ctx is no error then.
func (e *Engine) Logs(ctx context.Context, projectName, service string, ask worker.LogAsk, w io.Writer) error {
	found, err := e.ofService(ctx, projectName, service)
	if err != nil {
		return e.unread(ctx, err, asIs)
	}
	tail := min(max(ask.Tail, 0), maxTail)
	out := &shared{w: w, named: len(found) > 1}
	if ask.Follow {
		f := follower{engine: e, out: out, ask: ask, streams: map[string]*stream{}}
		err = f.run(ctx, projectName, service, found, tail)
	} else {
		err = e.readLogs(ctx, found, logRange{tail: tail, times: ask.Times, secret: ask.Secret}, out)
	}
	if ask.Follow && ctx.Err() != nil {
		return nil
	}
	return e.unread(ctx, err, asIs)
}

// readLogs writes one container after the other.
func (e *Engine) readLogs(ctx context.Context, found []observed, r logRange, out *shared) error {
	for _, o := range found {
		if err := e.copyHidden(ctx, o, r, out); err != nil {
			return err
		}
	}
	return nil
}

// logRange says which part of a container's output is wanted.
type logRange struct {
	tail   int
	follow bool
	times  bool
	since  time.Time         // zero: from the beginning
	secret map[string]string // see worker.LogAsk
}

// openLogs asks for a container's output. Both of its streams come in one; that of a terminal is one.
func (e *Engine) openLogs(ctx context.Context, o observed, r logRange) (io.ReadCloser, error) {
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Timestamps: r.times, Follow: r.follow, Tail: strconv.Itoa(r.tail)}
	if !r.since.IsZero() {
		options.Since = fmt.Sprintf("%d.%09d", r.since.Unix(), r.since.Nanosecond())
	}
	return e.docker.ContainerLogs(ctx, o.id, options)
}

// copyLogs writes a container's two streams; that of a terminal is one, out.
func (e *Engine) copyLogs(ctx context.Context, o observed, r logRange, out, errOut io.Writer) error {
	stream, err := e.openLogs(ctx, o, r)
	if err != nil {
		return err
	}
	defer stream.Close()
	if o.tty {
		_, err = io.Copy(out, stream)
	} else {
		_, err = stdcopy.StdCopy(out, errOut, stream)
	}
	return err
}
