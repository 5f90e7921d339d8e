package seal

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync/atomic"
)

// Limits of a ring.
const (
	rootNumber = 1    // the first data key; MACs, fingerprints and subkeys come from it
	maxKeys    = 4096 // data keys of one ring
)

// ErrRing says that the rows of a key ring do not make a ring.
var ErrRing = errors.New("the key ring is damaged")

// Ring is the set of data keys of one installation. It is made by NewRing, OpenRing or
// AddKey and is safe for concurrent use; readers never wait.
type Ring struct {
	state  atomic.Pointer[ringState] // each state is immutable
	follow atomic.Pointer[follower]  // nil: keys that others add are learnt by Adopt alone
}

type ringState struct {
	keys   map[uint32]*dataKey
	active uint32
	keyed  *keyedSubkeys // of the root key
}

// dataKey is one random key and what is derived from it for sealing.
type dataKey struct {
	raw    *[keySize]byte // wrapped and derived from, never used itself
	fields cipher.AEAD
	checks cipher.AEAD
}

// NewRing returns a ring with one data key, read from random (crypto/rand.Reader).
func NewRing(random io.Reader) (*Ring, error) {
	key, err := readDataKey(random)
	if err != nil {
		return nil, err
	}
	return newRing(map[uint32]*dataKey{rootNumber: key}, rootNumber)
}

// newRing takes keys that are numbered from 1 without gaps.
func newRing(keys map[uint32]*dataKey, active uint32) (*Ring, error) {
	keyed, err := deriveKeyed(keys[rootNumber].raw[:])
	if err != nil {
		return nil, err
	}
	ring := &Ring{}
	ring.state.Store(&ringState{keys, active, keyed})
	return ring, nil
}

func readDataKey(random io.Reader) (*dataKey, error) {
	var raw [keySize]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return nil, fmt.Errorf("read random bytes for a data key: %w", err)
	}
	return newDataKey(raw)
}

func newDataKey(raw [keySize]byte) (*dataKey, error) {
	fields, err := deriveAEAD(raw[:], "berth seal: "+PurposeField.String())
	if err != nil {
		return nil, fmt.Errorf("derive the sealing key: %w", err)
	}
	checks, err := deriveAEAD(raw[:], "berth seal: "+PurposeCheck.String())
	if err != nil {
		return nil, fmt.Errorf("derive the check key: %w", err)
	}
	return &dataKey{&raw, fields, checks}, nil
}

// AddKey returns a ring that has one more data key, which is its active one. The
// receiver stays as it is, so that nothing is sealed with a key that may get lost:
// store the rows of Wrap first, then hand the new ring to Adopt.
func (r *Ring) AddKey() (*Ring, error) {
	state := r.state.Load()
	if len(state.keys) >= maxKeys {
		return nil, fmt.Errorf("the key ring is full: it holds %d data keys", maxKeys)
	}
	key, err := readDataKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	number := uint32(len(state.keys) + 1)
	keys := maps.Clone(state.keys)
	keys[number] = key
	return newRing(keys, number)
}

// Active returns the number of the data key with which is sealed.
func (r *Ring) Active() uint32 { return r.state.Load().active }

// Len returns how many data keys there are.
func (r *Ring) Len() int { return len(r.state.Load().keys) }

// Adopt makes r work with the keys of newer: after AddKey has been stored, or when
// another process stored one. It refuses a ring that lacks a key of r.
func (r *Ring) Adopt(newer *Ring) error {
	next := newer.state.Load()
	for {
		current := r.state.Load()
		for number, key := range current.keys {
			other, found := next.keys[number]
			if !found || subtle.ConstantTimeCompare(key.raw[:], other.raw[:]) != 1 {
				return fmt.Errorf("%w: the newer ring lacks data key %d", ErrRing, number)
			}
		}
		if r.state.CompareAndSwap(current, next) {
			return nil
		}
	}
}
