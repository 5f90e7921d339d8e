package vault

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hashicorp/vault/api"
)

// What passes between two tries.
const (
	upkeepPause = time.Hour   // of a token that has no end, or cannot be renewed
	shortPause  = time.Minute // when the server could not say
)

// due reports whether the token should be renewed; whoever hears yes does it.
func (c *Client) due() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.renews) {
		return false
	}
	c.renews = time.Now().Add(shortPause) // nobody else meanwhile
	return true
}

// renew asks for a new lease of the token and reports whether it was given. A refusal is no
// problem by itself: whether the token still serves is seen when it is used.
func (c *Client) renew(ctx context.Context) bool {
	answer, err := c.api.Auth().Token().RenewSelfWithContext(ctx, 0)
	given := err == nil && answer != nil && answer.Auth != nil
	next := upkeepPause
	var status *api.ResponseError
	switch {
	case given && answer.Auth.LeaseDuration > 0:
		next = time.Duration(answer.Auth.LeaseDuration) * time.Second / 2
	case err != nil && (!errors.As(err, &status) || status.StatusCode >= http.StatusTooManyRequests):
		next = shortPause
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renews = time.Now().Add(next)
	return given
}
