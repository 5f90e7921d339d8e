package core

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNewIDSortsByAgeAndIsValid(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var ids []string
	for i := range 100 {
		id := NewID(PrefixStack, start.Add(time.Duration(i)*50*time.Microsecond))
		if !ValidID(PrefixStack, id) {
			t.Fatalf("%q is not valid", id)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Error("identifiers made later do not sort later")
	}
}

func TestFirstIDParts(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := FirstID(PrefixStack, at)
	for range 100 {
		if before, since := NewID(PrefixStack, at.Add(-time.Microsecond)), NewID(PrefixStack, at); before >= first || since < first {
			t.Fatalf("%s is not between %s and %s", first, before, since)
		}
	}
	if !ValidID(PrefixStack, first) {
		t.Errorf("%s is not valid", first)
	}
}

func TestAnIdentifierOfAnythingIsKnownByItsShape(t *testing.T) {
	id := NewID(PrefixStack, time.Unix(1, 0))
	body := strings.TrimPrefix(id, PrefixStack)
	for text, want := range map[string]bool{id: true, PrefixCredential + body: true, body: false, "": false, "vault": false, "stk_1": false, "STK" + body: false, "longer" + body: false, "s.k" + body: false, id + "0": false} {
		if IsID(text) != want {
			t.Errorf("%q is an identifier: %v", text, !want)
		}
	}
}

func TestValidIDRefuses(t *testing.T) {
	good := NewID(PrefixStack, time.Now())
	for name, id := range map[string]string{
		"another prefix":      strings.Replace(good, PrefixStack, PrefixUser, 1),
		"too short":           good[:len(good)-1],
		"too long":            good + "0",
		"line ends":           good[:len(good)-2] + "\r\n",
		"a letter left out":   good[:len(good)-1] + "i",
		"upper case":          strings.ToUpper(good),
		"no separator":        strings.Replace(good, "_", "", 1),
		"path in place of it": "stk_../../../../etc/passwd000000",
		"nothing":             "",
	} {
		if ValidID(PrefixStack, id) {
			t.Errorf("%s: %q was accepted", name, id)
		}
	}
}
