package lambda_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/config"
	"berth/core/fault"
	"berth/hub/adapter/lambda"
	"berth/local/stand/gateway"
)

type idKey struct{}

// fail answers as an endpoint would.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	var known *fault.Error
	if errors.As(err, &known) && known.Kind == fault.TooLarge {
		status = http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"code": fault.CodeOf(err), "detail": fault.PublicOf(err)})
}

// function returns what a function with this handler says to events.
func function(t *testing.T, form config.EventForm, base string, handler http.Handler) *lambda.Handler {
	t.Helper()
	h, err := lambda.New(lambda.Options{Form: form, BasePath: base, Handler: handler, Fail: fail, Log: slog.New(slog.DiscardHandler),
		WithRequestID: func(ctx context.Context, id string) context.Context { return context.WithValue(ctx, idKey{}, id) }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// behind returns a gateway in front of a function with this handler.
func behind(t *testing.T, form config.EventForm, handler http.Handler) *gateway.Gateway {
	t.Helper()
	return &gateway.Gateway{Form: form, Invoke: function(t, form, "", handler).Invoke}
}

// hosts are the gateways that a test tries: every form, and load balancers in both ways.
func hosts(t *testing.T, handler http.Handler) map[string]*gateway.Gateway {
	t.Helper()
	all := map[string]*gateway.Gateway{}
	for _, form := range config.EventForms {
		all[string(form)] = behind(t, form, handler)
	}
	all["alb without multi-value headers"] = behind(t, config.EventALB, handler)
	all["alb without multi-value headers"].Plain = true
	return all
}

// request makes a request as a client sends it.
func request(method, address, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, "http://berth.test"+address, strings.NewReader(body))
	r.RequestURI = ""
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// send plays a request through a gateway and returns the answer with its body.
func send(t *testing.T, g http.RoundTripper, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := g.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func gatewayOf(form config.EventForm, h *lambda.Handler) *gateway.Gateway {
	g := &gateway.Gateway{Form: form}
	if h != nil {
		g.Invoke = h.Invoke
	}
	return g
}
