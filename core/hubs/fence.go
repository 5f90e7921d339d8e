package hubs

import (
	"context"

	"berth/core"
)

// Fence says under which condition a write counts. The store checks it in the transaction of the
// write, and refuses with ErrLost when it does not hold any more.
type Fence struct {
	Lease  Lease         // of this epoch must still be held; zero: any
	Hub    core.HubID    // must still be heard of; empty: any
	Worker core.WorkerID // must still be at Epoch: its link is the newest; empty: any
	Epoch  uint64
}

type fenceKey struct{}

// Under returns a context whose writes count only under a fence, beside those that ctx has already.
func Under(ctx context.Context, f Fence) context.Context {
	known := Fences(ctx)
	return context.WithValue(ctx, fenceKey{}, append(known[:len(known):len(known)], f))
}

// Fences returns under which fences a context's writes count.
func Fences(ctx context.Context) []Fence {
	fences, _ := ctx.Value(fenceKey{}).([]Fence)
	return fences
}

// Writer returns the hub that writes with a context; empty: there is only one.
func Writer(ctx context.Context) core.HubID {
	for _, f := range Fences(ctx) {
		if f.Hub != "" {
			return f.Hub
		}
	}
	return ""
}
