package rig

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"
)

// Client speaks to the REST API of one server.
type Client struct {
	T    testing.TB
	URL  string
	Key  string         // of a service account; empty: none is sent
	Jar  http.CookieJar // nil: no session
	Type string         // media type of bodies; empty: application/json
	// Brief leaves out of bodies what says nothing: a server of another release refuses fields that it does not know.
	Brief bool
}

// Answer is what the server said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// For is the same client in another test.
func (c Client) For(t testing.TB) Client {
	c.T = t
	return c
}

// As is the same client with another key.
func (c Client) As(key string) Client {
	c.Key = key
	return c
}

// Ask makes a request. A body that is a string is sent as it is, everything else as JSON;
// nil is none. Being told to slow down is waited out.
func (c Client) Ask(method, path string, body any) Answer {
	c.T.Helper()
	var content []byte
	switch b := body.(type) {
	case nil:
	case string:
		content = []byte(b)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			c.T.Fatal(err)
		}
		content = text
		if c.Brief {
			content = brief(text)
		}
	}
	for range 200 {
		answer := c.send(method, path, body != nil, content)
		if answer.Status != http.StatusTooManyRequests {
			return answer
		}
		pause()
	}
	c.T.Fatalf("%s %s: the server went on answering 429", method, path)
	return Answer{}
}

// brief is an object without the fields that are empty or null.
func brief(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool {
		return string(value) == `""` || string(value) == "null" || string(value) == "[]"
	})
	text, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return text
}

func (c Client) send(method, path string, withBody bool, content []byte) Answer {
	c.T.Helper()
	var reader io.Reader
	if withBody {
		reader = bytes.NewReader(content)
	}
	request, err := http.NewRequest(method, c.URL+path, reader)
	if err != nil {
		c.T.Fatal(err)
	}
	if withBody {
		request.Header.Set("Content-Type", "application/json")
		if c.Type != "" {
			request.Header.Set("Content-Type", c.Type)
		}
	}
	if c.Key != "" {
		request.Header.Set("X-Service-Api-Key", c.Key)
	}
	client := http.Client{Timeout: 5 * time.Minute, Jar: c.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		c.T.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}
}

// Problem is the body of a refusal.
type Problem struct {
	Status int
	Title  string
	Detail string
	Code   string
	Fields []struct{ Path, Problem string }
}

// Problem reads a refusal, which must be of this status.
func (c Client) Problem(want int, method, path string, body any) Problem {
	c.T.Helper()
	answer := c.Ask(method, path, body)
	var p Problem
	if answer.Status != want || answer.Header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(answer.Body, &p) != nil {
		c.T.Fatalf("%s %s: want the problem %d, got %d %s %s", method, path, want, answer.Status, answer.Header.Get("Content-Type"), clip(answer.Body))
	}
	return p
}

// Get reads what must be there.
func Get[T any](c Client, path string) T {
	c.T.Helper()
	return read[T](c, http.MethodGet, path, nil, http.StatusOK)
}

// Post asks for what must be answered with this status.
func Post[T any](c Client, path string, body any, want int) T {
	c.T.Helper()
	return read[T](c, http.MethodPost, path, body, want)
}

// Patch edits what must be there.
func Patch[T any](c Client, path string, body any) T {
	c.T.Helper()
	return read[T](c, http.MethodPatch, path, body, http.StatusOK)
}

func read[T any](c Client, method, path string, body any, want int) T {
	c.T.Helper()
	var v T
	answer := c.Ask(method, path, body)
	if answer.Status != want {
		c.T.Fatalf("%s %s: want %d, got %d %s", method, path, want, answer.Status, clip(answer.Body))
	}
	if len(answer.Body) == 0 {
		return v
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		c.T.Fatalf("%s %s: %v in %s", method, path, err, clip(answer.Body))
	}
	return v
}

func clip(body []byte) string { return strings.TrimSpace(string(body[:min(len(body), 2000)])) }

func newJar(t testing.TB) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}
