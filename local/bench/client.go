package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"time"
)

// client speaks to the API of one server: with a session once it has signed in, with a
// key once it has one.
type client struct {
	url  string
	key  string
	http *http.Client
}

func newClient(url string) (*client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &client{url: url, http: &http.Client{Jar: jar, Timeout: 6 * time.Minute}}, nil
}

// Limits of one call.
const (
	maxAnswer  = 64 << 20
	maxRetries = 200 // of a call that came too soon after many others
)

// call makes a request and decodes the answer into answer, unless that is nil. It fails
// on every status from 400 on; 429 is waited out.
func (c *client) call(ctx context.Context, method, path string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	for range maxRetries {
		status, text, err := c.send(ctx, method, path, ask != nil, body)
		switch {
		case err != nil:
			return err
		case status == http.StatusTooManyRequests:
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return err
			}
			continue
		case status >= 400:
			return fmt.Errorf("%s %s: %d %s", method, path, status, text)
		case answer == nil:
			return nil
		}
		return json.Unmarshal(text, answer)
	}
	return fmt.Errorf("%s %s: the server went on answering 429", method, path)
}

func (c *client) send(ctx context.Context, method, path string, withBody bool, body []byte) (int, []byte, error) {
	var content io.Reader
	if withBody {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, content)
	if err != nil {
		return 0, nil, err
	}
	if withBody {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("X-Service-Api-Key", c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, text, err
}

func get[T any](ctx context.Context, c *client, path string) (T, error) {
	var answer T
	err := c.call(ctx, http.MethodGet, path, nil, &answer)
	return answer, err
}

func post[T any](ctx context.Context, c *client, path string, ask any) (T, error) {
	var answer T
	err := c.call(ctx, http.MethodPost, path, ask, &answer)
	return answer, err
}
