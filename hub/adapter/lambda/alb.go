package lambda

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// alb answers events of Application Load Balancers.
func (h *Handler) alb(adapter *httpadapter.HandlerAdapterALB) func(context.Context, []byte) (reply, error) {
	return func(ctx context.Context, payload []byte) (reply, error) {
		e, ok := read(payload)
		if !ok || e.method == "" || !e.elb {
			return reply{}, anotherForm(config.EventALB, payload)
		}
		f := &facts{path: h.path(e.path), query: e.sentQuery(), header: e.header(), size: len(payload)}
		f.client, f.id = lastForwarded(f.header), cmp.Or(f.header.Get("X-Amzn-Trace-Id"), invocation(ctx))
		a, err := adapter.ProxyWithContext(f.with(ctx), events.ALBTargetGroupRequest{
			Path: "/", HTTPMethod: e.method, Body: e.body, IsBase64Encoded: e.encoded})
		r := reply{status: a.StatusCode, description: fmt.Sprintf("%d %s", a.StatusCode, http.StatusText(a.StatusCode)),
			headers: a.MultiValueHeaders, body: f.body}
		if !e.listed() {
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
