package seal

import (
	"crypto/subtle"
	"errors"
	"fmt"
)

// ErrCheck says that the start-up check row does not belong to this key ring.
var ErrCheck = errors.New("the start-up check does not open with this key ring")

const checkText = "berth start-up check"

var checkPlace = Place{Table: "check", Row: "check", Column: "check"}

// SealCheck returns the content of the start-up check row.
func (r *Ring) SealCheck() []byte {
	state := r.state.Load()
	return sealWith(state.keys[state.active].checks, state.active, checkPlace, []byte(checkText))
}

// OpenCheck opens the start-up check row, before any port opens. It fails with
// ErrCheck when ring and row do not belong together.
func (r *Ring) OpenCheck(row []byte) error {
	number, ok := Sealed(row).keyNumber()
	if !ok {
		return fmt.Errorf("%w: it is no envelope", ErrCheck)
	}
	key, found := r.state.Load().keys[number]
	if !found {
		return fmt.Errorf("%w: it was made with data key %d, which the ring does not have", ErrCheck, number)
	}
	text, err := openWith(key.checks, number, checkPlace, row)
	if err != nil || subtle.ConstantTimeCompare(text, []byte(checkText)) != 1 {
		return fmt.Errorf("%w: it is damaged or comes from another installation", ErrCheck)
	}
	return nil
}
