package workerport

import (
	"errors"

	"berth/core/fault"
)

// What becomes of a worker's wish for a link, as the metrics say it. A registration that is refused counts
// too: no link comes of it.
const (
	accepted = "accepted"
	crowded  = "crowded" // closed before anything was said: too many have no link yet
	defect   = "defect"
)

// wordsByCode are those for what a worker cannot change.
var wordsByCode = map[string]string{
	errBusy.Code: "busy", errFull.Code: "full", "worker_port.too_many_failures": "too_many_failures",
}

// wordsByKind are those for all else.
var wordsByKind = map[fault.Kind]string{
	fault.Malformed: "malformed", fault.Unsupported: "malformed", fault.Invalid: "malformed", fault.TooLarge: "malformed",
	fault.Unauthenticated: "unauthenticated", fault.Forbidden: "forbidden", fault.NotFound: "unauthenticated", fault.Conflict: "conflict",
	fault.TooMany: "busy", fault.Unavailable: "unavailable",
}

// resultOf is the word for why a worker was refused.
func resultOf(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) {
		return defect
	}
	if word, found := wordsByCode[known.Code]; found {
		return word
	}
	if word, found := wordsByKind[known.Kind]; found {
		return word
	}
	return defect
}
