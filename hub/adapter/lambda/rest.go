package lambda

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// restEvent is what counts of what a REST API sends. An HTTP API can send the same with a version
// in it, but decodes paths, so it is none of this form.
type restEvent struct {
	Version         string              `json:"version"`
	Method          string              `json:"httpMethod"`
	Path            string              `json:"path"`
	Header          json.RawMessage     `json:"headers"` // single values, of which the next has all
	Headers         map[string][]string `json:"multiValueHeaders"`
	Query           json.RawMessage     `json:"queryStringParameters"`
	Queries         map[string][]string `json:"multiValueQueryStringParameters"`
	Body            string              `json:"body"`
	IsBase64Encoded bool                `json:"isBase64Encoded"`
	RequestContext  struct {
		Stage     string `json:"stage"`
		Domain    string `json:"domainName"`
		RequestID string `json:"requestId"`
		Identity  struct {
			SourceIP string `json:"sourceIp"`
		} `json:"identity"`
	} `json:"requestContext"`
}

// rest answers events of API Gateway's REST APIs.
func (h *Handler) rest(adapter *httpadapter.HandlerAdapter) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		var e restEvent
		if err := json.Unmarshal(payload, &e); err != nil || e.Method == "" || e.RequestContext.Stage == "" || e.Version != "" {
			return reply{}, anotherForm(config.EventRESTv1, payload)
		}
		f := &facts{path: h.path(e.Path), query: queryOf(e.Queries, e.Query), header: headerOf(e.Headers, e.Header),
			host: e.RequestContext.Domain, client: e.RequestContext.Identity.SourceIP,
			id: cmp.Or(e.RequestContext.RequestID, invocation(ctx)), size: len(payload)}
		a, err := adapter.ProxyWithContext(f.with(ctx), events.APIGatewayProxyRequest{
			Path: "/", HTTPMethod: e.Method, Body: e.Body, IsBase64Encoded: e.IsBase64Encoded})
		return reply{status: a.StatusCode, headers: a.MultiValueHeaders, body: f.body}, err
	}
}
