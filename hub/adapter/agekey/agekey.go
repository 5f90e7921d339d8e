// Package agekey makes the age key pairs of repositories: X25519, as age-keygen does.
//
// It is apart from hub/adapter/sops, which reads and writes files with those keys and links every
// cloud's key service: this package is small enough for a function host. It must not know where
// keys are kept. Start with Maker.
package agekey

import (
	"fmt"

	"berth/core/repositories"
	"berth/core/secrets"

	"filippo.io/age"
)

// Maker implements repositories.KeyMaker. It has no state.
type Maker struct{}

// NewKeyPair returns a new key pair, from the system's random numbers.
func (Maker) NewKeyPair() (repositories.KeyPair, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return repositories.KeyPair{}, fmt.Errorf("make an age key pair: %w", err)
	}
	return repositories.KeyPair{Public: identity.Recipient().String(), Private: secrets.NewValue(identity.String())}, nil
}
