// Package apiclient speaks to the API of a running server, as a program does: for what measures
// servers and what kills them. It must not wait or try again: when that is right, whoever asks knows.
package apiclient

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

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// Client speaks to one server: with a session once it has signed in, with a key once it has one.
type Client struct {
	URL  string // without a slash at the end
	Key  string // of a service account; empty: none
	HTTP *http.Client
}

// New returns a client without a session whose calls take at most so long. transport may be nil.
func New(url string, limit time.Duration, transport http.RoundTripper) (*Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &Client{URL: url, HTTP: &http.Client{Jar: jar, Timeout: limit, Transport: transport}}, nil
}

// Ask makes a request, with body in JSON unless that is nil, and reads an answer of a status of 2xx
// into into, unless that is nil. Another status is an error that has the answer. Without an answer
// the status is 0.
func (c *Client) Ask(ctx context.Context, method, path string, body, into any) (status int, err error) {
	status, text, err := c.Send(ctx, method, path, body)
	switch {
	case err != nil:
		return 0, err
	case status/100 != 2:
		return status, fmt.Errorf("%s %s: %d %s", method, path, status, text)
	case into == nil:
		return status, nil
	}
	return status, json.Unmarshal(text, into)
}

// Send is Ask for an answer of any kind.
func (c *Client) Send(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, answer, err
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		request.Header.Set("X-Service-Api-Key", c.Key)
	}
	return request, nil
}
