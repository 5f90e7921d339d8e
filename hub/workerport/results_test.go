package workerport

import (
	"errors"
	"regexp"
	"testing"

	"berth/core/fault"
	"berth/core/fleet"
)

func TestEveryRefusalHasAWord(t *testing.T) {
	for want, err := range map[string]error{
		"busy": errBusy, "full": errFull, "forbidden": fleet.Revoked(), "defect": errors.New("a pointer was nil"),
		"too_many_failures": fault.New(fault.TooMany, "worker_port.too_many_failures", "Too many."),
		"unauthenticated":   fault.New(fault.Unauthenticated, "worker.token_invalid", "No."),
		"unavailable":       fault.New(fault.Unavailable, "store.busy", "Slow."),
		"malformed":         fault.New(fault.TooLarge, "worker_port.too_large", "Much."),
		"conflict":          fault.New(fault.Conflict, "worker.key_taken", "Another."),
	} {
		if got := resultOf(err); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
	for kind := fault.Internal; kind <= fault.Unavailable; kind++ {
		if word := resultOf(fault.New(kind, "some.code", "Text with spaces.")); !regexp.MustCompile(`^[a-z_]+$`).MatchString(word) {
			t.Errorf("%s has the word %q", kind, word)
		}
	}
}
