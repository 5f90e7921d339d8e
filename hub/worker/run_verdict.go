package worker

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// errTimedOut is why a container was ended that ran for too long.
var errTimedOut = errors.New("its time is over")

// runEnd is how a run ended that had begun, or may have: there is nothing to judge about it any more.
type runEnd struct{ ending }

func (e runEnd) Error() string { return e.text }

// lost says that nobody can tell how a run ended.
func lost() error {
	return runEnd{ending{wire.ResultUnknown, "run.lost",
		"The container of the run is gone from the worker's host, and with it how it ended: somebody removed it while the worker did not look."}}
}

// verdict judges a container that has ended, and was ended for why, if that is not nil.
func verdict(why error, c runs.Container, timeout time.Duration) error {
	switch {
	case errors.Is(why, errTimedOut):
		return failed("run.timeout", "It ran for longer than its timeout of %s and was stopped. Raise resources.timeout in job.yaml if it needs more.", short(timeout))
	case why != nil:
		return runEnd{ending{wire.ResultCancelled, "command.cancelled", "It was cancelled while it ran, and its container was stopped."}}
	case c.ExitCode == 0:
		return nil
	case c.OutOfMemory:
		return failed("run.out_of_memory", "It needed more memory than it may have, and was killed for that. Raise resources.memory in job.yaml, or have it use less.")
	}
	return failed("run.exit", "It ended with exit code %d%s.", c.ExitCode, meaning(c.ExitCode))
}

func failed(code, format string, args ...any) error {
	return runEnd{ending{wire.ResultFailed, code, fmt.Sprintf(format, args...)}}
}

// meaning says what shells and inits mean by an exit code.
func meaning(code int) string {
	switch {
	case code == 126:
		return ", which means that its program may not be executed"
	case code == 127:
		return ", which means that its program was not found in the image"
	case code == 137: // also when the engine noted too late, or not at all, why it was killed
		return ", which means that it was killed (signal 9): by somebody on its host, or because it, or the host, had no memory left"
	case code > 128 && code < 160:
		return ", which means that signal " + strconv.Itoa(code-128) + " ended it"
	}
	return ""
}

// commandLabel is what LabelCommand says.
func commandLabel(key journal.Key) string { return string(key.ID) + "/" + strconv.Itoa(key.Attempt) }

// short writes a duration without what is zero at its end.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
