package vault

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"berth/core/fault"
)

// said is an answer that is about what was asked: its status is 200, 403 or 404.
type said struct {
	status int
	body   []byte
	errors []string // what the server says went wrong; not for showing
}

// get asks for a path below /v1/. The fault is about the server as a whole.
func (c *Client) get(ctx context.Context, path string, query map[string][]string) (said, error) {
	answer, err := c.api.Logical().ReadRawWithDataWithContext(ctx, path, query)
	if answer == nil {
		return said{}, c.service.Trouble(ctx, err)
	}
	defer answer.Body.Close()
	if status := new(api.ResponseError); err != nil && !errors.As(err, &status) {
		return said{}, c.service.Trouble(ctx, err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return said{}, c.service.Trouble(ctx, err)
	}
	return c.judge(answer.StatusCode, answer.Header, body)
}

// judge sorts out answers that say nothing of what was asked.
func (c *Client) judge(status int, header http.Header, body []byte) (said, error) {
	var told struct{ Errors []string }
	readable := json.Unmarshal(body, &told) == nil
	switch {
	case status >= 500 && tells(told.Errors, "sealed"):
		return said{}, fault.New(fault.Unavailable, "vault.sealed", "Vault at %s is sealed; unseal it", c.service.Address)
	case status >= 500 && tells(told.Errors, "standby", "not active", "active cluster node"):
		return said{}, fault.New(fault.Unavailable, "vault.standby", "Vault at %s waits to take over and no other server leads", c.service.Address)
	case status == http.StatusUnauthorized:
		return said{status: http.StatusForbidden, errors: []string{invalidToken}}, nil
	case status == http.StatusForbidden, readable && (status == http.StatusOK || status == http.StatusNotFound):
		return said{status, body, told.Errors}, nil
	case status == http.StatusOK, status == http.StatusNotFound:
		return said{}, c.service.Malformed()
	}
	if trouble := c.service.Status(status, header, time.Now()); trouble != nil {
		return said{}, trouble
	}
	return said{}, c.service.Unexpected(status)
}

// invalidToken is what the server says of a token that it does not know any more.
const invalidToken = "invalid token"

// tells reports whether one of the server's errors has one of these phrases.
func tells(said []string, phrases ...string) bool {
	return slices.ContainsFunc(said, func(text string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(strings.ToLower(text), phrase) })
	})
}
