package oidcstand

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
)

// Object is a JSON object.
type Object map[string]any

// B64 is base64url without padding.
func B64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func part(o Object) string {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // a test's own claims
	}
	return B64(raw)
}

// RS256 signs with RSA.
func RS256(key *rsa.PrivateKey, kid string, claims Object) string {
	head := part(Object{"alg": "RS256", "typ": "JWT", "kid": kid}) + "." + part(claims)
	sum := sha256.Sum256([]byte(head))
	mac, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return head + "." + B64(mac)
}

// ES256 signs with an elliptic curve.
func ES256(key *ecdsa.PrivateKey, kid string, claims Object) string {
	head := part(Object{"alg": "ES256", "typ": "JWT", "kid": kid}) + "." + part(claims)
	sum := sha256.Sum256([]byte(head))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err)
	}
	return head + "." + B64(append(fixed(r), fixed(s)...))
}

// Unsigned is a token whose head says what alg says, with whatever signature follows.
func Unsigned(head, claims Object) string { return part(head) + "." + part(claims) }

func fixed(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }
