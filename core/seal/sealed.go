package seal

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sealed is an envelope, and the only type that secret columns are read into and
// written from: a plain value cannot be stored in one by mistake. Nil is NULL.
type Sealed []byte

var errNotSealed = errors.New("a secret column takes envelopes only")

// keyNumber returns the number of the data key; false when s has not the form of an envelope.
func (s Sealed) keyNumber() (uint32, bool) {
	if len(s) < envelopeMin || len(s) > envelopeMin+MaxPlaintext || s[0] != envelopeVersion {
		return 0, false
	}
	return binary.BigEndian.Uint32(s[1:envelopeHeader]), true
}

// Value implements driver.Valuer. It refuses bytes that do not have the form of an envelope.
func (s Sealed) Value() (driver.Value, error) {
	if s == nil {
		return nil, nil
	}
	if _, ok := s.keyNumber(); !ok {
		return nil, fmt.Errorf("store a sealed value: %w", errNotSealed)
	}
	return []byte(s), nil
}

// Scan implements sql.Scanner. It takes NULL and blobs that have the form of an envelope.
func (s *Sealed) Scan(source any) error {
	if source == nil {
		*s = nil
		return nil
	}
	blob, ok := source.([]byte)
	if !ok {
		return fmt.Errorf("read a sealed value: it is a %T: %w", source, errNotSealed)
	}
	if _, ok := Sealed(blob).keyNumber(); !ok {
		return fmt.Errorf("read a sealed value: %w", errNotSealed)
	}
	*s = bytes.Clone(blob)
	return nil
}
