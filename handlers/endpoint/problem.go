package endpoint

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"berth/core/fault"
)

// Problem is a failed answer: application/problem+json as of RFC 9457, with members of our own.
type Problem struct {
	Type      string        `json:"type"`   // always "about:blank": title says what status says
	Title     string        `json:"title"`  // the status in words
	Status    int           `json:"status"` // the HTTP status
	Detail    string        `json:"detail"` // what failed, why, and the next step
	Code      string        `json:"code"`   // noun.problem, for programs
	RequestID string        `json:"request_id"`
	Fields    []fault.Field `json:"fields,omitempty"` // every bad field of a bad request

	RetryAfter time.Duration `json:"-"` // sent as a header; zero: none
}

// statuses is the whole truth about which kind of fault becomes which status.
var statuses = map[fault.Kind]int{
	fault.Malformed:       http.StatusBadRequest,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Internal:        http.StatusInternalServerError,
}

// errGone stands for a request that ended before its work did: the client left, or time ran out.
var errGone = fault.New(fault.Unavailable, "request.timeout",
	"The request took too long and was given up; what it asked for may or may not have been done. Look before trying again.")

// ProblemOf describes err for the client. It shows only what the fault declares public.
func ProblemOf(ctx context.Context, err error) Problem {
	var known *fault.Error
	if !errors.As(err, &known) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		err = errGone
	}
	kind := fault.KindOf(err)
	p := Problem{
		Type:      "about:blank",
		Title:     http.StatusText(statuses[kind]),
		Status:    statuses[kind],
		Detail:    fault.PublicOf(err),
		Code:      fault.CodeOf(err),
		RequestID: RequestID(ctx),
	}
	if errors.As(err, &known) {
		p.Fields, p.RetryAfter = known.Fields, known.RetryAfter
	}
	if p.RetryAfter == 0 && (kind == fault.Unavailable || kind == fault.TooMany) {
		p.RetryAfter = time.Second
	}
	return p
}

// SayWhen puts into the header of an answer when it is worth asking again, if that is known.
func (p Problem) SayWhen(w http.ResponseWriter) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((p.RetryAfter+time.Second-1)/time.Second), 10))
	}
}
