package repositories

import (
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// A key that is expected is one whose secret is still to be given: repositories can name it already. Its sealed secret
// is empty, which no other's is.

// notGiven is why a repository whose key is only expected is not read.
func notGiven(c Credential) error {
	return fault.New(fault.Unavailable, "credential.not_given", "The secret of the repository key %q for %s was not given yet. Give it under Settings, Repository keys.", c.Name, c.Host)
}

// ExpectCredential adds a repository key without its secret. account is that of a key of TypeOAuth: connecting it again gives
// the secret. Invalid "credential.invalid"; Conflict "credential.name_taken".
func (d *Desk) ExpectCredential(ctx context.Context, draft CredentialDraft, account string, by access.Principal) (Credential, error) {
	draft.Name, draft.Host = strings.TrimSpace(draft.Name), boundHost(draft.Host)
	checked := draft
	checked.Password, checked.SSH = secrets.NewValue("later"), SSHSecret{Generate: true}
	if draft.Type == TypeOAuth {
		checked.Type, checked.Username = TypeBasic, "later"
	}
	if err := checked.check(); err != nil {
		return Credential{}, err
	}
	now := d.now()
	c := Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, now)), Name: draft.Name, Type: draft.Type, Host: draft.Host, Username: draft.Username, Account: account, CreatedAt: now}
	sealed, err := d.seals.Seal(c.place(), nil)
	if err != nil {
		return Credential{}, fmt.Errorf("expect a repository key: %w", err)
	}
	return c, d.store.AddCredential(ctx, c, sealed, by.Audit("credential.create", string(c.ID), c.Name+" for "+c.Host+", its secret is to be given"))
}

// Expected reports whether a key's secret is still to be given. One that cannot be opened was given.
func (d *Desk) Expected(ctx context.Context, id core.CredentialID) (bool, error) {
	c, sealed, err := d.store.Credential(ctx, id)
	if err != nil {
		return false, err
	}
	text, err := d.seals.Open(c.place(), sealed)
	return err == nil && len(text) == 0, nil
}
