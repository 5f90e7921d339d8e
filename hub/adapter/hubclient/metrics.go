package hubclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/metrics"
)

// maxAnswers bounds what all hubs together may answer to one scrape, in bytes. They answer compressed, which
// makes some tenth of what is kept of all workers: see core/metrics.
const maxAnswers = 64 << 20

// All implements metrics.Source: the metrics of every hub that answers, which hubs do, and every
// registered worker, whether a hub knows it or not. What the only hub says is passed on as it comes.
func (c *Client) All(ctx context.Context, f metrics.Format, w io.Writer) error {
	all, err := c.opts.Directory.KnownHubs(ctx)
	if err != nil {
		return err
	}
	if len(all) == 1 && all[0].Up {
		return c.metricsOf(ctx, all[0], f, w)
	}
	workers, err := c.opts.Directory.UsableWorkers(ctx)
	if err != nil {
		return err
	}
	texts, problems := make([]bounded, len(all)), make([]error, len(all))
	var left atomic.Int64
	left.Store(maxAnswers)
	var asking sync.WaitGroup
	for i, hub := range all {
		if !hub.Up {
			problems[i] = errGone
			continue
		}
		texts[i].left = &left
		asking.Go(func() { problems[i] = c.metricsOf(ctx, hub, metrics.Format{Gzip: true}, &texts[i]) })
	}
	asking.Wait()
	return merged(w, f, all, texts, problems, workers)
}

// metricsOf asks one hub for its metrics and those of its workers.
func (c *Client) metricsOf(ctx context.Context, hub hubs.Known, f metrics.Format, w io.Writer) error {
	f.Hub = string(hub.ID)
	return c.stream(ctx, hub.Hub, hubcall.Metrics, hubcall.Metrics.Limit(), f, w)
}

// merged writes what the hubs said and which did not. It fails when none did.
func merged(w io.Writer, f metrics.Format, all []hubs.Known, texts []bounded, problems []error, workers []fleet.Worker) error {
	var answers [][]byte
	for i := range all {
		if problems[i] == nil {
			answers = append(answers, texts[i].Bytes())
		}
	}
	if len(answers) == 0 {
		return away(hubcall.Metrics, "No hub answers.", false, errors.Join(problems...))
	}
	for i, hub := range all {
		if problems[i] != nil {
			answers = append(answers, metrics.HubDown(hub.Hub))
		}
	}
	known := make([]metrics.Registered, len(workers))
	for i, worker := range workers {
		known[i] = registered(worker)
	}
	return metrics.Merge(w, f, answers, known)
}

func registered(w fleet.Worker) metrics.Registered {
	return metrics.Registered{ID: w.ID, Hostname: w.Hostname}
}

var errGone = errors.New("the hub's lease has ended")

// Worker implements metrics.Source: from the hub that holds the worker's link, else from the one
// that knows most of those without. One that no hub has seen since it began is down.
func (c *Client) Worker(ctx context.Context, id core.WorkerID, f metrics.Format, w io.Writer) error {
	hub, err := c.opts.Directory.HubOfWorker(ctx, id)
	if fault.CodeOf(err) == "worker.offline" {
		return c.offline(ctx, id, f, w)
	}
	if err != nil {
		return none(hubcall.WorkerMetrics, err)
	}
	return c.stream(ctx, hub, hubcall.WorkerMetrics, hubcall.WorkerMetrics.Limit(), hubcall.MetricsOf{Worker: id, Format: f}, w)
}

// offline writes the metrics of a worker that has no link.
func (c *Client) offline(ctx context.Context, id core.WorkerID, f metrics.Format, w io.Writer) error {
	worker, err := c.opts.Directory.Worker(ctx, id)
	if err == nil && worker.Revoked {
		err = fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")
	}
	if err != nil {
		return err
	}
	hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties)
	if err != nil {
		return none(hubcall.WorkerMetrics, err)
	}
	err = c.stream(ctx, hub, hubcall.WorkerMetrics, hubcall.WorkerMetrics.Limit(), hubcall.MetricsOf{Worker: id, Format: f}, w)
	if fault.CodeOf(err) == "worker.not_found" { // that hub never had it
		return metrics.Unlinked(w, f, registered(worker))
	}
	return err
}

// bounded is a buffer that takes no more than is left for all of them.
type bounded struct {
	bytes.Buffer
	left *atomic.Int64 // bytes
}

var errTooMuch = errors.New("what the hubs say of metrics is larger than 64 MiB, compressed")

// Write keeps content.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}
