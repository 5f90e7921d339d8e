package store_test

import (
	"reflect"
	"testing"

	"berth/core/seal"
)

func TestTheKeyRingIsReplacedWhole(t *testing.T) {
	y := openYard(t)
	rows, err := y.KeyRing(t.Context())
	if err != nil || rows == nil || len(rows) != 0 {
		t.Errorf("a new installation has %v, %v", rows, err)
	}
	_, err = y.KeyCheck(t.Context())
	y.refused("the check of a new installation", err, "key.check_missing")

	first := []seal.WrappedKey{{Number: 1, Wrapped: []byte("one"), Active: true}}
	y.must(y.SaveKeyRing(t.Context(), first, []byte("check 1")))
	y.holds(first, "check 1")

	second := []seal.WrappedKey{{Number: 2, Wrapped: []byte("two"), Active: true}, {Number: 1, Wrapped: []byte("one again")}}
	y.must(y.SaveKeyRing(t.Context(), second, []byte("check 2")))
	second[0], second[1] = second[1], second[0] // they come in order of number
	y.holds(second, "check 2")

	// A ring that cannot be stored leaves the one before as it was: without it nothing opens.
	twice := []seal.WrappedKey{{Number: 3, Wrapped: []byte("a"), Active: true}, {Number: 3, Wrapped: []byte("b")}}
	if err := y.SaveKeyRing(t.Context(), twice, []byte("check 3")); err == nil {
		t.Error("a number was stored twice")
	}
	if err := y.SaveKeyRing(t.Context(), first, nil); err == nil {
		t.Error("a ring was stored without its check")
	}
	y.holds(second, "check 2")
}

// holds checks what ring and check are stored.
func (y *yard) holds(rows []seal.WrappedKey, check string) {
	y.t.Helper()
	if got, err := y.KeyRing(y.t.Context()); err != nil || !reflect.DeepEqual(got, rows) {
		y.t.Errorf("the ring is %+v, %v; want %+v", got, err, rows)
	}
	if got, err := y.KeyCheck(y.t.Context()); err != nil || string(got) != check {
		y.t.Errorf("the check is %q, %v; want %q", got, err, check)
	}
}
