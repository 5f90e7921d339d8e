// Package seal owns everything that SECRET_KEY protects: the key ring, the envelopes
// that secret columns hold, keyed authentication codes, and the tokens that Berth
// hands out.
//
// # Keys
//
//	SECRET_KEY ── HKDF ──▶ key-encryption key ── AES-256-GCM ──▶ wraps each data key
//	                   └─▶ check value (public, to compare two keys)
//	data key n ── HKDF ──▶ one subkey for each use and Purpose
//
// Data keys are random, numbered from 1, and kept for ever once something was sealed
// with them; one of them is active. Changing SECRET_KEY rewraps the ring and leaves the
// data keys alone, so nothing else has to be written again (see Unlock). Adding a data
// key changes what new envelopes are sealed with; Stale finds the old ones.
//
// Authentication codes, fingerprints and Subkey always come from data key 1. They
// must give one answer for one message for the whole life of an installation: a
// session is found again, an API key keeps working and an unchanged variable keeps
// its fingerprint after AddKey. Their keys gain nothing from being changed, since what
// is authenticated at rest are random 256-bit secrets.
//
// # Envelopes
//
//	version (1 byte, 1) · key number (uint32, big endian) · nonce (12 random bytes) · AES-256-GCM ciphertext and tag
//
// The associated data is table, row and column, each after its length (uint32, big
// endian), then version and key number: an envelope opens only where it was sealed.
//
// The package must not know the database, the environment or a request: callers hand
// rows in and carry rows out. Start with Unlock in unlock.go, then Seal in envelope.go
// and NewToken in token.go.
package seal
