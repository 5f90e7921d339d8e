package manager

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"berth/core/fault"
)

var errCredential = fault.New(fault.Conflict, "manager.credential_refused",
	"the secrets manager does not accept the client ID and secret. Enter others under Settings, Integrations")

// session is the access token that is in use. Whoever holds the one turn may look and change.
type session struct {
	turn   chan struct{}
	token  string    // empty: none yet
	renews time.Time // when it is to be renewed, at the first question after
	ends   time.Time
}

func newSession() session {
	s := session{turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// token returns an access token that is not refused, the one that was refused before.
func (c *Client) token(ctx context.Context, refused string) (string, error) {
	s := &c.session
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", c.service.Trouble(ctx, ctx.Err())
	}
	now := time.Now()
	usable := s.token != "" && s.token != refused && now.Before(s.ends)
	if usable && now.Before(s.renews) {
		return s.token, nil
	}
	if usable && c.take(c.post(ctx, "/api/v1/auth/token/renew", map[string]string{"accessToken": s.token})) == nil {
		return s.token, nil
	}
	err := c.take(c.post(ctx, "/api/v1/auth/universal-auth/login",
		map[string]string{"clientId": c.settings.ClientID, "clientSecret": c.settings.ClientSecret.Reveal()}))
	if err != nil && usable {
		return s.token, nil // there is some time left
	}
	return s.token, err
}

// noEnd is how long a token without an end is used.
const noEnd = 24 * time.Hour

// take keeps the access token of an answer. Whoever calls it has the turn.
func (c *Client) take(answer said, err error) error {
	if err != nil {
		return err
	}
	var told struct {
		AccessToken string
		ExpiresIn   int // seconds
	}
	switch {
	case answer.noPath:
		return c.service.Malformed()
	case answer.status != http.StatusOK:
		return errCredential
	case json.Unmarshal(answer.body, &told) != nil || told.AccessToken == "":
		return c.service.Malformed()
	}
	lasts := time.Duration(told.ExpiresIn) * time.Second
	if lasts <= 0 {
		lasts = noEnd
	}
	now := time.Now()
	c.session.token, c.session.renews, c.session.ends = told.AccessToken, now.Add(lasts*3/4), now.Add(lasts)
	return nil
}
