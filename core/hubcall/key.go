package hubcall

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
)

// Header carries the proof of a call, and FaultTrailer the Fault of a stream that ended badly.
const (
	Header       = "Berth-Hub-Call"
	FaultTrailer = "Berth-Fault"
)

// Window is how far the clocks of caller and hub may be apart.
const Window = time.Minute

// maxNonces bounds the calls that are remembered: far more than come within twice Window.
const maxNonces = 200_000

// Key proves and checks who calls. It is safe for concurrent use.
type Key struct {
	// Set once.
	secret []byte // the ring's subkey for hubs
	now    core.Clock

	mu   sync.Mutex
	seen map[string]time.Time // guarded by mu: nonces, with when they may be forgotten
	next time.Time            // guarded by mu: when old nonces are looked for again
}

// NewKey returns the key made of the ring's subkey for hubs.
func NewKey(subkey []byte, now core.Clock) *Key {
	return &Key{secret: subkey, now: now, seen: map[string]time.Time{}}
}

var (
	errNoProof = fault.New(fault.Unauthenticated, "hub_call.refused", "The hub answers to handlers and hubs of its own installation only. "+
		"Check that both have the same SECRET_KEY and DATABASE_URL.")
	errOldProof = fault.New(fault.Unauthenticated, "hub_call.clock", "The clocks of hub and caller are more than %d seconds apart. Set both right.", int(Window.Seconds()))
	errRepeated = fault.New(fault.Unauthenticated, "hub_call.repeated", "This call was made before. Make a new one.")
	errTooMany  = fault.New(fault.TooMany, "hub_call.too_many", "Too many calls to the hub. Try again in a minute.").After(Window)
)

// Prove returns the header of a call.
func (k *Key) Prove(op Op, body []byte) string {
	at, nonce := strconv.FormatInt(k.now().Unix(), 10), rand.Text()
	return at + "." + nonce + "." + hex.EncodeToString(k.mac(op, at, nonce, body))
}

// Check says whether a header proves this call, for the first time.
func (k *Key) Check(op Op, body []byte, header string) error {
	at, rest, _ := strings.Cut(header, ".")
	nonce, given, _ := strings.Cut(rest, ".")
	mac, err := hex.DecodeString(given)
	if err != nil || nonce == "" || !hmac.Equal(mac, k.mac(op, at, nonce, body)) {
		return errNoProof
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return errNoProof
	}
	now := k.now()
	if apart := now.Sub(time.Unix(seconds, 0)).Abs(); apart > Window {
		return errOldProof.Because(fmt.Errorf("they are %s apart", apart))
	}
	return k.first(nonce, now)
}

// first remembers a nonce; it is an error to see one twice.
func (k *Key) first(nonce string, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.After(k.next) {
		for old, until := range k.seen {
			if now.After(until) {
				delete(k.seen, old)
			}
		}
		k.next = now.Add(Window)
	}
	if _, known := k.seen[nonce]; known {
		return errRepeated
	}
	if len(k.seen) >= maxNonces {
		return errTooMany
	}
	k.seen[nonce] = now.Add(2*Window + time.Second) // by then its time is too old
	return nil
}

// mac covers everything that a call says; each part has its length in front.
func (k *Key) mac(op Op, at, nonce string, body []byte) []byte {
	mac := hmac.New(sha256.New, k.secret)
	digest := sha256.Sum256(body)
	for _, part := range []string{"berth hub call 1", string(op), at, nonce, string(digest[:])} {
		fmt.Fprintf(mac, "%d:%s", len(part), part)
	}
	return mac.Sum(nil)
}
