package repositories

import (
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// CredentialChange is what an edit of a repository key sets; what is nil or empty stays. Its type and host stay
// for good: repositories rely on them.
type CredentialChange struct {
	Name     *string
	Username *string       // of TypeBasic
	Password secrets.Value // of TypeBasic; empty: it stays
	SSH      SSHSecret     // of TypeSSH; nothing given: it stays
}

// CredentialEdit is a checked change as the store applies it; nil fields stay.
type CredentialEdit struct {
	Name      *string
	Username  *string
	PublicKey *string
	Secret    *seal.Sealed
}

// Credential returns one repository key. NotFound "credential.not_found".
func (d *Desk) Credential(ctx context.Context, id core.CredentialID) (Credential, error) {
	c, _, err := d.store.Credential(ctx, id)
	return c, err
}

// UpdateCredential edits a repository key. A secret that is given takes the old one's place at once, and
// the repositories that are read with it are looked at. Faults are those of CreateCredential and
// NotFound "credential.not_found".
func (d *Desk) UpdateCredential(ctx context.Context, id core.CredentialID, change CredentialChange, by access.Principal) (Credential, error) {
	c, _, err := d.store.Credential(ctx, id)
	if err != nil {
		return c, err
	}
	if change.Name != nil {
		change.Name = new(strings.TrimSpace(*change.Name))
	}
	if err := change.check(c); err != nil {
		return c, err
	}
	edit, err := d.sealChange(c, change)
	if err != nil {
		return c, err
	}
	c, err = d.store.EditCredential(ctx, id, edit, by)
	return c, d.then(err)
}

// check complains about every field that does not fit the credential.
func (c CredentialChange) check(is Credential) error {
	var bad []fault.Field
	if c.Name != nil {
		bad = append(bad, checkName(*c.Name)...)
	}
	basic := c.Username != nil || !c.Password.Empty()
	switch {
	case is.Type == TypeOAuth && basic:
		bad = append(bad, fault.Field{Path: "password", Problem: "this key was made by connecting its Git host; connect that again for another token"})
	case is.Type == TypeSSH && basic:
		bad = append(bad, fault.Field{Path: "username", Problem: "this is an SSH key, which has no user name and no password"})
	case is.Type == TypeOAuth && (basic || c.SSH.given()):
		bad = append(bad, fault.Field{Path: "password", Problem: "this key came with a connection to the Git host; connect that again to replace it"})
	case is.Type != TypeSSH && c.SSH.given():
		bad = append(bad, fault.Field{Path: "private_key", Problem: "this key is no SSH key; add another one for SSH"})
	case is.Type == TypeSSH && c.SSH.given():
		bad = append(bad, c.SSH.check()...)
	case basic:
		bad = append(bad, c.checkBasic(is)...)
	}
	return fault.BadFields("credential.invalid", bad)
}

func (c CredentialChange) checkBasic(is Credential) []fault.Field {
	username, password := is.Username, c.Password
	if c.Username != nil {
		username = *c.Username
	}
	if password.Empty() {
		password = secrets.NewValue("stays")
	}
	return checkLogin(username, password)
}

// sealChange closes the secret of a checked change.
func (d *Desk) sealChange(c Credential, change CredentialChange) (CredentialEdit, error) {
	edit := CredentialEdit{Name: change.Name, Username: change.Username}
	secret := change.Password
	if change.SSH.given() {
		name := c.Name
		if change.Name != nil {
			name = *change.Name
		}
		pair, err := change.SSH.read(d.ssh, name)
		if err != nil {
			return edit, err
		}
		edit.PublicKey, secret = &pair.Public, pair.Private
	}
	if secret.Empty() {
		return edit, nil
	}
	sealed, err := d.seals.Seal(c.place(), []byte(secret.Reveal()))
	if err != nil {
		return edit, fmt.Errorf("replace the secret of a repository key: %w", err)
	}
	edit.Secret = &sealed
	return edit, nil
}
