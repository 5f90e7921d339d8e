package engine

import (
	"errors"
	"strings"

	"berth/core/fault"
	"berth/hub/worker"
)

// What a library's message may add to a log line, and to a fault: its beginning and its
// end, where the next step stands.
const (
	maxText = 1000
	maxEnd  = 300
)

func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

// applyFault says why a project cannot be brought up.
func applyFault(format string, args ...any) error {
	return fault.New(fault.Invalid, "engine.apply", format, args...)
}

// clipText returns text as valid UTF-8 of bounded length.
func clipText(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ToValidUTF8(text, "�")
}

// clipMiddle is clipText for texts whose end matters.
func clipMiddle(text string) string {
	if len(text) > maxText+maxEnd {
		text = text[:maxText] + " … " + text[len(text)-maxEnd:]
	}
	return strings.ToValidUTF8(text, "�")
}

// asIs is for operations that know no secrets.
func asIs(text string) string { return text }

// final gives a fault the words in which it leaves the package: secrets are taken out
// first, then its length is bounded, because half a secret would not be recognized. Only
// worker.Unhealthy is left of the cause as it is; the text of any other may hold secrets.
func final(err error, hide func(string) string) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	clean := *f
	clean.Public = hide(f.Public)
	var bad worker.Unhealthy
	switch {
	case errors.As(f.Cause, &bad): // bounded already
		clean.Cause = worker.Unhealthy{Service: bad.Service, Lines: hide(bad.Lines)}
		return &clean
	case f.Cause != nil:
		clean.Cause = errors.New(clipMiddle(hide(f.Cause.Error())))
	}
	clean.Public = clipMiddle(clean.Public)
	return &clean
}
