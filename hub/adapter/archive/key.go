package archive

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"

	"filippo.io/age"

	"berth/core/seal"
)

// stanza is what age calls the part of an archive's header that holds its key. Its argument is the check value of
// the SECRET_KEY; its body is the wrapped key ring, and after it the file key, sealed by the ring.
const stanza = "berth-secret-key"

const (
	wrappedSize = 64 // bytes of seal.WrappedKey.Wrapped
	rowSize     = 4 + 1 + wrappedSize
	maxRows     = 1000
)

// keyring seals and opens keys of archives.
type keyring struct{ key, previous seal.SecretKey }

// Wrap implements age.Recipient.
func (k sealer) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	rows, err := k.ring.Wrap(k.key)
	if err != nil {
		return nil, err
	}
	aead, err := aeadOf(k.ring)
	if err != nil {
		return nil, err
	}
	body := binary.BigEndian.AppendUint32(nil, uint32(len(rows)))
	for _, row := range rows {
		if len(row.Wrapped) != wrappedSize {
			return nil, fmt.Errorf("archive: a wrapped key has %d bytes", len(row.Wrapped))
		}
		body = binary.BigEndian.AppendUint32(body, row.Number)
		body = append(body, map[bool]byte{true: 1}[row.Active])
		body = append(body, row.Wrapped...)
	}
	return []*age.Stanza{{Type: stanza, Args: []string{k.key.CheckValue()}, Body: aead.Seal(body, nil, fileKey, body)}}, nil
}

// sealer seals the keys of new archives.
type sealer struct {
	key  seal.SecretKey
	ring *seal.Ring
}

// Unwrap implements age.Identity. *seal.WrongKeyError when the archive was made under another SECRET_KEY.
func (k keyring) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, s := range stanzas {
		if s.Type == stanza {
			return k.open(s.Body)
		}
	}
	return nil, errForeign
}

var errForeign = errors.New("it is encrypted, but not by Berth")

func (k keyring) open(body []byte) ([]byte, error) {
	if len(body) < 4 {
		return nil, errForeign
	}
	count := binary.BigEndian.Uint32(body)
	if count == 0 || count > maxRows || len(body) < 4+int(count)*rowSize {
		return nil, errForeign
	}
	end := 4 + int(count)*rowSize
	rows := make([]seal.WrappedKey, count)
	for i := range rows {
		row := body[4+i*rowSize:][:rowSize]
		rows[i] = seal.WrappedKey{Number: binary.BigEndian.Uint32(row), Active: row[4] == 1, Wrapped: row[5:]}
	}
	ring, _, err := seal.Unlock(k.key, k.previous, rows)
	if err != nil {
		return nil, err
	}
	aead, err := aeadOf(ring)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, nil, body[end:], body[:end])
}

// aeadOf is how a ring seals keys of archives.
func aeadOf(ring *seal.Ring) (cipher.AEAD, error) {
	block, err := aes.NewCipher(ring.Subkey(seal.PurposeBackup))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
