package repositories

import (
	"context"

	"berth/core"
	"berth/core/access"
)

// Desk holds the use cases of repositories and of their credentials. Its fields are set
// once. What is asked is committed first; the nudge that makes it fast comes after.
type Desk struct {
	store  Store
	seals  Seals
	keys   KeyMaker
	prober Prober
	nudge  core.Nudger
	now    core.Clock

	ssh     SSHKeys     // see OverSSH
	scanner HostScanner // see OverSSH
	tokens  *GitHosts   // see Renewing
}

// OverSSH gives the desk what repositories over SSH need, before it is used.
func (d *Desk) OverSSH(keys SSHKeys, scanner HostScanner) *Desk {
	d.ssh, d.scanner = keys, scanner
	return d
}

// NewDesk returns the use cases on a store.
func NewDesk(store Store, seals Seals, keys KeyMaker, prober Prober, nudge core.Nudger, now core.Clock) *Desk {
	return &Desk{store: store, seals: seals, keys: keys, prober: prober, nudge: nudge, now: now, tokens: NewGitHosts(nil, seals, nil, nil, "", now)}
}

// Renewing makes the desk renew tokens of connected Git hosts before they expire, and returns it. Without
// that they are used for as long as they last.
func (d *Desk) Renewing(tokens *GitHosts) *Desk {
	d.tokens = tokens
	return d
}

// Repository returns one repository. NotFound "repository.not_found".
func (d *Desk) Repository(ctx context.Context, id core.RepositoryID) (Repository, error) {
	return d.store.Repository(ctx, id)
}

// Repositories returns repositories by name.
func (d *Desk) Repositories(ctx context.Context, p core.Page) (core.List[Repository], error) {
	return d.store.RepositoryList(ctx, p)
}

// Create adds a repository with an age key pair of its own, and asks the hub to read it. Invalid "repository.invalid" and
// what Store.AddRepository refuses.
func (d *Desk) Create(ctx context.Context, draft Draft, by access.Principal) (Repository, error) {
	now := d.now()
	r, err := Repository{
		ID: core.RepositoryID(core.NewID(core.PrefixRepository, now)), Name: draft.Name, URL: draft.URL, Branch: draft.Branch, Tag: draft.Tag, Semver: draft.Semver,
		Credential: draft.Credential, AskedAt: now, AskedBy: by.Name, CreatedAt: now, UpdatedAt: now,
	}.normal()
	if err != nil {
		return Repository{}, err
	}
	public, private, err := d.newKey(r.ID)
	if err != nil {
		return Repository{}, err
	}
	r.AgePublicKey, r.AgeKey = public, &private
	created, err := d.store.AddRepository(ctx, r, by.Audit("repository.create", string(r.ID), r.Name+" at "+r.URL))
	return created, d.then(err)
}

// Update edits a repository. NotFound "repository.not_found", and otherwise as Create.
func (d *Desk) Update(ctx context.Context, id core.RepositoryID, c Change, by access.Principal) (Repository, error) {
	r, err := d.store.EditRepository(ctx, id, c, by)
	return r, d.then(err)
}

// Events lists what happened to a repository at its Git host, newest first. NotFound "repository.not_found".
func (d *Desk) Events(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[Event], error) {
	return d.store.RepositoryEvents(ctx, id, p)
}

// Delete removes a repository that no stack and no job uses; the hub drops its mirror.
func (d *Desk) Delete(ctx context.Context, id core.RepositoryID, by access.Principal) error {
	return d.then(d.store.DeleteRepository(ctx, id, by))
}

// RequestSync asks the hub to look at a repository now. It returns at once; the
// repository's AskedAt is zero again when the hub has looked.
func (d *Desk) RequestSync(ctx context.Context, id core.RepositoryID, by access.Principal) (Repository, error) {
	r, err := d.store.AskSync(ctx, id, d.now(), by)
	return r, d.then(err)
}

// then nudges the hub after a commit.
func (d *Desk) then(err error) error {
	if err == nil {
		d.nudge.Nudge()
	}
	return err
}
