package coretest

import (
	"fmt"
	"strings"
	"testing"

	"berth/core/fault"
)

// Canary stands in every secret of tests, so that one that gets out is seen.
const Canary = "canary"

// WantFault demands an error of a kind with a code, whose public text says something and which shows no
// Canary, however it is printed.
func WantFault(t *testing.T, err error, kind fault.Kind, code string, says ...string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.CodeOf(err) != code {
		t.Errorf("%v (%s); want %s %s", err, fault.KindOf(err), kind, code)
		return
	}
	for _, text := range says {
		if !strings.Contains(fault.PublicOf(err), text) {
			t.Errorf("%q does not say %q", fault.PublicOf(err), text)
		}
	}
	if all := fmt.Sprintf("%+v %s", err, err); strings.Contains(all, Canary) {
		t.Errorf("a message shows a secret: %s", all)
	}
}
