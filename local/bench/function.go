package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"berth/core/config"
	"berth/hub/adapter/lambda"
	"berth/local/stand/gateway"
)

// shimGoal is what the way from an event to a request and back may cost at the median.
const shimGoal = 100 * time.Microsecond

// perRun is how many requests of each kind are measured for each of the runs.
const perRun = 500

// measureFunction measures what a function host costs.
func measureFunction(ctx context.Context, b *bench) ([]figure, error) {
	figures, err := b.shim(ctx, "2 KB of JSON", jsonAnswer)
	if err != nil {
		return nil, err
	}
	page, err := b.shim(ctx, "a page of 60 KB", pageAnswer)
	if err != nil {
		return nil, err
	}
	whole, err := b.onHost(ctx)
	return append(append(figures, page...), whole...), err
}

// The answers of the handler that does nothing else.
var (
	jsonAnswer = sized("application/json", `{"id":"stk_06h03k8f6pms4h4m6m6hapj9am","name":"web","status":"active"},`, 2<<10)
	pageAnswer = sized("text/html; charset=utf-8", `<li><a href="/stacks/x" class="name">web</a> <span class="badge is-good">active</span></li>`+"\n", 60<<10)
)

func sized(kind, text string, bytes int) http.Handler {
	body := []byte(strings.Repeat(text, bytes/len(text)+1)[:bytes])
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Request-Id", "R1")
		h.Add("Vary", "Origin")
		h.Add("Vary", "Cookie")
		w.Write(body)
	})
}

// shim measures adapter and shim alone against net/http, in turns.
func (b *bench) shim(ctx context.Context, what string, handler http.Handler) ([]figure, error) {
	server := httptest.NewServer(handler)
	defer server.Close()
	plain := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer plain.CloseIdleConnections()
	invokers := map[config.EventForm]func() error{}
	for _, form := range config.EventForms {
		invoke, err := invoker(ctx, form, handler)
		if err != nil {
			return nil, err
		}
		invokers[form] = invoke
	}
	took, direct := map[config.EventForm][]time.Duration{}, []time.Duration{}
	for range b.runs * perRun {
		for form, invoke := range invokers {
			began := time.Now()
			if err := invoke(); err != nil {
				return nil, err
			}
			took[form] = append(took[form], time.Since(began))
		}
		r := browserRequest(ctx, server.URL)
		began := time.Now()
		if err := fetch(plain, r); err != nil {
			return nil, err
		}
		direct = append(direct, time.Since(began))
	}
	http := median(direct)
	figures := []figure{{name: what + ": net/http over loopback", result: us(http)}}
	for _, form := range config.EventForms {
		own := median(took[form])
		figures = append(figures, figure{name: "  event of " + string(form) + ", in and out", result: fmt.Sprintf("%s, %.2f of net/http", us(own), ratio(own, http)),
			goal: "at most " + us(shimGoal) + ", not above net/http", met: own <= shimGoal && own <= http})
	}
	return figures, ctx.Err()
}

// invoker returns what answers one event of a form.
func invoker(ctx context.Context, form config.EventForm, handler http.Handler) (func() error, error) {
	h, err := lambda.New(lambda.Options{Form: form, Handler: handler, Fail: func(http.ResponseWriter, *http.Request, error) {}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	event, err := (&gateway.Gateway{Form: form}).Event(browserRequest(ctx, "https://berth.example.com"))
	return func() error {
		answer, err := h.Invoke(ctx, event)
		if err == nil && len(answer) < 1000 {
			err = errors.New("the answer is missing: " + string(answer))
		}
		return err
	}, err
}

// browserRequest is a request as browsers send it.
func browserRequest(ctx context.Context, url string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/custom/stacks?limit=50&status=active&search=web%20shop", nil)
	if err != nil {
		panic(err) // the address is written here
	}
	for name, value := range map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language": "en-GB,en;q=0.7,de;q=0.3",
		"Cookie": "berth_session=06h03k8f6pms4h4m6m6hapj9am.0123456789abcdef0123456789abcdef; theme=dark", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"If-None-Match": `"AbCdEfGhIjKlMnOpQrStUvWx"`, "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin", "Upgrade-Insecure-Requests": "1"} {
		r.Header.Set(name, value)
	}
	return r
}

// fetch sends a request and reads its answer.
func fetch(client *http.Client, r *http.Request) error {
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// us shows a duration in microseconds.
func us(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond)) }
