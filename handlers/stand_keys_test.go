package handlers_test

import (
	"berth/core/keys"
	"berth/core/seal"
	"berth/handlers"
)

// keysDeps stores the ring of the stand, and returns what tells of it.
func (s *stand) keysDeps() handlers.KeysDeps {
	key, err := seal.ParseSecretKey("3f9a1c0e5b7d2468ace013579bdf2460718293a4b5c6d7e8f90a1b2c3d4e5f60")
	s.must(err)
	rows, err := s.ring.Wrap(key)
	s.must(err)
	s.must(s.store.AddKeyRing(s.t.Context(), rows, s.ring.SealCheck()))
	s.exec(`UPDATE key_ring SET created_at = 1700000000000000`) // whatever the clock of a test says
	return handlers.KeysDeps{Desk: keys.NewDesk(s.store, s.ring, key, s.now), Now: s.now}
}

// renew seals everything anew, as a hub does that leads.
func (s *stand) renew() keys.Pass {
	s.t.Helper()
	r := keys.NewRenewal(s.store, s.ring, noKeyMeter{}, s.now)
	if made, err := r.Due(s.t.Context()); !made || err != nil {
		s.t.Fatalf("nothing was looked at: %v", err)
	}
	pass, err := s.store.LastPass(s.t.Context())
	s.must(err)
	return pass
}

type noKeyMeter struct{}

func (noKeyMeter) KnowKeys(int, keys.Pass) {}
func (noKeyMeter) UnknowKeys()             {}
