package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxPlaintext is how much one envelope holds, in bytes.
const MaxPlaintext = 16 << 20

const (
	envelopeVersion = 1
	envelopeHeader  = 1 + 4 // version and key number, bytes
	envelopeMin     = envelopeHeader + gcmOverhead
)

// Why an envelope does not open.
var (
	// ErrOpen: it was changed, it was moved here from another row or column, or it is no envelope.
	ErrOpen = errors.New("the sealed value does not open: it is damaged or belongs to another place")
	// ErrUnknownKey: the ring has no such data key; another process may have added it since.
	ErrUnknownKey = errors.New("the sealed value was made with a data key that this key ring does not have")
)

// Place is where an envelope is kept. It opens nowhere else.
type Place struct {
	Table  string // name of the table
	Row    string // identifier of the row
	Column string // name of the column
}

// Seal encrypts plaintext (at most MaxPlaintext bytes, may be empty) with the active
// data key for one place, every part of which must be known already. Sealing the same
// twice gives two different envelopes.
func (r *Ring) Seal(place Place, plaintext []byte) (Sealed, error) {
	if place.Table == "" || place.Row == "" || place.Column == "" {
		return nil, errors.New("seal a value: its table, row and column must all be named")
	}
	if len(plaintext) > MaxPlaintext {
		return nil, fmt.Errorf("seal a value: it has more than %d bytes", MaxPlaintext)
	}
	state := r.state.Load()
	return sealWith(state.keys[state.active].fields, state.active, place, plaintext), nil
}

// Open decrypts what Seal made for the same place. It fails with ErrOpen or ErrUnknownKey, or
// with what kept it from looking for a newer ring where it follows one.
func (r *Ring) Open(place Place, sealed Sealed) ([]byte, error) {
	number, ok := sealed.keyNumber()
	if !ok {
		return nil, fmt.Errorf("open %s.%s: %w", place.Table, place.Column, ErrOpen)
	}
	key, err := r.key(number)
	if err != nil {
		return nil, fmt.Errorf("open %s.%s: %w", place.Table, place.Column, err)
	}
	plaintext, err := openWith(key.fields, number, place, sealed)
	if err != nil {
		return nil, fmt.Errorf("open %s.%s: %w", place.Table, place.Column, err)
	}
	return plaintext, nil
}

// Stale reports whether sealed should be sealed again because it was not made with
// the active data key. That includes what is no envelope, so that opening it for
// renewal brings the damage to light; an empty column is not stale.
func (r *Ring) Stale(sealed Sealed) bool {
	number, ok := sealed.keyNumber()
	return len(sealed) > 0 && (!ok || number != r.state.Load().active)
}

func sealWith(aead cipher.AEAD, number uint32, place Place, plaintext []byte) Sealed {
	envelope := make([]byte, 0, envelopeMin+len(plaintext))
	envelope = append(envelope, envelopeVersion)
	envelope = binary.BigEndian.AppendUint32(envelope, number)
	return aead.Seal(envelope, nil, plaintext, place.binding(number))
}

func openWith(aead cipher.AEAD, number uint32, place Place, sealed Sealed) ([]byte, error) {
	plaintext, err := aead.Open(nil, nil, sealed[envelopeHeader:], place.binding(number))
	if err != nil {
		return nil, ErrOpen
	}
	return plaintext, nil
}

// binding returns the associated data of an envelope, as the package doc specifies it.
func (p Place) binding(number uint32) []byte {
	data := appendParts(nil, p.Table, p.Row, p.Column)
	data = append(data, envelopeVersion)
	return binary.BigEndian.AppendUint32(data, number)
}

// appendParts appends each part after its length, so that no two lists look alike.
func appendParts(data []byte, parts ...string) []byte {
	for _, part := range parts {
		data = binary.BigEndian.AppendUint32(data, uint32(len(part)))
		data = append(data, part...)
	}
	return data
}
