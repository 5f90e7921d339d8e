package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// keyedSubkeys are derived from the root key; see the package doc for why from it alone.
type keyedSubkeys struct {
	macs    [purposeCount][]byte // never leave the package
	subkeys [purposeCount][]byte // handed out by Subkey
}

func deriveKeyed(root []byte) (*keyedSubkeys, error) {
	keyed := &keyedSubkeys{}
	for p := range purposeCount {
		var err error
		if keyed.macs[p], err = derive(root, "berth mac: "+p.String()); err != nil {
			return nil, fmt.Errorf("derive the authentication key for %s: %w", p, err)
		}
		if keyed.subkeys[p], err = derive(root, "berth subkey: "+p.String()); err != nil {
			return nil, fmt.Errorf("derive the subkey for %s: %w", p, err)
		}
	}
	return keyed, nil
}

// MAC returns the 32-byte HMAC-SHA256 of message under the subkey of a purpose. It is
// the same for the whole life of an installation: changing SECRET_KEY and AddKey both
// leave it alone. It is nil for a purpose that is none.
func (r *Ring) MAC(purpose Purpose, message []byte) []byte {
	if purpose >= purposeCount {
		return nil
	}
	mac := hmac.New(sha256.New, r.state.Load().keyed.macs[purpose])
	mac.Write(message)
	return mac.Sum(nil)
}

// VerifyMAC reports, in constant time, whether mac is the MAC of message.
func (r *Ring) VerifyMAC(purpose Purpose, message, mac []byte) bool {
	return purpose < purposeCount && hmac.Equal(r.MAC(purpose, message), mac)
}

// Fingerprint returns 32 hexadecimal characters that change when any part changes and
// tell nothing about the parts to whoever lacks the key ring. Begin with what the
// fingerprint is of, and end with the value.
func (r *Ring) Fingerprint(parts ...string) string {
	return hex.EncodeToString(r.MAC(PurposeFingerprint, appendParts(nil, parts...))[:16])
}

// Subkey returns a fresh copy of a purpose's 32-byte subkey for use outside this
// package, such as authentication between handlers and hub. It shares nothing with
// what MAC and Seal use, and is nil for a purpose that is none.
func (r *Ring) Subkey(purpose Purpose) []byte {
	if purpose >= purposeCount {
		return nil
	}
	return bytes.Clone(r.state.Load().keyed.subkeys[purpose])
}

// MACToken returns what is stored of a token beside its id.
func (r *Ring) MACToken(token Token) []byte {
	return r.MAC(token.kind.purpose(), token.message())
}

// VerifyToken reports, in constant time, whether mac is what MACToken returned for
// this very token: kind, id, secret and pin.
func (r *Ring) VerifyToken(token Token, mac []byte) bool {
	return !token.IsZero() && r.VerifyMAC(token.kind.purpose(), token.message(), mac)
}
