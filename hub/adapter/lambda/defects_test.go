package lambda_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
	"berth/local/stand/gateway"
)

// defects are what the bare adapter gets wrong; this package exists because of them. One that
// a newer release has mended fails here: what handles it can then go.
var defects = map[string]func(t *testing.T) (defective bool){
	"a panic gets through to the runtime, which ends the process": func(t *testing.T) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		bareV2(t, request("GET", "/", ""), func(http.ResponseWriter, *http.Request) { panic("x") })
		return false
	},
	"a handler that is silent is an error": func(t *testing.T) bool {
		_, err := bareV2(t, request("GET", "/", ""), func(http.ResponseWriter, *http.Request) {})
		return err != nil
	},
	"the last status wins": func(t *testing.T) bool {
		answer, _ := bareV2(t, request("GET", "/", ""), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(200) })
		return answer.StatusCode == 200
	},
	"the answer to HEAD has a body": func(t *testing.T) bool {
		answer, _ := bareV2(t, request("HEAD", "/", ""), func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "body") })
		return answer.Body != ""
	},
	"the answer 204 has a body": func(t *testing.T) bool {
		answer, _ := bareV2(t, request("GET", "/", ""), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); fmt.Fprint(w, "body") })
		return answer.Body != ""
	},
	"a header that comes after the body is sent": func(t *testing.T) bool {
		answer, _ := bareV2(t, request("GET", "/", ""), func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "body"); w.Header().Set("X-Late", "1") })
		return answer.Headers["X-Late"] == "1"
	},
	"a decoded ? in a path begins the query": func(t *testing.T) bool {
		return bareSees(t, config.EventHTTPv2, "/a", func(e map[string]any) { e["rawPath"] = "/a?b" }).URL.RawQuery == "b"
	},
	"a percent sign in a path is an error": func(t *testing.T) bool {
		return bareSees(t, config.EventHTTPv2, "/a", func(e map[string]any) { e["rawPath"] = "/100%" }) == nil
	},
	"a percent sign that was decoded counts as an escape": func(t *testing.T) bool {
		return bareSees(t, config.EventHTTPv2, "/a", func(e map[string]any) { e["rawPath"] = "/a%20b" }).URL.Path == "/a b"
	},
	"headers of version 2 come apart at commas": func(t *testing.T) bool {
		r := bareSees(t, config.EventHTTPv2, "/", nil, "If-None-Match", `"a,b"`)
		return len(r.Header["If-None-Match"]) == 2
	},
	"dates of version 2 come apart": func(t *testing.T) bool {
		return len(bareSees(t, config.EventHTTPv2, "/", nil, "If-Range", "Wed, 21 Oct 2026 07:28:00 GMT").Header["If-Range"]) == 2
	},
	"cookies of a function URL come twice": func(t *testing.T) bool {
		return len(bareSees(t, config.EventFunctionURL, "/", nil, "Cookie", "a=1").Cookies()) == 2
	},
	"a load balancer's query is escaped twice": func(t *testing.T) bool {
		return bareSees(t, config.EventALB, "/?q=a%20b", nil).URL.Query().Get("q") == "a%20b"
	},
	"a load balancer's multi-value header names no host": func(t *testing.T) bool {
		return bareSees(t, config.EventALB, "/", nil).Host == ""
	},
	"a load balancer's request comes from nowhere": func(t *testing.T) bool {
		return bareSees(t, config.EventALB, "/", nil).RemoteAddr == ""
	},
	"a load balancer's answer has lists where it wants single values": func(t *testing.T) bool {
		adapter := httpadapter.NewALB(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-A", "1"); w.WriteHeader(200) }))
		answer, _ := adapter.Proxy(events.ALBTargetGroupRequest{HTTPMethod: "GET", Path: "/", Headers: map[string]string{"host": "a.test"}})
		return answer.Headers["X-A"] == ""
	},
	"a load balancer's status description is no status line": func(t *testing.T) bool {
		adapter := httpadapter.NewALB(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }))
		answer, _ := adapter.Proxy(events.ALBTargetGroupRequest{HTTPMethod: "GET", Path: "/"})
		return answer.StatusDescription == "OK"
	},
	"an address has no port": func(t *testing.T) bool {
		return bareSees(t, config.EventHTTPv2, "/", nil).RemoteAddr == "192.0.2.1"
	},
	"the host of a request is in its URL and its header": func(t *testing.T) bool {
		r := bareSees(t, config.EventHTTPv2, "/", nil)
		return r.URL.Host != "" && r.Header.Get("Host") != ""
	},
	"the host is the gateway's, not what the client asked for": func(t *testing.T) bool {
		return bareSees(t, config.EventHTTPv2, "/", nil).Host != "berth.test"
	},
	"an environment variable changes the host": func(t *testing.T) bool {
		t.Setenv("GO_API_HOST", "https://elsewhere.test")
		return bareSees(t, config.EventHTTPv2, "/", nil).Host == "elsewhere.test"
	},
	"a base path is cut from the middle of a word": func(t *testing.T) bool {
		adapter := httpadapter.NewV2(http.NotFoundHandler())
		adapter.StripBasePath("/prod")
		e := events.APIGatewayV2HTTPRequest{RawPath: "/production"}
		e.RequestContext.HTTP.Method = "GET"
		r, err := adapter.ProxyEventToHTTPRequest(e)
		return err == nil && r.URL.Path == "/uction"
	},
	"an event of another form is a request of nothing": func(t *testing.T) bool {
		adapter := httpadapter.NewV2(http.NotFoundHandler())
		r, err := adapter.ProxyEventToHTTPRequest(events.APIGatewayV2HTTPRequest{})
		return err == nil && r.Method == "GET"
	},
	"an answer of any size is sent": func(t *testing.T) bool {
		answer, err := bareV2(t, request("GET", "/", ""), func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 7<<20)) })
		return err == nil && len(answer.Body) >= 7<<20
	},
}

func TestTheAdapterStillHasItsDefects(t *testing.T) {
	for name, defective := range defects {
		t.Run(name, func(t *testing.T) {
			if !defective(t) {
				t.Error("mended: take out what handles it, and this case")
			}
		})
	}
}

// bareV2 plays a request through the adapter alone.
func bareV2(t *testing.T, r *http.Request, handler http.HandlerFunc) (events.APIGatewayV2HTTPResponse, error) {
	t.Helper()
	e := event[events.APIGatewayV2HTTPRequest](t, &gateway.Gateway{Form: config.EventHTTPv2}, r)
	return httpadapter.NewV2(handler).ProxyWithContext(context.Background(), e)
}

// bareSees returns the request that the adapter makes of an event; nil when it fails.
func bareSees(t *testing.T, form config.EventForm, address string, change func(map[string]any), header ...string) (got *http.Request) {
	t.Helper()
	g, r := &gateway.Gateway{Form: form, Override: change}, request("GET", address, "", header...)
	if form == config.EventALB {
		got, _ = httpadapter.NewALB(nil).EventToRequest(event[events.ALBTargetGroupRequest](t, g, r))
		return got
	}
	got, _ = httpadapter.NewV2(nil).EventToRequest(event[events.APIGatewayV2HTTPRequest](t, g, r))
	return got
}

// event makes the event of a request in the library's type.
func event[E any](t *testing.T, g *gateway.Gateway, r *http.Request) (e E) {
	t.Helper()
	payload, err := g.Event(r)
	if err == nil {
		err = json.Unmarshal(payload, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}
