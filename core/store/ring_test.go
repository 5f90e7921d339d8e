package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/keys"
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
	y.must(y.AddKeyRing(t.Context(), first, []byte("check 1")))
	y.holds(first, "check 1")
	e := access.System.Audit("data_key.create", "2", "")

	second := []seal.WrappedKey{{Number: 2, Wrapped: []byte("two"), Active: true}, {Number: 1, Wrapped: []byte("one again")}}
	y.must(y.SaveKeyRing(t.Context(), first, second, []byte("check 2"), e))
	second[0], second[1] = second[1], second[0] // they come in order of number
	y.holds(second, "check 2")

	// A ring that cannot be stored leaves the one before as it was: without it nothing opens.
	if err := y.SaveKeyRing(t.Context(), second, append(slices.Clone(second), seal.WrappedKey{Number: 3}), nil, e); err == nil {
		t.Error("a ring was stored without its check")
	}
	y.holds(second, "check 2")
	for name, was := range map[string][]seal.WrappedKey{"the ring before": first, "a part of it": second[:1], "none": nil} {
		y.refused(name, y.SaveKeyRing(t.Context(), was, first, []byte("check 4"), e), "key.ring_changed")
	}
	y.holds(second, "check 2")
}

func TestADataKeyKeepsTheTimeWhenItWasMade(t *testing.T) {
	y := openYard(t)
	rows := []seal.WrappedKey{{Number: 1, Wrapped: []byte("one"), Active: true}}
	y.must(y.AddKeyRing(t.Context(), rows, []byte("check")))
	began := y.at
	y.at = began.Add(time.Hour)
	more := []seal.WrappedKey{{Number: 1, Wrapped: []byte("one again")}, {Number: 2, Wrapped: []byte("two"), Active: true}}
	y.must(y.SaveKeyRing(t.Context(), rows, more, []byte("check"), access.System.Audit("data_key.create", "2", "")))
	want := []keys.DataKey{{Number: 1, CreatedAt: began}, {Number: 2, Active: true, CreatedAt: y.at}}
	if got, err := y.DataKeys(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the keys are %+v, %v; want %+v", got, err, want)
	}
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
