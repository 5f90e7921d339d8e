package lambda

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// albEvent is what counts of what a load balancer sends: lists of values, or single ones, as its
// target group is set.
type albEvent struct {
	Method          string              `json:"httpMethod"`
	Path            string              `json:"path"`
	Header          json.RawMessage     `json:"headers"`
	Headers         map[string][]string `json:"multiValueHeaders"`
	Query           json.RawMessage     `json:"queryStringParameters"`
	Queries         map[string][]string `json:"multiValueQueryStringParameters"`
	Body            string              `json:"body"`
	IsBase64Encoded bool                `json:"isBase64Encoded"`
	RequestContext  struct {
		ELB *struct{} `json:"elb"`
	} `json:"requestContext"`
}

// alb answers events of Application Load Balancers.
func (h *Handler) alb(adapter *httpadapter.HandlerAdapterALB) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		var e albEvent
		if err := json.Unmarshal(payload, &e); err != nil || e.Method == "" || e.RequestContext.ELB == nil {
			return reply{}, anotherForm(config.EventALB, payload)
		}
		f := &facts{path: h.path(e.Path), query: sentQueryOf(e.Queries, e.Query), header: headerOf(e.Headers, e.Header), size: len(payload)}
		f.client, f.id = lastForwarded(f.header), cmp.Or(f.header.Get("X-Amzn-Trace-Id"), invocation(ctx))
		a, err := adapter.ProxyWithContext(f.with(ctx), events.ALBTargetGroupRequest{
			Path: "/", HTTPMethod: e.Method, Body: e.Body, IsBase64Encoded: e.IsBase64Encoded})
		r := reply{status: a.StatusCode, description: fmt.Sprintf("%d %s", a.StatusCode, http.StatusText(a.StatusCode)),
			headers: a.MultiValueHeaders, body: f.body}
		if len(e.Headers) == 0 {
			r.header, r.headers = singleOf(a.MultiValueHeaders), nil
		}
		return r, err
	}
}

// singleOf makes single values of lists: a target group without multi-value headers reads no
// others. Cookies cannot be joined; each gets a name in letters of its own case, which the load
// balancer takes for different headers and clients for the same.
func singleOf(multiple map[string][]string) map[string]string {
	h := make(map[string]string, len(multiple))
	for name, list := range multiple {
		if name != "Set-Cookie" {
			h[name] = strings.Join(list, ",")
			continue
		}
		for i, cookie := range list {
			h[inCase(name, i)] = cookie
		}
	}
	return h
}

// inCase returns name with the n-th choice of upper and lower case.
func inCase(name string, n int) string {
	out := []byte(strings.ToLower(name))
	for i := range out {
		if letter := out[i] >= 'a' && out[i] <= 'z'; !letter {
			continue
		}
		if n&1 == 1 {
			out[i] -= 'a' - 'A'
		}
		n >>= 1
	}
	return string(out)
}
