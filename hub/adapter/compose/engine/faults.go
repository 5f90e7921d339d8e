package engine

import (
	"errors"
	"strings"

	"berth/core/fault"
)

// maxText bounds what a library's message may add to a fault or a log line.
const maxText = 1000

func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

// applyFault says why a project cannot be brought up.
func applyFault(format string, args ...any) error {
	f := fault.New(fault.Invalid, "engine.apply", format, args...)
	f.Public = clipText(f.Public)
	return f
}

// clipText returns text as valid UTF-8 of bounded length.
func clipText(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ToValidUTF8(text, "�")
}

// redactFault returns err with secrets taken out of its public text and no cause, whose
// text may hold them as well.
func redactFault(err error, redact func(string) string) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	clean := *f
	clean.Public = redact(f.Public)
	if f.Cause != nil {
		clean.Cause = errors.New(redact(f.Cause.Error()))
	}
	return &clean
}
