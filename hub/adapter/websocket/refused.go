package websocket

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"berth/core/fault"
	"berth/core/wire"
)

// Refused is the server's own answer that this worker may not connect, or not now. It
// unwraps to a fault with the same code, text and RetryAfter.
type Refused struct {
	Status     int           // of the HTTP answer
	Code       string        // from its problem+json, such as worker.revoked; server.refused when it had none
	Text       string        // for people, one line
	RetryAfter time.Duration // at most an hour; zero when the server did not say
}

// Error implements error.
func (r *Refused) Error() string {
	return fmt.Sprintf("the server answered %d (%s): %s", r.Status, r.Code, r.Text)
}

// Unwrap returns the fault.
func (r *Refused) Unwrap() error {
	return fault.New(kindOf(r.Status), r.Code, "%s", r.Text).After(r.RetryAfter)
}

func kindOf(status int) fault.Kind {
	switch status {
	case http.StatusBadRequest:
		return fault.Malformed
	case http.StatusUnauthorized:
		return fault.Unauthenticated
	case http.StatusForbidden:
		return fault.Forbidden
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict:
		return fault.Conflict
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case http.StatusUnprocessableEntity:
		return fault.Invalid
	case http.StatusTooManyRequests:
		return fault.TooMany
	}
	return fault.Unavailable
}

const maxRetryAfter = time.Hour

func refused(answer *http.Response, body []byte, now time.Time) error {
	r := &Refused{Status: answer.StatusCode, RetryAfter: retryAfter(answer.Header.Get("Retry-After"), now)}
	var said struct{ Code, Detail, Title string }
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") {
		json.Unmarshal(body, &said) // what cannot be read leaves the standard text
	}
	r.Code = oneLine(said.Code, 64)
	if r.Code == "" {
		r.Code = "server.refused"
	}
	r.Text = oneLine(said.Detail, wire.MaxText)
	if r.Text == "" {
		r.Text = fmt.Sprintf("The server answered %d %s. Check that SERVER_URL is the worker port.", r.Status, http.StatusText(r.Status))
	}
	return r
}

func oneLine(text string, limit int) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, wire.Clip(text, limit)))
}

// retryAfter reads seconds or an HTTP date (RFC 9110, section 10.2.3).
func retryAfter(value string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
