package vault

import (
	"context"
	"encoding/json"
	"net/http"

	"berth/core/fault"
)

// Test asks whether the server answers, takes the token, and has a key-value store of version 2 at the
// allowed mount, as far as the token may see that. Faults as of Resolve, and "vault.mount_kind".
func (c *Client) Test(ctx context.Context) error {
	answer, err := c.get(ctx, "auth/token/lookup-self", nil)
	switch {
	case err != nil:
		return err
	case answer.status == http.StatusNotFound:
		return c.service.Malformed()
	case answer.status == http.StatusForbidden && (c.allowed == "" || tells(answer.errors, invalidToken)):
		return errToken
	case c.allowed == "":
		return nil
	}
	return c.testMount(ctx, c.allowed)
}

// testMount asks for what is mounted. A server says to a token that may read nothing there what it
// says when there is nothing.
func (c *Client) testMount(ctx context.Context, name string) error {
	answer, err := c.get(ctx, mountsPath+"/"+name, nil)
	var told struct{ Data mount }
	switch {
	case err != nil:
		return err
	case answer.status == http.StatusForbidden && tells(answer.errors, invalidToken):
		return errToken
	case answer.status != http.StatusOK:
		return fault.New(fault.Conflict, "vault.mount_missing", "nothing is mounted at %s, or the token may read nothing there", name)
	case json.Unmarshal(answer.body, &told) != nil:
		return c.service.Malformed()
	case !told.Data.readable():
		return fault.New(fault.Conflict, "vault.mount_kind", "what is mounted at %s is no key-value store of version 2", name)
	}
	return nil
}

// mountsPath lists what the token may see of the mounts, for any valid token.
const mountsPath = "sys/internal/ui/mounts"

// mount is what the server tells of one.
type mount struct {
	Type    string
	Options map[string]string
}

// readable reports whether references can lead there.
func (m mount) readable() bool { return m.Type == "kv" && m.Options["version"] == "2" }
