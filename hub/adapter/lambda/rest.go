package lambda

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// restEvent is what a REST API sends. An HTTP API can send the same with a version in it, but
// decodes paths, so it is none of this form.
type restEvent struct {
	events.APIGatewayProxyRequest
	Version string `json:"version"`
}

// rest answers events of API Gateway's REST APIs.
func (h *Handler) rest(adapter *httpadapter.HandlerAdapter) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, payload []byte) (any, error) {
		var e restEvent
		if err := json.Unmarshal(payload, &e); err != nil || e.HTTPMethod == "" || e.RequestContext.Stage == "" || e.Version != "" {
			return nil, anotherForm(config.EventRESTv1, payload)
		}
		f := &facts{path: h.path(e.Path), query: queryOf(e.MultiValueQueryStringParameters, e.QueryStringParameters),
			header: multiple(e.MultiValueHeaders), host: e.RequestContext.DomainName, client: e.RequestContext.Identity.SourceIP,
			id: cmp.Or(e.RequestContext.RequestID, invocation(ctx)), size: len(payload)}
		if len(e.MultiValueHeaders) == 0 {
			f.header = single(e.Headers)
		}
		return adapter.ProxyWithContext(f.with(ctx), events.APIGatewayProxyRequest{
			Path: "/", HTTPMethod: e.HTTPMethod, Body: e.Body, IsBase64Encoded: e.IsBase64Encoded})
	}
}
