package manager

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// said is an answer that is about what was asked: 200, or a status from 400 to 499 that is not 429.
type said struct {
	status int
	body   []byte
	name   string // of the error, such as "TokenError"; not for showing
	noPath bool   // the server does not know the route
}

// tokenRefused reports whether the access token was; servers differ in how they say it.
func (s said) tokenRefused() bool {
	return s.status == http.StatusUnauthorized || s.status == http.StatusForbidden && s.name == "TokenError"
}

// get asks with the access token, and once more with another when that is refused. The fault is about
// the server or the identity as a whole.
func (c *Client) get(ctx context.Context, path string, query url.Values) (said, error) {
	refused := ""
	for range 2 {
		token, err := c.token(ctx, refused)
		if err != nil {
			return said{}, err
		}
		answer, err := c.send(ctx, http.MethodGet, path+"?"+query.Encode(), token, nil)
		if err != nil || !answer.tokenRefused() {
			return answer, err
		}
		refused = token
	}
	return said{}, errCredential
}

// post sends a question without a token.
func (c *Client) post(ctx context.Context, path string, question any) (said, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return said{}, errCredential // of texts only, so it does not happen
	}
	return c.send(ctx, http.MethodPost, path, "", body)
}

func (c *Client) send(ctx context.Context, method, target, token string, body []byte) (said, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.service.Address+target, bytes.NewReader(body))
	if err != nil {
		return said{}, c.service.Trouble(ctx, err)
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.service.Client().Do(r)
	if err != nil {
		return said{}, c.service.Trouble(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return said{}, c.service.Trouble(ctx, err)
	}
	return c.judge(answer.StatusCode, answer.Header, text)
}

// judge sorts out answers that say nothing of what was asked.
func (c *Client) judge(status int, header http.Header, body []byte) (said, error) {
	if trouble := c.service.Status(status, header, time.Now()); trouble != nil {
		return said{}, trouble
	}
	var told struct {
		Error   string
		Message json.RawMessage // a text, or a list of complaints
	}
	readable := json.Unmarshal(body, &told) == nil
	switch {
	case status == http.StatusOK && !readable, status == http.StatusNotFound && !readable:
		return said{}, c.service.Malformed()
	case status != http.StatusOK && status < http.StatusBadRequest:
		return said{}, c.service.Unexpected(status)
	}
	noPath := status == http.StatusNotFound && strings.HasPrefix(string(told.Message), `"Route `)
	return said{status, body, told.Error, noPath}, nil
}
