// Package fault owns the one error type with meaning.
//
// A fault says what kind of problem occurred (Kind), which one exactly (Code), what
// a person may read about it (Public) and, for bad input, which fields are at fault.
// The cause stays inside for the log. Faults are made in three places only: use
// cases, the store and the adapters; they are rendered in one, handlers/endpoint.
//
// It must not know HTTP, SQL or any vendor. Start reading at Error.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the class of a problem; whoever renders it needs no more than this to
// choose a status.
type Kind int

// The kinds, from "the bytes make no sense" to "our own defect".
const (
	Internal        Kind = iota // our defect, or an unexplained failure
	Malformed                   // cannot be parsed at all
	Unsupported                 // media type that is not understood
	Invalid                     // parsed, but a value is not allowed
	Unauthenticated             // who are you
	Forbidden                   // known, but not allowed
	NotFound                    // no such thing, or not for this principal
	Conflict                    // the state does not permit it now
	TooLarge                    // over a size limit
	TooMany                     // over a rate limit; RetryAfter says when
	Unavailable                 // something needed is away; RetryAfter may say when
)

var kindNames = [...]string{"internal", "malformed", "unsupported", "invalid", "unauthenticated",
	"forbidden", "not_found", "conflict", "too_large", "too_many", "unavailable"}

// String returns the kind's name in snake_case.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "internal"
	}
	return kindNames[k]
}

// KindNamed returns the kind whose name this is; Internal when there is none.
func KindNamed(name string) Kind { return Kind(max(0, slices.Index(kindNames[:], name))) }

// Field names one bad input value and what is wrong with it.
type Field struct {
	Path    string `json:"path"`    // dotted path in the request, e.g. "worker.tags"
	Problem string `json:"problem"` // what is wrong, and what would be right; never the value of a secret
}

// Error is a failure that people and programs can act on.
type Error struct {
	Kind       Kind
	Code       string        // noun.problem, listed in codes.go, never reused
	Public     string        // what failed, why, and the next step; safe to show to anyone who may ask
	Fields     []Field       // for Invalid: every bad field, not just the first
	RetryAfter time.Duration // for TooMany and Unavailable; zero when unknown
	Cause      error         // for the log only
}

// New returns a fault of kind with a code and a public text made like fmt.Sprintf.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Public: fmt.Sprintf(format, args...)}
}

// BadFields returns an Invalid fault that lists every bad field, or nil when there is none.
func BadFields(code string, fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Path + ": " + f.Problem
	}
	return &Error{Kind: Invalid, Code: code, Public: strings.Join(parts, "; "), Fields: fields}
}

// List tells what is wrong with fields: one of them behind the head, several each on a line of its own below it.
func List(head string, fields []Field) string {
	separator := ": "
	if len(fields) > 1 {
		separator = ":\n"
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Path + ": " + f.Problem
	}
	return head + separator + strings.Join(parts, "\n")
}

// Because returns a copy of e that carries cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// After returns a copy of e that tells the caller when to try again.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Error returns code, public text and cause, for logs.
func (e *Error) Error() string {
	text := e.Public
	if e.Code != "" {
		text = e.Code + ": " + text
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of the outermost fault in err's chain; Internal when there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// CodeOf returns the code of the outermost fault in err's chain; "internal.error" when there is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Code != "" {
		return e.Code
	}
	return "internal.error"
}

// PublicOf returns the text that may be shown to people for err.
func PublicOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Public != "" {
		return e.Public
	}
	return "Something went wrong on our side. The server's log has the details under this request's id."
}

// Is reports whether err is a fault of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
