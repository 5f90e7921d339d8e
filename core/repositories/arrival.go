package repositories

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"berth/core/secrets"
)

// MaxDelivery is the largest body of a delivery, in bytes. GitHub sends up to 25 MiB for pushes of very many
// commits; those are refused, because a body must be held whole before its signature can be judged, whoever
// sent it. Polling finds what they would have told.
const MaxDelivery = 1 << 20

// Arrival is a call of a webhook as it came in. Nothing in it is to be believed before it is proven.
type Arrival struct {
	Header func(name string) string // what stands in a header; several of one name joined, which proves nothing
	Body   []byte                   // byte for byte
}

// Provider is the kind of Git host that an arrival claims to come from. Gitea and Forgejo send GitHub's headers
// beside their own, so they are asked for first.
func (a Arrival) Provider() Provider {
	switch {
	case a.hasAny("X-Gitea-Event", "X-Gitea-Signature", "X-Forgejo-Event", "X-Forgejo-Signature"):
		return ProviderGitea
	case a.hasAny("X-Gitlab-Event", "X-Gitlab-Token"):
		return ProviderGitLab
	case a.hasAny("X-Event-Key"):
		return ProviderBitbucket
	case a.hasAny("X-Hub-Signature-256", "X-Github-Event"):
		return ProviderGitHub
	}
	return ProviderGeneric
}

func (a Arrival) hasAny(names ...string) bool {
	for _, name := range names {
		if a.Header(name) != "" {
			return true
		}
	}
	return false
}

// first returns the first of some headers that says something.
func (a Arrival) first(names ...string) string {
	for _, name := range names {
		if value := a.Header(name); value != "" {
			return value
		}
	}
	return ""
}

// proof is what an arrival shows, and how the same is made from a secret. given has no bytes when it shows
// nothing that could be right.
func (a Arrival) proof() (given []byte, from func(secret string) []byte) {
	switch a.Provider() {
	case ProviderGitHub:
		return signature(a.Header("X-Hub-Signature-256"), "sha256="), a.signed
	case ProviderBitbucket:
		return signature(a.Header("X-Hub-Signature"), "sha256="), a.signed
	case ProviderGitea:
		return signature(a.first("X-Gitea-Signature", "X-Forgejo-Signature"), ""), a.signed
	case ProviderGitLab:
		return token(a.Header("X-Gitlab-Token")), token
	}
	scheme, rest, _ := strings.Cut(a.Header("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		rest = ""
	}
	return token(strings.TrimSpace(rest)), token
}

// Signed reports whether the proof covers the body, so that the same body is the same delivery.
func (p Provider) Signed() bool { return p != ProviderGitLab && p != ProviderGeneric }

// signature reads a signature in hexadecimal digits.
func signature(text, prefix string) []byte {
	digits, found := strings.CutPrefix(text, prefix)
	raw, err := hex.DecodeString(digits)
	if !found || err != nil || len(raw) != sha256.Size {
		return nil
	}
	return raw
}

func (a Arrival) signed(secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(a.Body)
	return mac.Sum(nil)
}

// token is a digest, so that comparing tells nothing of a secret's length either.
func token(text string) []byte {
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// nobodys stands where there are fewer secrets than MaxSecrets. What it proves does not count.
const nobodys = "no secret at all"

// ProvenBy reports whether the arrival comes from somebody who has one of the secrets. It takes the same steps
// whichever fits, and when there is none.
func (a Arrival) ProvenBy(good []secrets.Value) bool {
	given, from := a.proof()
	return matches(given, from, good)
}

func matches(given []byte, from func(secret string) []byte, good []secrets.Value) bool {
	proven := 0
	for i := range MaxSecrets {
		secret, counts := nobodys, 0
		if i < len(good) && !good[i].Empty() {
			secret, counts = good[i].Reveal(), 1
		}
		proven |= subtle.ConstantTimeCompare(given, from(secret)) & counts
	}
	return proven == 1
}
