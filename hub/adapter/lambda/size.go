package lambda

import (
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"berth/core/config"
	"berth/core/fault"
)

// size is what a host passes on.
type size struct {
	host    string        // in words
	event   int           // bytes of an event, header, quotes and base64 included
	longest time.Duration // that it waits for an answer, whatever the function's own limit; 0: no such limit
}

// aside is the room that an answer leaves for its header and for the event around it.
const aside = 64 << 10

// sizes as AWS documents them: 6 MB for an invocation, 1 MB behind a load balancer; 29 s for a
// REST API unless raised, 30 s for an HTTP API.
var sizes = map[config.EventForm]size{
	config.EventRESTv1:      {"API Gateway", 6<<20 - aside, 29 * time.Second},
	config.EventHTTPv2:      {"API Gateway", 6<<20 - aside, 30 * time.Second},
	config.EventALB:         {"the load balancer", 1<<20 - aside, 0},
	config.EventFunctionURL: {"AWS Lambda", 6<<20 - aside, 0},
}

// Room is how many bytes of text an answer may have, whatever the event does to them: text
// of which every other byte had to be escaped would still pass.
func Room(form config.EventForm) int { return sizes[form].event / 2 }

// refuse says that an answer is too large.
func (s size) refuse(method string, bytes int) error {
	done := ""
	if method != "GET" && method != "HEAD" {
		done = " What was asked for was done; only its answer is missing."
	}
	return fault.New(fault.TooLarge, "answer.too_large", "The answer would take %s, and %s passes at most %s on.%s Ask for less at a time: "+
		"a smaller limit or tail, or the next page with after. What is large in itself can be read on a server that runs without a function host.",
		megabytes(bytes), s.host, megabytes(s.event), done)
}

func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20)) }

// fits reports, without looking at it, whether a body takes less than limit bytes of an event,
// whatever it is.
func fits(body []byte, limit int) bool { return len(body) <= limit/6 }

// textSize is how many bytes a body takes in an event.
func textSize(body []byte) int {
	if !utf8.Valid(body) {
		return base64.StdEncoding.EncodedLen(len(body))
	}
	n := len(body)
	for _, c := range body {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}
