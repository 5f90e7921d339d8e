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

// http answers events of payload format 2.0: of HTTP APIs and of function URLs.
func (h *Handler) http(adapter *httpadapter.HandlerAdapterV2) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, payload []byte) (any, error) {
		var e events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(payload, &e); err != nil || e.Version != "2.0" || e.RequestContext.HTTP.Method == "" ||
			ofFunctionURL(e.RequestContext.DomainName) != (h.options.Form == config.EventFunctionURL) {
			return nil, anotherForm(h.options.Form, payload)
		}
		f := &facts{path: h.path(cmp.Or(e.RawPath, e.RequestContext.HTTP.Path)), query: e.RawQueryString, header: single(e.Headers),
			host: e.RequestContext.DomainName, client: e.RequestContext.HTTP.SourceIP,
			id: cmp.Or(e.RequestContext.RequestID, invocation(ctx)), size: len(payload)}
		if len(e.Cookies) > 0 { // a function URL sends them in the header too
			f.header.Set("Cookie", strings.Join(e.Cookies, "; "))
		}
		proxied := events.APIGatewayV2HTTPRequest{RawPath: "/", Body: e.Body, IsBase64Encoded: e.IsBase64Encoded}
		proxied.RequestContext.HTTP.Method = e.RequestContext.HTTP.Method
		return adapter.ProxyWithContext(f.with(ctx), proxied)
	}
}

// ofFunctionURL reports whether a domain is that of a function URL: nothing else in an event
// tells it from one of an HTTP API.
func ofFunctionURL(domain string) bool { return strings.Contains(domain, ".lambda-url.") }
