package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

const (
	keySize          = 32 // bytes, of SECRET_KEY, data keys and subkeys
	minDistinctBytes = 10 // 32 random bytes have fewer about once in 10^22
	checkSize        = 3  // bytes of the public check value: tells keys apart, says nothing about them
	redacted         = "[secret]"
)

// What is wrong with a SECRET_KEY; the texts never show it.
var (
	errKeyForm        = errors.New("must be 64 hexadecimal characters (32 random bytes); make one with: openssl rand -hex 32")
	errKeyPlaceholder = errors.New("is a well-known placeholder that everybody can read; make one with: openssl rand -hex 32")
	errKeyPattern     = errors.New("repeats too few different bytes to be random; make one with: openssl rand -hex 32")
)

// SecretKey is what remains of SECRET_KEY after parsing: the key-encryption key and
// the check value, both derived. The key itself is not kept. The zero SecretKey stands
// for "none given". It does not print itself, wherever it is embedded.
type SecretKey struct{ derived *derivedKeys } // a pointer, so that reflection shows an address

type derivedKeys struct {
	wrapping cipher.AEAD
	check    [checkSize]byte
}

// ParseSecretKey reads 64 hexadecimal characters. It refuses known placeholders and
// keys with fewer than 10 distinct bytes. The error is fit to follow the variable's
// name and never shows any part of the value.
func ParseSecretKey(text string) (SecretKey, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != keySize {
		return SecretKey{}, errKeyForm
	}
	if isPlaceholder(raw) {
		return SecretKey{}, errKeyPlaceholder
	}
	distinct := map[byte]bool{}
	for _, b := range raw {
		distinct[b] = true
	}
	if len(distinct) < minDistinctBytes {
		return SecretKey{}, errKeyPattern
	}
	return deriveSecretKey(raw)
}

func deriveSecretKey(raw []byte) (SecretKey, error) {
	wrapping, err := deriveAEAD(raw, "berth secret key: wrap data keys")
	if err != nil {
		return SecretKey{}, fmt.Errorf("cannot be used on this system: %w", err)
	}
	check, err := derive(raw, "berth secret key: check value")
	if err != nil {
		return SecretKey{}, fmt.Errorf("cannot be used on this system: %w", err)
	}
	return SecretKey{&derivedKeys{wrapping, [checkSize]byte(check)}}, nil
}

// IsZero reports whether no key was given.
func (k SecretKey) IsZero() bool { return k.derived == nil }

// CheckValue returns six hexadecimal characters that tell two keys apart and may be
// shown to anyone; empty for the zero key.
func (k SecretKey) CheckValue() string {
	if k.IsZero() {
		return ""
	}
	return hex.EncodeToString(k.derived.check[:])
}

// String returns a placeholder.
func (SecretKey) String() string { return redacted }

// Format writes a placeholder for every verb.
func (SecretKey) Format(s fmt.State, _ rune) { io.WriteString(s, redacted) }

// MarshalText returns a placeholder.
func (SecretKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns a placeholder.
func (SecretKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// derive returns the 32-byte HKDF-SHA256 subkey of key for one use.
func derive(key []byte, use string) ([]byte, error) {
	return hkdf.Key(sha256.New, key, nil, use, keySize)
}

// deriveAEAD returns AES-256-GCM under the subkey of key for one use. It draws a
// random 12-byte nonce for each message and puts it first.
func deriveAEAD(key []byte, use string) (cipher.AEAD, error) {
	subkey, err := derive(key, use)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(subkey)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
