package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core/stacks"
)

// UsageTeller tells what the compose services of a stack use, from the stack's worker.
type UsageTeller interface {
	Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error)
}

// usageWait is how long a page waits for a worker to tell what containers use. It goes without where that takes longer.
const usageWait = 300 * time.Millisecond

// usageLine is how one figure of a compose service went in the last while: a small line with its newest value.
type usageLine struct {
	Name string // of the figure
	Now  string
	Text string // the picture in words
	Line string // outline
}

const (
	usageWidth  = 120
	usageHeight = 24
	leastCPU    = 100      // thousandths of a processor that fill the height at least, so that idling is no mountain range
	leastMemory = 16 << 20 // bytes
)

// usageOf draws what is known of compose services, by name; nothing of a stack whose worker does not tell just now.
func usageOf(ctx context.Context, teller UsageTeller, s stacks.Stack, now time.Time) map[string][]usageLine {
	ctx, cancel := context.WithTimeout(ctx, usageWait)
	defer cancel()
	all, err := teller.Usage(ctx, s)
	if err != nil {
		return nil // the page says by itself when the worker is away
	}
	drawn := map[string][]usageLine{}
	for _, u := range all {
		drawn[u.Service] = []usageLine{
			drawUsage("CPU", u.Samples, now, leastCPU, func(s stacks.UsageSample) int64 { return int64(s.CPU) }, func(v int64) string { return fmt.Sprintf("%d %%", (v+5)/10) }),
			drawUsage("Memory", u.Samples, now, leastMemory, func(s stacks.UsageSample) int64 { return s.Memory }, sizeOf)}
	}
	return drawn
}

func drawUsage(name string, samples []stacks.UsageSample, now time.Time, least int64, read func(stacks.UsageSample) int64, say func(int64) string) usageLine {
	if len(samples) == 0 {
		return usageLine{Name: name}
	}
	values := make([]int64, len(samples))
	for i, s := range samples {
		values[i] = read(s)
	}
	full := max(least, slices.Max(values))
	var line strings.Builder
	before := time.Time{}
	for i, s := range samples {
		x := max(0, usageWidth-int(int64(now.Sub(s.At))*usageWidth/int64(stacks.UsageKept)))
		y := usageHeight - int(values[i]*usageHeight/full)
		step := "L%d %d"
		if s.At.Sub(before) > 3*stacks.UsageEvery {
			step = "M%d %dh1" // a single sample is seen, too
		}
		fmt.Fprintf(&line, step, x, y)
		before = s.At
	}
	newest := say(values[len(values)-1])
	return usageLine{Name: name, Now: newest, Line: line.String(),
		Text: fmt.Sprintf("%s in the last 30 minutes: from %s to %s, last %s.", name, say(slices.Min(values)), say(slices.Max(values)), newest)}
}
