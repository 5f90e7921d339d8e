package ui

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

// exact is text that goes back into the form that it came from, byte for byte; clean
// leaves it alone. Nothing else of a view model may be of this type.
type exact string

// clean makes every string that it reaches from a pointer to a view model safe to look at: see
// visible. It is done for all pages in one place, so that no page can forget it; that HTML
// is escaped is the business of html/template.
func clean(model any) { cleanValue(reflect.ValueOf(model).Elem()) }

var exactType = reflect.TypeFor[exact]()

func cleanValue(v reflect.Value) {
	if !v.CanSet() || v.Type() == exactType {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(visible(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			cleanValue(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanValue(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	}
}

// escapeSequence matches what terminals take as commands: CSI, OSC and two-letter sequences
// (ECMA-48, sections 5.3 to 5.6).
var escapeSequence = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")

// visible drops terminal commands from text and writes out whatever would be invisible or would
// change the order in which the rest is read. Line ends and tabs stay.
func visible(text string) string {
	if !suspicious(text) {
		return text
	}
	text = escapeSequence.ReplaceAllString(text, "")
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r < 0x20:
			out.WriteRune(0x2400 + r) // the control picture
		case r == 0x7f:
			out.WriteRune(0x2421)
		case unseen(r):
			fmt.Fprintf(&out, "‹U+%04X›", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// suspicious reports whether visible would change text; most text it would not.
func suspicious(text string) bool {
	for _, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r == utf8.RuneError || r > 0x7f && unseen(r) {
			return true
		}
	}
	return false
}

// unseen reports C1 controls, characters that reorder text, and those that show nothing.
// The joiners of words and emoji (U+200C, U+200D) stay.
func unseen(r rune) bool {
	return r >= 0x80 && r < 0xa0 || r == 0xad || r == 0x61c || r == 0x200b || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff ||
		r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}
