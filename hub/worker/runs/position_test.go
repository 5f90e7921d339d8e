package runs

import (
	"testing"
	"time"
)

func TestPositionsAreReadAsTheyAreWritten(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.UTC)
	for name, p := range map[string]Position{"the beginning": {}, "one stream": {Out: at}, "the other": {Err: at}, "both": {Out: at, Err: at.Add(1)}} {
		text := p.String()
		got := ParsePosition(text)
		if !got.Out.Equal(p.Out) || !got.Err.Equal(p.Err) || p.IsZero() != (text == "") || len(text) > 64 {
			t.Errorf("%s: %q is read as %v", name, text, got)
		}
	}
	for _, text := range []string{"x", "1", "1 x", "99999999999999999999 1", "\n"} {
		if got := ParsePosition(text); !got.IsZero() {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
