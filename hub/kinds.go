package hub

import (
	"context"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// order is what a session does about one command. How depends on what the command asks for.
type order interface {
	// frame puts into msg what the worker is to do: references become values here and nowhere earlier.
	frame(ctx context.Context, msg *wire.Command) error
	// delivering notes what the frame gives, before it is sent.
	delivering(ctx context.Context, msg wire.Command) error
	// unsendable closes a command whose frame cannot be built: nothing was changed.
	unsendable(ctx context.Context, why error) error
	// begin makes ready for what the worker will say, of a command that is sent for the first time: nothing is stored of that.
	begin()
	// recall tells which of its events the worker need not say again, as far as that is known.
	recall(ctx context.Context, i *wire.Instruction)
	// defect is why it is closed when a defect of this program keeps it from being sent.
	defect() error
	// follow makes ready for what the worker will say.
	follow(ctx context.Context) error
	// accepted notes that the worker has it on its disk.
	accepted()
	// event records what the worker says while it works. follow was called before.
	event(ctx context.Context, m wire.Event)
	// close stores how it ended.
	close(ctx context.Context, m wire.Result) error
	// content returns what the worker may fetch for it.
	content(ctx context.Context) ([]core.Content, error)
}

// order returns what is done about a command. It is the only place that tells the kinds apart.
func (s *session) order(c stacks.Command) order {
	switch c.Kind {
	case stacks.CommandRun:
		return runOrder{s: s, c: c}
	case stacks.CommandTeardown:
		return teardownOrder{s: s, c: c}
	}
	return deployOrder{s, c}
}

// lane says which commands share the places that a worker has: runs must not take those of deployments.
type lane bool

// The lanes.
const (
	laneStacks lane = false
	laneRuns   lane = true
)

func laneOf(c stacks.Command) lane { return c.Kind == stacks.CommandRun }

// places is how many commands of a lane a worker is given at once; the others wait in the store.
// It is less than a worker queues.
func (l lane) places() int {
	if l == laneRuns {
		return maxRunsInFlight
	}
	return maxInFlight
}

// looksAt is how many of a lane's oldest commands are looked at. Of runs there may be thousands, and those that
// the worker has are mostly the oldest; any deployment may have to wait for its time.
func (l lane) looksAt() int {
	if l == laneRuns {
		return 2 * maxRunsInFlight
	}
	return maxOpen
}

// maxOpen is more deployments and teardowns than a worker can have open.
const maxOpen = 100_000

// How many commands a worker is given at once.
const (
	maxInFlight     = 32 // deployments and teardowns
	maxRunsInFlight = 64
)

// silent is an order without a log and without anything to fetch.
type silent struct{}

func (silent) delivering(context.Context, wire.Command) error  { return nil }
func (silent) begin()                                          {}
func (silent) recall(context.Context, *wire.Instruction)       {}
func (silent) defect() error                                   { return errCommandDefect }
func (silent) follow(context.Context) error                    { return nil }
func (silent) accepted()                                       {}
func (silent) event(context.Context, wire.Event)               {}
func (silent) content(context.Context) ([]core.Content, error) { return nil, nil }
