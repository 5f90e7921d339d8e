package hubcall

import (
	"fmt"
	"strconv"
	"strings"

	"berth/core/fault"
)

// Protocol is the number of what callers and hubs say to each other. It rises when a call changes so that the release before would
// misread it; a call that is new, or has a new field, needs no other number.
const Protocol = 1

// SpeaksHeader says which protocol a caller speaks and which release it is, as "1 1.2.0". A caller without it speaks the first.
const SpeaksHeader = "Berth-Hub-Protocol"

// maxRelease bounds the name of a release that a caller gives, in bytes.
const maxRelease = 64

// Speaks returns the header of a caller of a release.
func Speaks(release string) string { return fmt.Sprintf("%d %s", Protocol, release) }

// Heard reads the header of a caller: its release, for people, and whether it is understood. Unavailable "hub_call.protocol" names
// both releases when it is not.
func Heard(header, release string) (caller string, err error) {
	number, caller, _ := strings.Cut(header, " ")
	if caller == "" || len(caller) > maxRelease {
		caller = "unknown"
	}
	if header == "" || number == strconv.Itoa(Protocol) {
		return caller, nil
	}
	spoken, err := strconv.Atoi(number)
	if err != nil {
		return caller, fault.New(fault.Malformed, "hub_call.malformed", "The header %s of a call to the hub cannot be read.", SpeaksHeader)
	}
	older := "the hub"
	if spoken < Protocol {
		older = "what called it"
	}
	return caller, fault.New(fault.Unavailable, "hub_call.protocol",
		"The hub is release %s and speaks protocol %d with handlers and hubs; what called it is release %s and speaks %d. Nothing was done. Update %s, so that all are one release.",
		release, Protocol, caller, spoken, older)
}
