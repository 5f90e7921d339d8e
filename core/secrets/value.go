package secrets

import (
	"fmt"
	"io"
	"log/slog"
)

// Value is a secret in memory. It refuses to print itself: every formatting verb,
// JSON, text and log encoding yields Redacted. Only Reveal gives the content, so
// that each place where a secret leaves this type can be found by that one word. The
// content lies behind a pointer, so that printing a struct that hides a Value in an
// unexported field shows an address at most. Two Values are not to be compared.
type Value struct{ content *string }

// Redacted is what a Value prints in place of its content.
const Redacted = "[secret]"

// NewValue wraps content, byte for byte.
func NewValue(content string) Value { return Value{&content} }

// Reveal returns the content, byte for byte.
func (v Value) Reveal() string {
	if v.content == nil {
		return ""
	}
	return *v.content
}

// Empty reports whether the content has no bytes.
func (v Value) Empty() bool { return v.Reveal() == "" }

// String returns Redacted.
func (Value) String() string { return Redacted }

// Format writes Redacted for every verb.
func (Value) Format(s fmt.State, _ rune) { io.WriteString(s, Redacted) }

// MarshalText returns Redacted.
func (Value) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// LogValue returns Redacted.
func (Value) LogValue() slog.Value { return slog.StringValue(Redacted) }
