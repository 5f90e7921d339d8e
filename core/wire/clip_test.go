package wire

import (
	"strings"
	"testing"

	"berth/core/stacks"
)

func TestClip(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short text stays":              {"abc", 5, "abc"},
		"long text is cut":              {"abcdef", 3, "abc"},
		"a character is not halved":     {"aéé", 2, "a"},
		"a wide character alone":        {"😀", 3, ""},
		"bytes that are not UTF-8":      {"a\xff\xfeb", 9, "a?b"},
		"NUL":                           {"a\x00b", 9, "a?b"},
		"cut and cleaned":               {"\xffaé", 3, "?a"},
		"a limit of nothing":            {"abc", 0, ""},
		"line breaks and colours stay ": {"\x1b[1m\n", 9, "\x1b[1m\n"},
	} {
		if got := Clip(c.text, c.limit); got != c.want {
			t.Errorf("%s: Clip = %q, want %q", name, got, c.want)
		}
	}
}

func TestClipEnd(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short text stays":              {"abc", 5, "abc"},
		"the last lines stay":           {"one\ntwo\nthree\n", 10, "two\nthree\n"},
		"a line that is cut goes":       {"one\ntwo\nthree\n", 9, "three\n"},
		"one long line keeps its end":   {"abcdef", 3, "def"},
		"and so does one that is ended": {"abcdef\n", 3, "ef\n"},
		"a character is not halved":     {"éé", 3, "é"},
		"a wide character alone":        {"😀", 3, ""},
		"bytes that are not UTF-8":      {"a\xff\nb\x00", 9, "a?\nb?"},
		"a limit of nothing":            {"abc", 0, ""},
	} {
		if got := ClipEnd(c.text, c.limit); got != c.want {
			t.Errorf("%s: ClipEnd = %q, want %q", name, got, c.want)
		}
	}
}

// A result must reach the hub whatever the engine wrote into its error.
func TestTextsForPeopleNeverStopAMessage(t *testing.T) {
	wild := strings.Repeat("\xff\x00é", MaxText)
	phase := PhaseEvent{Name: stacks.PhasePull, State: stacks.PhaseFailed, Message: wild}
	for name, msg := range map[string]any{
		"result": Result{ID: sampleID, Attempt: 1, Status: ResultFailed, Error: wild, Service: wild + "\n", Lines: wild, Phases: []PhaseEvent{phase}},
		"event":  Event{ID: sampleID, Attempt: 1, Number: 1, Log: "\xff\x00", Phase: &phase},
		"reply":  Reply{ID: 1, Data: "\xff\x00", Error: wild},
		"chunk":  BlobChunk{Digest: digest, Error: wild},
		"bye":    Bye{Reason: wild},
	} {
		frame, err := Encode(msg)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Decode(frame); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if phase.Message != wild {
		t.Error("Encode changed the caller's phase")
	}
}
