package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"berth/core/config"
)

// Gateway is an http.RoundTripper that asks a function instead of a server.
type Gateway struct {
	Form   config.EventForm
	Invoke func(ctx context.Context, event []byte) ([]byte, error)

	Stage    string // that stands before every path; empty: none
	Client   string // address of whoever sends; empty: 192.0.2.1
	Plain    bool   // of a load balancer: its target group has no multi-value headers
	ID       string // of the request; empty: "request-1"
	Override func(event map[string]any)
}

// RoundTrip implements http.RoundTripper.
func (g *Gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	event, err := g.Event(r)
	if err != nil {
		return nil, err
	}
	answer, err := g.Invoke(r.Context(), event)
	if err != nil {
		return nil, err
	}
	return g.Response(r, answer)
}

// Event returns the event that the host sends for a request.
func (g *Gateway) Event(r *http.Request) ([]byte, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	e := map[string]any{"isBase64Encoded": false, "body": string(body)}
	if !utf8.Valid(body) {
		e["isBase64Encoded"], e["body"] = true, base64.StdEncoding.EncodeToString(body)
	}
	switch g.Form {
	case config.EventRESTv1:
		g.rest(e, r)
	case config.EventHTTPv2, config.EventFunctionURL:
		g.http(e, r)
	case config.EventALB:
		g.alb(e, r)
	default:
		return nil, fmt.Errorf("there is no form of event %q", g.Form)
	}
	if g.Override != nil {
		g.Override(e)
	}
	var event bytes.Buffer
	to := json.NewEncoder(&event)
	to.SetEscapeHTML(false)
	err := to.Encode(e)
	return event.Bytes(), err
}

func (g *Gateway) client() string {
	if g.Client == "" {
		return "192.0.2.1"
	}
	return g.Client
}

func (g *Gateway) id() string {
	if g.ID == "" {
		return "request-1"
	}
	return g.ID
}
