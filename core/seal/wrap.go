package seal

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// WrappedKey is a data key as it is stored: one row of the key ring.
type WrappedKey struct {
	Number uint32 // from 1, without gaps
	// Wrapped is version (1 byte), check value of the wrapping SECRET_KEY (3 bytes),
	// nonce (12 bytes), AES-256-GCM ciphertext (32 bytes) and tag (16 bytes).
	Wrapped []byte
	Active  bool // exactly one row of a ring
}

const (
	wrapVersion = 1
	wrapHeader  = 1 + checkSize
	gcmOverhead = 12 + 16 // nonce and tag, bytes
	wrappedSize = wrapHeader + keySize + gcmOverhead
)

// ErrWrongKey says that the ring was wrapped under another SECRET_KEY. The error that
// carries it is a *WrongKeyError.
var ErrWrongKey = errors.New("SECRET_KEY is not the one that this installation's data is sealed with")

// WrongKeyError names both keys by their public check values.
type WrongKeyError struct {
	Given  string // check value of the key that was tried; empty when none was given
	Stored string // check value of the key that the ring was wrapped under
}

// Error returns what failed, with both check values, and the next step.
func (e *WrongKeyError) Error() string {
	given := e.Given
	if given == "" {
		given = "none"
	}
	return fmt.Sprintf("%v: its check value is %s, the data was sealed under %s. Start with that SECRET_KEY, "+
		"or set SECRET_KEY_PREVIOUS to it to change over to the new one. Nothing was changed", ErrWrongKey, given, e.Stored)
}

// Is reports whether target is ErrWrongKey.
func (e *WrongKeyError) Is(target error) bool { return target == ErrWrongKey }

// Wrap returns the rows to store, in order of number: at first start, after AddKey,
// and, all in one transaction, when SECRET_KEY changes. It fails for the zero key.
func (r *Ring) Wrap(key SecretKey) ([]WrappedKey, error) {
	if key.IsZero() {
		return nil, errors.New("wrap the key ring: no SECRET_KEY was given")
	}
	state := r.state.Load()
	rows := make([]WrappedKey, 0, len(state.keys))
	for number, data := range state.keys {
		header := append([]byte{wrapVersion}, key.derived.check[:]...)
		wrapped := key.derived.wrapping.Seal(header, nil, data.raw[:], wrapBinding(header, number))
		rows = append(rows, WrappedKey{number, wrapped, number == state.active})
	}
	slices.SortFunc(rows, func(a, b WrappedKey) int { return cmp.Compare(a.Number, b.Number) })
	return rows, nil
}

// OpenRing unwraps stored rows. A ring that was wrapped under another key gives
// ErrWrongKey, rows that do not make a ring give ErrRing.
func OpenRing(key SecretKey, rows []WrappedKey) (*Ring, error) {
	if len(rows) == 0 || len(rows) > maxKeys {
		return nil, fmt.Errorf("%w: it has %d data keys", ErrRing, len(rows))
	}
	keys := make(map[uint32]*dataKey, len(rows))
	var active uint32
	for _, row := range rows {
		if row.Number == 0 || int(row.Number) > len(rows) || keys[row.Number] != nil {
			return nil, fmt.Errorf("%w: data key %d is surplus", ErrRing, row.Number)
		}
		if row.Active && active != 0 {
			return nil, fmt.Errorf("%w: data keys %d and %d are both active", ErrRing, active, row.Number)
		}
		if row.Active {
			active = row.Number
		}
		data, err := unwrap(key, row)
		if err != nil {
			return nil, err
		}
		keys[row.Number] = data
	}
	if active == 0 {
		return nil, fmt.Errorf("%w: no data key is active", ErrRing)
	}
	return newRing(keys, active)
}

func unwrap(key SecretKey, row WrappedKey) (*dataKey, error) {
	if len(row.Wrapped) != wrappedSize || row.Wrapped[0] != wrapVersion {
		return nil, fmt.Errorf("%w: data key %d has an unknown form", ErrRing, row.Number)
	}
	header, body := row.Wrapped[:wrapHeader], row.Wrapped[wrapHeader:]
	stored := hex.EncodeToString(header[1:])
	if key.CheckValue() != stored {
		return nil, &WrongKeyError{Given: key.CheckValue(), Stored: stored}
	}
	raw, err := key.derived.wrapping.Open(nil, nil, body, wrapBinding(header, row.Number))
	if err != nil {
		return nil, fmt.Errorf("%w: data key %d does not open", ErrRing, row.Number)
	}
	return newDataKey([keySize]byte(raw))
}

// wrapBinding is the associated data of a wrapped key: it opens only under its number.
func wrapBinding(header []byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(slices.Clone(header), number)
}
