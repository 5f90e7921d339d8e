package repositories

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// ageKeyPlace is where a repository's private age key is sealed.
func ageKeyPlace(id core.RepositoryID) seal.Place {
	return seal.Place{Table: "repositories", Row: string(id), Column: "sops_age_key"}
}

// newKey makes a key pair for a repository, the private key sealed.
func (d *Desk) newKey(id core.RepositoryID) (public string, private seal.Sealed, err error) {
	pair, err := d.keys.NewKeyPair()
	if err != nil {
		return "", nil, err
	}
	private, err = d.seals.Seal(ageKeyPlace(id), []byte(pair.Private.Reveal()))
	if err != nil {
		return "", nil, fmt.Errorf("make a repository's age key: %w", err)
	}
	return pair.Public, private, nil
}

// RotateKey gives a repository a new age key pair; the old private key is gone. What is encrypted for
// the old one, revisions that are kept included, can never be decrypted by Berth again. NotFound
// "repository.not_found"; Conflict "repository.key_moved" when somebody else rotated it just now.
func (d *Desk) RotateKey(ctx context.Context, id core.RepositoryID, by access.Principal) (Repository, error) {
	r, err := d.store.Repository(ctx, id)
	if err != nil {
		return r, err
	}
	public, private, err := d.newKey(id)
	if err != nil {
		return r, err
	}
	e := by.Audit("repository.sops_rotate_key", string(id), fmt.Sprintf("%s: %s replaces %s", r.Name, public, r.AgePublicKey))
	return d.store.ReplaceAgeKey(ctx, id, r.AgePublicKey, public, private, &e)
}

// givenAtOnce is how many repositories are read at once to be given keys.
const givenAtOnce = 100

// GiveKeys gives a key pair to every repository that has none, which are those of releases before there
// were any. Several hubs may do so at once: the first key stays.
func (d *Desk) GiveKeys(ctx context.Context) (given int, err error) {
	for {
		lacking, err := d.store.WithoutAgeKey(ctx, givenAtOnce)
		if err != nil || len(lacking) == 0 {
			return given, err
		}
		for _, id := range lacking {
			public, private, err := d.newKey(id)
			if err != nil {
				return given, err
			}
			_, err = d.store.ReplaceAgeKey(ctx, id, "", public, private, nil)
			if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
				return given, err
			}
			if err == nil {
				given++
			}
		}
	}
}

// KeyPair opens a repository's age key pair in memory. Conflict "repository.no_key" while it has none;
// Unavailable "repository.key_unreadable".
func (d *Desk) KeyPair(ctx context.Context, id core.RepositoryID) (KeyPair, error) {
	public, sealed, err := d.store.AgeKey(ctx, id)
	if err != nil {
		return KeyPair{}, err
	}
	if public == "" {
		return KeyPair{}, fault.New(fault.Conflict, "repository.no_key", "The repository has no age key yet. The hub makes one within moments of its start; try again then.")
	}
	private, err := d.seals.Open(ageKeyPlace(id), sealed)
	if err != nil {
		return KeyPair{}, fault.New(fault.Unavailable, "repository.key_unreadable",
			"The repository's private age key cannot be opened. Rotate the repository's key and encrypt its secrets files again.").Because(err)
	}
	return KeyPair{Public: public, Private: secrets.NewValue(string(private))}, nil
}
