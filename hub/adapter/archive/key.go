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

// What age calls the part of an archive's header that holds its key. The argument is the check value of the SECRET_KEY; the
// body is the wrapped key ring, and after it the file key, sealed with the data key that was active then.
const stanza = "berth-data-key"

// firstStanza is how releases before called it, which sealed the file key with what comes from the first data key.
const firstStanza = "berth-secret-key"

// place is what the sealed file key is bound to. The rest of the header is authenticated by age with the file key.
var place = seal.Place{Table: "backup", Row: "archive", Column: "file_key"}

const (
	wrappedSize = 64 // bytes of seal.WrappedKey.Wrapped
	rowSize     = 4 + 1 + wrappedSize
	maxRows     = 1000
)

// keyring seals and opens keys of archives.
type keyring struct{ key, previous seal.SecretKey }

// Wrap implements age.Recipient.
func (k sealer) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	sealed, err := k.ring.Seal(place, fileKey)
	if err != nil {
		return nil, err
	}
	rows, err := k.ring.Wrap(k.key) // after that: a data key that is added meanwhile is in it, and never lacks
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
	return []*age.Stanza{{Type: stanza, Args: []string{k.key.CheckValue()}, Body: append(body, sealed...)}}, nil
}

// sealer seals the keys of new archives.
type sealer struct {
	key  seal.SecretKey
	ring *seal.Ring
}

// Unwrap implements age.Identity. *seal.WrongKeyError when the archive was made under another SECRET_KEY.
func (k keyring) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, s := range stanzas {
		switch s.Type {
		case stanza:
			return k.open(s.Body, func(ring *seal.Ring, _, sealed []byte) ([]byte, error) { return ring.Open(place, sealed) })
		case firstStanza:
			return k.open(s.Body, openFirst)
		}
	}
	return nil, errForeign
}

var errForeign = errors.New("it is encrypted, but not by Berth")

// open unlocks the ring that a body begins with, and has the file key opened that follows it.
func (k keyring) open(body []byte, opens func(ring *seal.Ring, rows, sealed []byte) ([]byte, error)) ([]byte, error) {
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
	return opens(ring, body[:end], body[end:])
}

// openFirst opens a file key as releases before sealed it.
func openFirst(ring *seal.Ring, rows, sealed []byte) ([]byte, error) {
	block, err := aes.NewCipher(ring.Subkey(seal.PurposeBackup))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, nil, sealed, rows)
}
