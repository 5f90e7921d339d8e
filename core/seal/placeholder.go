package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Keys that documents, test vectors and examples print, and hashes of words that people
// type to get 64 characters quickly.
var (
	placeholderKeys = []string{
		"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
		"ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
		"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", // NIST SP 800-38A, F.1.5
	}
	placeholderWords = []string{"", "a", "test", "secret", "SECRET_KEY", "secret_key", "password", "changeme",
		"change-me", "change_me", "example", "admin", "default", "key", "berth", "123456", "12345678", "hello"}
)

// isPlaceholder reports whether key is one that anybody can guess.
func isPlaceholder(key []byte) bool {
	return isKnownKey(key) || isHashedWord(key) || isCounting(key)
}

func isKnownKey(key []byte) bool {
	return slices.Contains(placeholderKeys, hex.EncodeToString(key))
}

func isHashedWord(key []byte) bool {
	for _, word := range placeholderWords {
		plain, line := sha256.Sum256([]byte(word)), sha256.Sum256([]byte(word+"\n"))
		if bytes.Equal(key, plain[:]) || bytes.Equal(key, line[:]) {
			return true
		}
	}
	return false
}

// isCounting reports whether each byte differs from the one before by the same step.
func isCounting(key []byte) bool {
	for i := 2; i < len(key); i++ {
		if key[i]-key[i-1] != key[1]-key[0] {
			return false
		}
	}
	return true
}
