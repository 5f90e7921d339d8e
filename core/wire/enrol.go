package wire

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
)

// DecodeEnrol reads the body of an enrolment request, at most MaxEnrol bytes. Unknown
// fields are ignored, so that a newer worker can ask; faults as from Decode.
func DecodeEnrol(body []byte) (Enrol, error) { return decodeBody[Enrol](body, "enrolment") }

// DecodeEnrolled reads the body of the answer to an enrolment request, like DecodeEnrol.
func DecodeEnrolled(body []byte) (Enrolled, error) {
	return decodeBody[Enrolled](body, "enrolment answer")
}

func decodeBody[T any](body []byte, what string) (T, error) {
	var msg, none T
	if len(body) > MaxEnrol {
		return none, badBody(what, fmt.Sprintf("has %d bytes, the limit is %d", len(body), MaxEnrol), nil)
	}
	if !utf8.Valid(body) {
		return none, badBody(what, "is not valid UTF-8", nil)
	}
	if problem := checkShape(body); problem != "" {
		return none, badBody(what, "is refused because "+problem, nil)
	}
	if err := json.Unmarshal(body, &msg); err != nil {
		return none, badBody(what, "is not the JSON object that the protocol asks for", err)
	}
	if err := Validate(msg); err != nil {
		return none, err
	}
	return msg, nil
}

func badBody(what, problem string, cause error) error {
	return fault.New(fault.Malformed, CodeMalformed,
		"the %s %s; run hub and worker at most one release apart", what, problem).Because(cause)
}

func checkEnrol(c *complaints, m Enrol) {
	c.whole("protocol", int64(m.Protocol), 1, 1000)
	checkHost(c, m.Hostname, m.Tags, m.Version, m.OS, m.Arch)
}

func checkEnrolled(c *complaints, m Enrolled) {
	c.id("worker_id", core.PrefixWorker, string(m.WorkerID))
	c.whole("heartbeat_seconds", int64(m.HeartbeatSeconds), 1, maxBeat)
	if m.Time.IsZero() {
		c.add("time", "must be the server's clock")
	}
}
