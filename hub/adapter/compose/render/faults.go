package render

import (
	"errors"
	"fmt"
	"strings"

	"berth/core/fault"
)

// maxFaultText bounds what of a library's message, which may quote a whole file, is passed on.
const maxFaultText = 600

func invalid(format string, args ...any) error {
	return composeFault(fault.Invalid, "compose.invalid", format, args...)
}

func unsupported(format string, args ...any) error {
	return composeFault(fault.Invalid, "compose.unsupported", format, args...)
}

func escapes(format string, args ...any) error {
	return composeFault(fault.Invalid, "compose.path_escapes", format, args...)
}

func missingFile(format string, args ...any) error {
	return composeFault(fault.NotFound, "compose.file_missing", format, args...)
}

func tooLarge(format string, args ...any) error {
	return composeFault(fault.TooLarge, "compose.too_large", format, args...)
}

func composeFault(kind fault.Kind, code, format string, args ...any) error {
	return fault.New(kind, code, "%s", clip(fmt.Sprintf(format, args...)))
}

func clip(text string) string {
	if len(text) <= maxFaultText {
		return text
	}
	cut := maxFaultText
	for cut > 0 && text[cut]&0xC0 == 0x80 { // not in the middle of a rune
		cut--
	}
	return text[:cut] + "…"
}

// in says at which place of the project a fault came up.
func in(place string, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	placed := *f
	placed.Public = clip(place + ": " + f.Public)
	return &placed
}

// placed says in which file and on which line stands what a fault names.
func (r *rendering) placed(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	for _, d := range r.files {
		if strings.HasPrefix(f.Public, d.path+":") {
			return err
		}
	}
	if place := locate(r.files, f.Public); place != "" {
		return in(place, err)
	}
	return err
}
