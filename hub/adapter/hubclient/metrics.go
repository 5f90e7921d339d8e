package hubclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/metrics"
)

// maxExposition bounds what one hub may answer to a scrape, in bytes.
const maxExposition = 64 << 20

// All implements metrics.Source: the metrics of every hub that answers, and which do.
func (c *Client) All(ctx context.Context, w io.Writer) error {
	all, err := c.opts.Directory.Hubs(ctx)
	if err != nil {
		return err
	}
	texts, problems := make([]*bounded, len(all)), make([]error, len(all))
	var asking sync.WaitGroup
	for i, hub := range all {
		texts[i] = &bounded{left: maxExposition}
		asking.Go(func() {
			problems[i] = c.stream(ctx, hub, hubcall.Metrics, hubcall.Metrics.Limit(), struct{}{}, texts[i])
		})
	}
	asking.Wait()
	return merged(w, all, texts, problems)
}

// merged writes what the hubs said and whether each did. It fails only when none did.
func merged(w io.Writer, all []hubs.Hub, texts []*bounded, problems []error) error {
	var answers []metrics.Exposition
	for i, hub := range all {
		if problems[i] == nil {
			answers = append(answers, metrics.Exposition{Hub: string(hub.ID), Text: texts[i].Bytes()})
		}
	}
	if len(answers) == 0 {
		return errors.Join(append([]error{errMetricsAway}, problems...)...)
	}
	for i, hub := range all {
		value := "1"
		if problems[i] != nil {
			value = "0"
		}
		answers = append(answers, metrics.Exposition{Hub: string(hub.ID),
			Text: []byte("# HELP berth_hub_up Whether the hub answered this scrape (1) or not (0).\n# TYPE berth_hub_up gauge\nberth_hub_up " + value + "\n")})
	}
	return metrics.Merge(w, answers)
}

var errMetricsAway = fault.New(fault.Unavailable, "metrics.hub_away",
	"No hub, which hold the metrics, answers. Check that one runs and that HUB_URL is its address.")

// Worker implements metrics.Source: from the hub that holds the worker's link, else from the one
// that knows those without.
func (c *Client) Worker(ctx context.Context, id core.WorkerID, w io.Writer) error {
	hub, err := c.opts.Directory.HubOfWorker(ctx, id)
	if fault.CodeOf(err) == "worker.offline" {
		hub, err = c.opts.Directory.HolderOf(ctx, hubs.Duties)
	}
	if err != nil {
		return err
	}
	return c.stream(ctx, hub, hubcall.WorkerMetrics, hubcall.WorkerMetrics.Limit(), hubcall.AboutWorker{Worker: id}, w)
}

// bounded is a buffer that takes no more than it may.
type bounded struct {
	bytes.Buffer
	left int
}

var errTooMuch = errors.New("the hub's metrics are larger than 64 MiB")

// Write keeps content.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}
