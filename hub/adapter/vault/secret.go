package vault

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"berth/core/fault"
	"berth/core/secrets"
)

// place is where a secret lies.
type place struct{ mount, path string }

// lack says why a secret has no fields.
type lack int

const (
	nothing lack = iota
	refused      // the token may not
	unknown      // the token is not valid
	missing
	deleted
	destroyed
	unmounted
)

// secret is what is at a place now.
type secret struct {
	lack   lack
	fields map[string]json.RawMessage
}

// read reads the newest version. The fault is about the server as a whole.
func (c *Client) read(ctx context.Context, at place) (secret, error) {
	answer, err := c.get(ctx, at.mount+"/data/"+at.path, nil)
	if err != nil {
		return secret{}, err
	}
	return c.understand(answer)
}

// understand tells what an answer says of a secret.
func (c *Client) understand(answer said) (secret, error) {
	var told struct {
		Data struct {
			Data     map[string]json.RawMessage
			Metadata struct {
				Deletion  string `json:"deletion_time"`
				Destroyed bool
			}
		}
	}
	if answer.status != http.StatusForbidden && json.Unmarshal(answer.body, &told) != nil {
		return secret{}, c.service.Malformed()
	}
	switch {
	case answer.status == http.StatusForbidden && tells(answer.errors, invalidToken):
		return secret{lack: unknown}, nil
	case answer.status == http.StatusForbidden:
		return secret{lack: refused}, nil
	case told.Data.Metadata.Destroyed:
		return secret{lack: destroyed}, nil
	case told.Data.Data == nil && told.Data.Metadata.Deletion != "":
		return secret{lack: deleted}, nil
	case tells(answer.errors, "no handler for route"):
		return secret{lack: unmounted}, nil
	case told.Data.Data == nil:
		return secret{lack: missing}, nil
	}
	return secret{fields: told.Data.Data}, nil
}

// value returns the field that a reference names. Only texts are values: what a number or a list
// would be as an environment variable is anybody's guess.
func (s secret) value(r secrets.VaultReference) (secrets.Value, *fault.Error) {
	if problem := s.lack.of(r); problem != nil {
		return secrets.Value{}, problem
	}
	raw, found := s.fields[r.Field]
	if !found {
		return secrets.Value{}, fault.New(fault.Conflict, "vault.field_missing", "%s: the secret has no field of this name", r)
	}
	text, ok := text(raw)
	if !ok {
		return secrets.Value{}, fault.New(fault.Conflict, "vault.field_not_text", "%s: the field is not a text that a variable can hold; store numbers, lists and the like as text", r)
	}
	return secrets.NewValue(text), nil
}

// text reads a JSON string without NUL, which no variable can hold.
func text(raw json.RawMessage) (string, bool) {
	var content string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &content) != nil {
		return "", false
	}
	return content, !strings.ContainsRune(content, 0)
}

var errToken = fault.New(fault.Conflict, "vault.token_invalid", "Vault does not accept the token: it has expired or was revoked. Enter another under Settings, Integrations")

// of is the fault for a reference to a secret that has no fields; nil when it has.
func (l lack) of(r secrets.VaultReference) *fault.Error {
	switch l {
	case unknown:
		return errToken
	case refused:
		return fault.New(fault.Conflict, "vault.forbidden", "%s: the token may not read it; its policy needs read on %s/data/%s", r, r.Mount, r.Path)
	case missing:
		return fault.New(fault.Conflict, "vault.path_missing", "%s: no secret is there, or the mount is no key-value store of version 2", r)
	case deleted:
		return fault.New(fault.Conflict, "vault.version_deleted", "%s: the newest version of the secret is deleted; undelete it or write another", r)
	case destroyed:
		return fault.New(fault.Conflict, "vault.version_destroyed", "%s: the newest version of the secret is destroyed; write another", r)
	case unmounted:
		return fault.New(fault.Conflict, "vault.mount_missing", "%s: nothing is mounted at %s", r, r.Mount)
	}
	return nil
}
