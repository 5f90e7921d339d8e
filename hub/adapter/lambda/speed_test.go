package lambda_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"

	"berth/core/config"
	"berth/hub/adapter/lambda"
)

// BenchmarkEvents is the way from an event to a request and back; local/bench function holds it
// against net/http.
func BenchmarkEvents(b *testing.B) {
	page := bytes.Repeat([]byte(`<li><a href="/stacks/x" class="name">web</a>`+"\n"), 1300)
	for _, form := range config.EventForms {
		b.Run(string(form), func(b *testing.B) {
			h, err := lambda.New(lambda.Options{Form: form, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(page) }), Fail: fail, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			event, err := gatewayOf(form, nil).Event(request("GET", "/stacks?limit=50&a=b", "", "Cookie", "a=b", "Accept", "text/html, */*"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Invoke(b.Context(), event); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
