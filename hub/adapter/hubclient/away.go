package hubclient

import (
	"errors"
	"sync/atomic"
	"time"

	"berth/core/fault"
	"berth/core/hubcall"
)

// noAnswer is what is said when a hub could not be reached, or broke off.
const noAnswer = "The hub does not answer."

// withoutHub says of each call what its absence means to whoever asked: what was done, and what comes next.
// Hints are not in it; nobody waits for those.
var withoutHub = map[hubcall.Op]string{
	hubcall.Act:           "Nothing was done to the compose service, and nothing is kept for later: ask again when a hub is back.",
	hubcall.Logs:          "What containers say can be read again when a hub is back; they run on meanwhile.",
	hubcall.Usage:         "What containers use can be read again when a hub is back; they run on meanwhile.",
	hubcall.Plan:          "What a deployment would do can be told again when a hub is back.",
	hubcall.Lint:          "What is wrong with the files can be told again when a hub is back.",
	hubcall.PolicyPlan:    "What rules would refuse can be told again when a hub is back; they can be saved without.",
	hubcall.Environment:   "What the stack's folder makes of its variables can be told again when a hub is back.",
	hubcall.Commits:       "It alone has the repository's commits: look again when one is back.",
	hubcall.Files:         "It alone has the repository's files: look again when one is back.",
	hubcall.Discover:      "It alone has the repository's files: look again when one is back.",
	hubcall.Probe:         "It alone reaches Git hosts, so nothing was tried and nothing was changed: try again when one is back.",
	hubcall.ScanHost:      "It alone reaches SSH hosts, so nothing was scanned and nothing was changed: try again when one is back.",
	hubcall.TestBackend:   "It alone reaches secret backends, so nothing was tried; settings are stored and kept. Test again when one is back.",
	hubcall.Pick:          "It alone reaches secret backends, so there is nothing to choose from: try again when one is back.",
	hubcall.Secrets:       "It alone has the repository's files, so what the secrets file provides is not known: look again when one is back.",
	hubcall.EncryptFile:   "It alone encrypts; nothing was stored of the values. Try again when one is back.",
	hubcall.Metrics:       "It holds the metrics: there is nothing to scrape until one is back.",
	hubcall.WorkerMetrics: "It holds the metrics: there is nothing to scrape until one is back.",
}

// notKnown is said instead when the hub may have heard it before it fell silent.
var notKnown = map[hubcall.Op]string{
	hubcall.Act: "Whether the compose service was touched is not known, and nothing is kept for later: look at it when a hub is back.",
}

// away answers what needs a hub when none can be asked. heard: the hub may have got the question.
func away(op hubcall.Op, why string, heard bool, cause error) error {
	text := withoutHub[op]
	if unsure := notKnown[op]; heard && unsure != "" {
		text = unsure
	}
	return fault.New(fault.Unavailable, "hub.away", "%s", why+" "+text).After(5 * time.Second).Because(cause)
}

// none says what it means for a call that the directory knows no hub to ask; other errors stay as they are.
func none(op hubcall.Op, err error) error {
	if fault.CodeOf(err) != "hub.away" {
		return err
	}
	return away(op, fault.PublicOf(err), false, err)
}

// errRests says that a hub did not answer a moment ago, so that nobody waits for it again.
var errRests = errors.New("it did not answer a moment ago")

// sent notes whether a question was on its way.
type sent struct{ atomic.Bool }

func (s *sent) now() { s.Store(true) }
