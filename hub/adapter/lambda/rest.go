package lambda

import (
	"cmp"
	"context"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// rest answers events of API Gateway's REST APIs.
func (h *Handler) rest(adapter *httpadapter.HandlerAdapter) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		e, ok := read(payload)
		// An HTTP API can send the same with a version in it, but decodes paths.
		if !ok || e.method == "" || e.stage == "" || e.version != "" {
			return reply{}, anotherForm(config.EventRESTv1, payload)
		}
		f := &facts{path: h.path(e.path), query: e.decodedQuery(), header: e.header(), host: e.domain, client: e.source,
			id: cmp.Or(e.id, invocation(ctx)), size: len(payload)}
		f.header.Del("Accept-Encoding") // it hands base64 to clients as it is, unless it is configured with binary media types
		a, err := adapter.ProxyWithContext(f.with(ctx), events.APIGatewayProxyRequest{
			Path: "/", HTTPMethod: e.method, Body: e.body, IsBase64Encoded: e.encoded})
		return reply{status: a.StatusCode, headers: a.MultiValueHeaders, body: f.body}, err
	}
}
