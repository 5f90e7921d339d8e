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

// alb answers events of Application Load Balancers.
func (h *Handler) alb(adapter *httpadapter.HandlerAdapterALB) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, payload []byte) (any, error) {
		var e events.ALBTargetGroupRequest
		if err := json.Unmarshal(payload, &e); err != nil || e.HTTPMethod == "" || e.RequestContext.ELB.TargetGroupArn == "" {
			return nil, anotherForm(config.EventALB, payload)
		}
		f := &facts{path: h.path(e.Path), query: sentQueryOf(e.MultiValueQueryStringParameters, e.QueryStringParameters),
			header: multiple(e.MultiValueHeaders), size: len(payload)}
		if len(e.MultiValueHeaders) == 0 {
			f.header = single(e.Headers)
		}
		f.client, f.id = lastForwarded(f.header), cmp.Or(f.header.Get("X-Amzn-Trace-Id"), invocation(ctx))
		answer, err := adapter.ProxyWithContext(f.with(ctx), events.ALBTargetGroupRequest{
			Path: "/", HTTPMethod: e.HTTPMethod, Body: e.Body, IsBase64Encoded: e.IsBase64Encoded})
		if len(e.MultiValueHeaders) == 0 {
			answer.Headers, answer.MultiValueHeaders = singleOf(answer.MultiValueHeaders), nil
		}
		answer.StatusDescription = fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		return answer, err
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
