package coretest

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/keys"
	"berth/core/seal"
	"berth/core/store"
	"berth/core/variables"
)

// keyCases are the races about the key ring and what is sealed with it.
var keyCases = map[string]func(storeBench){
	"the key ring is changed once by those who read the same": ringChangedOnce,
	"what is written while all is sealed anew stays":          writtenWhileRenewed,
}

// safe is an installation's ring as it is stored, with the SECRET_KEY around it.
type safe struct {
	*store.Store
	b   storeBench
	key seal.SecretKey
}

func newSafe(b storeBench) safe {
	b.Helper()
	s := safe{Store: b.store(), b: b, key: secretKey(b, 1)}
	ring, err := seal.NewRing(rand.Reader)
	b.must(err)
	rows, err := ring.Wrap(s.key)
	b.must(err)
	b.must(s.AddKeyRing(b.soon(), rows, ring.SealCheck()))
	return s
}

func secretKey(b storeBench, n byte) seal.SecretKey {
	b.Helper()
	key, err := seal.ParseSecretKey(fmt.Sprintf("%x", sha256.Sum256([]byte{n})))
	b.must(err)
	return key
}

// opened returns the ring as a process has it that starts now.
func (s safe) opened() *seal.Ring {
	s.b.Helper()
	ring, err := keys.Fetcher{Store: s, Key: s.key}.Fetch(s.b.soon())
	s.b.must(err)
	return ring
}

// ringChangedOnce: some add a data key while others wrap the ring under another SECRET_KEY. Were both stored, one of the
// two would take away what the other's values are sealed with.
func ringChangedOnce(b storeBench) {
	s := newSafe(b)
	was, err := s.KeyRing(b.soon())
	b.must(err)
	other := secretKey(b, 2)
	rewrapped := s.opened()
	longer, err := rewrapped.AddKey()
	b.must(err)
	won := yard{Store: s.Store, b: b}.race(10, "key.ring_changed", func(i int) error {
		if i%2 == 0 {
			return s.save(was, rewrapped, other)
		}
		return s.save(was, longer, s.key)
	})
	rows, err := s.KeyRing(b.soon())
	b.must(err)
	ring, _, err := seal.Unlock(s.key, other, rows)
	b.must(err)
	check, err := s.KeyCheck(b.soon())
	b.must(err)
	if err := ring.OpenCheck(check); err != nil || won != 1 || b.count(`SELECT count(*) FROM audit_events WHERE action = 'data_key.create'`) != 1 {
		b.Errorf("%d changed it; of %d keys number %d is active, %v", won, ring.Len(), ring.Active(), err)
	}
}

func (s safe) save(was []seal.WrappedKey, ring *seal.Ring, under seal.SecretKey) error {
	rows, err := ring.Wrap(under)
	if err != nil {
		return err
	}
	return s.SaveKeyRing(s.b.Context(), was, rows, ring.SealCheck(), access.System.Audit("data_key.create", "", ""))
}

// writtenWhileRenewed: two processes seal everything anew at once while others, who learn of the key when they meet it, give
// the values that are being sealed other contents.
func writtenWhileRenewed(b storeBench) {
	const secrets, writers, rounds = 120, 4, 40
	s := newSafe(b)
	var ids []core.VariableID
	for i := range secrets {
		ids = append(ids, s.secret(fmt.Sprintf("S%d", i)))
	}
	rings := make([]*seal.Ring, writers)
	for i := range rings {
		rings[i] = s.opened()
		keys.Fetcher{Store: s, Key: s.key}.Follow(rings[i])
	}
	_, err := keys.NewDesk(s, s.opened(), s.key, s.now).Rotate(b.soon(), access.System)
	b.must(err)
	var all sync.WaitGroup
	for range 2 {
		r := keys.NewRenewal(s, s.opened(), silence{}, s.now)
		all.Go(func() {
			if _, err := r.Due(b.Context()); err != nil {
				b.Error(err)
			}
		})
	}
	said := make([]string, secrets) // each writer has values of its own
	for w, ring := range rings {
		all.Go(func() {
			for n := range rounds {
				i := n*writers%secrets + w
				said[i] = fmt.Sprint("round ", n)
				if err := s.tell(ring, ids[i], said[i]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	later := func() time.Time { return storeEpoch.Add(1000 * time.Hour) }
	if made, err := keys.NewRenewal(s, s.opened(), silence{}, later).Due(b.soon()); !made || err != nil {
		b.Errorf("the last pass: %v, %v", made, err)
	}
	ring := s.opened()
	sealed, err := s.SealedVariables(b.soon(), ids)
	b.must(err)
	for i, id := range ids {
		want := said[i]
		if want == "" {
			want = "first"
		}
		text, err := ring.Open(variables.Place(id), sealed[id])
		if err != nil || string(text) != want || ring.Stale(sealed[id]) {
			b.Errorf("the value of %s is %q, %v, want %q; with an old key: %v", id, text, err, want, ring.Stale(sealed[id]))
		}
	}
}

func (s safe) now() time.Time { return storeEpoch }

// secret stores a variable with a sealed value.
func (s safe) secret(name string) core.VariableID {
	s.b.Helper()
	id := core.VariableID(core.NewID(core.PrefixVariable, storeEpoch))
	sealed, err := s.opened().Seal(variables.Place(id), []byte("first"))
	s.b.must(err)
	v := variables.Variable{ID: id, Owner: variables.Owner{Scope: variables.ScopeGlobal}, Name: name, Secret: true, Provider: "internal"}
	_, err = s.AddVariable(s.b.soon(), variables.Stored{Variable: v, Sealed: sealed}, access.AuditEvent{})
	s.b.must(err)
	return id
}

// tell gives a secret another value, as the process does that has this ring: it opens what was there before.
func (s safe) tell(ring *seal.Ring, id core.VariableID, value string) error {
	_, err := s.EditVariable(s.b.Context(), id, func(v variables.Stored) (variables.Stored, bool, error) {
		if _, err := ring.Open(variables.Place(id), v.Sealed); err != nil {
			return v, false, err
		}
		sealed, err := ring.Seal(variables.Place(id), []byte(value))
		v.Sealed = sealed
		return v, true, err
	}, access.System)
	return err
}

// silence is told how it is with the keys, and does nothing.
type silence struct{}

func (silence) KnowKeys(int, keys.Pass) {}
func (silence) UnknowKeys()             {}
