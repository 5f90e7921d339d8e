package lambda

import (
	"cmp"
	"context"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// http answers events of payload format 2.0: of HTTP APIs and of function URLs.
func (h *Handler) http(adapter *httpadapter.HandlerAdapterV2) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		e, ok := read(payload)
		if !ok || e.version != "2.0" || e.httpMethod == "" || ofFunctionURL(e.domain) != (h.options.Form == config.EventFunctionURL) {
			return reply{}, anotherForm(h.options.Form, payload)
		}
		f := &facts{path: h.path(cmp.Or(e.path, e.httpPath)), query: e.rawQuery, header: e.header(), host: e.domain, client: e.source,
			id: cmp.Or(e.id, invocation(ctx)), size: len(payload)}
		if len(e.cookies) > 0 { // a function URL sends them in the header too
			f.header.Set("Cookie", strings.Join(e.cookies, "; "))
		}
		proxied := events.APIGatewayV2HTTPRequest{RawPath: "/", Body: e.body, IsBase64Encoded: e.encoded}
		proxied.RequestContext.HTTP.Method = e.httpMethod
		a, err := adapter.ProxyWithContext(f.with(ctx), proxied)
		return reply{status: a.StatusCode, header: a.Headers, cookies: a.Cookies, body: f.body}, err
	}
}

// ofFunctionURL reports whether a domain is that of a function URL: nothing else in an event
// tells it from one of an HTTP API.
func ofFunctionURL(domain string) bool { return strings.Contains(domain, ".lambda-url.") }
