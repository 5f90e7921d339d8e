package lambda

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// httpEvent is what counts of payload format 2.0.
type httpEvent struct {
	Version         string            `json:"version"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies"`
	Header          map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
	RequestContext  struct {
		Domain    string `json:"domainName"`
		RequestID string `json:"requestId"`
		HTTP      struct {
			Method   string `json:"method"`
			Path     string `json:"path"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

// http answers events of payload format 2.0: of HTTP APIs and of function URLs.
func (h *Handler) http(adapter *httpadapter.HandlerAdapterV2) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		var e httpEvent
		if err := json.Unmarshal(payload, &e); err != nil || e.Version != "2.0" || e.RequestContext.HTTP.Method == "" ||
			ofFunctionURL(e.RequestContext.Domain) != (h.options.Form == config.EventFunctionURL) {
			return reply{}, anotherForm(h.options.Form, payload)
		}
		f := &facts{path: h.path(cmp.Or(e.RawPath, e.RequestContext.HTTP.Path)), query: e.RawQueryString, header: single(e.Header),
			host: e.RequestContext.Domain, client: e.RequestContext.HTTP.SourceIP,
			id: cmp.Or(e.RequestContext.RequestID, invocation(ctx)), size: len(payload)}
		if len(e.Cookies) > 0 { // a function URL sends them in the header too
			f.header.Set("Cookie", strings.Join(e.Cookies, "; "))
		}
		proxied := events.APIGatewayV2HTTPRequest{RawPath: "/", Body: e.Body, IsBase64Encoded: e.IsBase64Encoded}
		proxied.RequestContext.HTTP.Method = e.RequestContext.HTTP.Method
		a, err := adapter.ProxyWithContext(f.with(ctx), proxied)
		return reply{status: a.StatusCode, header: a.Headers, cookies: a.Cookies, body: f.body}, err
	}
}

// ofFunctionURL reports whether a domain is that of a function URL: nothing else in an event
// tells it from one of an HTTP API.
func ofFunctionURL(domain string) bool { return strings.Contains(domain, ".lambda-url.") }
