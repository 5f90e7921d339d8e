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
func applyFault(format string, args ...any) *fault.Error {
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
func clipMiddle(text string, beginning int) string {
	if len(text) > beginning+maxEnd {
		text = text[:beginning] + " … " + text[len(text)-maxEnd:]
	}
	return strings.ToValidUTF8(text, "�")
}

// asIs is for operations that know no secrets.
func asIs(text string) string { return text }

// final gives a fault the words in which it leaves the package: secrets are taken out
// first, then its length is bounded, because half a secret would not be recognized. Of the cause
// only a worker.FailedService is left, or its text; any may hold secrets.
func final(err error, hide func(string) string) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	clean := *f
	clean.Public, clean.Cause = hide(f.Public), nil
	if failed, known := failedService(err, f); known {
		clean.Cause = worker.FailedService{Service: failed.Service, Lines: tail(hide(failed.Lines), quotedBytes+quotedCheck)}
		clean.Public = clipMiddle(clean.Public, maxText+quotedBytes)
		return &clean
	}
	if f.Cause != nil {
		clean.Cause = errors.New(clipMiddle(hide(f.Cause.Error()), maxText))
	}
	clean.Public = clipMiddle(clean.Public, maxText)
	return &clean
}
