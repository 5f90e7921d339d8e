package worker

import (
	"context"
	"errors"

	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/journal"
)

// Why a command's context ended, besides its deadline.
var (
	errCancelled  = errors.New("it was cancelled")
	errForgotten  = errors.New("the hub does not want it any more")
	errStopping   = errors.New("the worker is stopping")
	errSuperseded = errors.New("a newer attempt came")
)

// errBusy refuses a command that no queue has room for.
var errBusy = fault.New(fault.Unavailable, "worker.busy",
	"The worker has as many commands waiting as it may. Try again when some have ended.")

// diskFault says that the worker's own disk is the problem.
func diskFault(err error) error {
	if errors.Is(err, journal.ErrFull) {
		return errBusy
	}
	return fault.New(fault.Unavailable, "worker.disk",
		"The worker could not write to its data directory: %v. Make room on the host's disk or repair it; nothing was changed.", err).Because(err)
}

// timeoutFault says that a command's deadline passed.
func timeoutFault(phase string) error {
	return fault.New(fault.Unavailable, "command.timeout",
		"The time for this command was over during %s. Raise the stack's timeout, or look at what took so long in the log.", phase)
}

// ending is how a command ended, before it is made public.
type ending struct {
	status wire.ResultStatus
	code   string
	text   string
}

// endingOf judges what a command's work returned. phase is what it was at.
func endingOf(ctx context.Context, err error, phase string) ending {
	if end, is := errors.AsType[runEnd](err); is {
		return end.ending
	}
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return ending{status: wire.ResultSucceeded}
	case errors.Is(cause, errCancelled):
		return ending{wire.ResultCancelled, "command.cancelled", "It was cancelled during " + phase + "."}
	case errors.Is(cause, context.DeadlineExceeded):
		err = timeoutFault(phase)
	}
	return ending{wire.ResultFailed, fault.CodeOf(err), publicText(err)}
}

// publicText returns what people may read of err: a fault's own words, and for anything
// else that it was unexpected and where to look.
func publicText(err error) string {
	var f *fault.Error
	if errors.As(err, &f) && f.Public != "" {
		return f.Public
	}
	return "The worker ran into a problem that we did not foresee. Its log, on the host, has the details."
}
