package lambda_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/config"
	"berth/hub/adapter/lambda"
)

// limits are how many bytes the hosts pass on in an event.
var limits = map[config.EventForm]int{config.EventRESTv1: 6 << 20, config.EventHTTPv2: 6 << 20, config.EventFunctionURL: 6 << 20, config.EventALB: 1 << 20}

// TestAnAnswerThatIsTooLargeSaysSo, in place of an error of the host that nobody understands.
func TestAnAnswerThatIsTooLargeSaysSo(t *testing.T) {
	for _, form := range []config.EventForm{config.EventHTTPv2, config.EventALB} {
		limit := limits[form]
		for name, c := range map[string]struct {
			body   []byte
			passes bool
		}{
			"text that fits":                {bytes.Repeat([]byte("a"), limit-100<<10), true},
			"text that does not":            {bytes.Repeat([]byte("a"), limit), false},
			"quotes, which are escaped":     {bytes.Repeat([]byte(`"a`), limit*3/10), true},
			"more quotes than fit":          {bytes.Repeat([]byte(`"`), limit*5/9), false},
			"bytes that fit":                {bytes.Repeat([]byte{0xff}, limit*2/3), true},
			"bytes that do not as base64":   {bytes.Repeat([]byte{0xff}, limit*4/5), false},
			"controls, which take six each": {bytes.Repeat([]byte{1}, limit/7), true},
			"more controls than fit":        {bytes.Repeat([]byte{1}, limit/5), false},
			"letters of several bytes":      {bytes.Repeat([]byte("\u2028"), limit*3/10), true},
		} {
			h := function(t, form, "", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/octet-stream")
				w.Header().Set("X-Request-Id", "id")
				w.Header().Set("ETag", `"x"`)
				w.Write(c.body)
			}))
			sent := 0
			g := gatewayOf(form, h)
			g.Invoke = func(ctx context.Context, event []byte) ([]byte, error) {
				answer, err := h.Invoke(ctx, event)
				sent = len(answer)
				return answer, err
			}
			got, said := send(t, g, request("GET", "/", ""))
			switch {
			case sent > limit:
				t.Errorf("%s, %s: %d bytes leave", form, name, sent)
			case c.passes && (got.StatusCode != 200 || said != string(c.body)):
				t.Errorf("%s, %s: %d with %d bytes", form, name, got.StatusCode, len(said))
			case !c.passes && (got.StatusCode != 413 || !strings.Contains(said, "answer.too_large") || !strings.Contains(said, "Ask for less") || got.Header.Get("Etag") != "" || got.Header.Get("X-Request-Id") != "id"):
				t.Errorf("%s, %s: %d %v %.300s", form, name, got.StatusCode, got.Header, said)
			}
		}
	}
}

// TestARequestThatChangedSomethingSaysThatItDid though its answer is too large.
func TestARequestThatChangedSomethingSaysThatItDid(t *testing.T) {
	g := behind(t, config.EventHTTPv2, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 7<<20)) }))
	if _, said := send(t, g, request("POST", "/", "")); !strings.Contains(said, "was done; only its answer is missing") {
		t.Errorf("a POST is told %s", said)
	}
	if _, said := send(t, g, request("GET", "/", "")); strings.Contains(said, "was done") {
		t.Errorf("a GET is told %s", said)
	}
}

// TestARequestThatIsTooLargeReadsAsSuch: its body ends as one does that is beyond a limit.
func TestARequestThatIsTooLargeReadsAsSuch(t *testing.T) {
	for host, g := range hosts(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if over := new(http.MaxBytesError); !errors.As(err, &over) {
			panic("it was read")
		}
	})) {
		if got, said := send(t, g, request("POST", "/", strings.Repeat("a", limits[g.Form]))); got.StatusCode != 200 {
			t.Errorf("%s: %d %s", host, got.StatusCode, said)
		}
	}
}

// TestRoomIsHalfOfWhatPasses, so that text of which half is escaped passes.
func TestRoomIsHalfOfWhatPasses(t *testing.T) {
	for form, limit := range limits {
		if room := lambda.Room(form); room > limit/2 || room < limit/3 {
			t.Errorf("%s: room for %d bytes", form, room)
		}
	}
}

// TestARequestEndsBeforeTheHostGivesUp, so that it can still say so.
func TestARequestEndsBeforeTheHostGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		form        config.EventForm
		given, want time.Duration // 0: no limit
	}{
		"the function's own limit":         {config.EventFunctionURL, 10 * time.Second, 9 * time.Second},
		"a short one keeps a tenth":        {config.EventALB, 3 * time.Second, 2700 * time.Millisecond},
		"a long one":                       {config.EventALB, 15 * time.Minute, 15*time.Minute - time.Second},
		"none":                             {config.EventFunctionURL, 0, 0},
		"an HTTP API's":                    {config.EventHTTPv2, 15 * time.Minute, 29 * time.Second},
		"an HTTP API's without":            {config.EventHTTPv2, 0, 29 * time.Second},
		"a REST API's":                     {config.EventRESTv1, 15 * time.Minute, 28 * time.Second},
		"the function's below the gateway": {config.EventRESTv1, 10 * time.Second, 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got time.Duration
				g := behind(t, c.form, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					if deadline, limited := r.Context().Deadline(); limited {
						got = time.Until(deadline)
					}
				}))
				r := request("GET", "/", "")
				if c.given > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), c.given)
					defer cancel()
					r = r.WithContext(ctx)
				}
				if send(t, g, r); got != c.want {
					t.Errorf("a request has %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestAnEventOfAnotherFormIsAnErrorInWords: of every form to every other, and of what is none.
func TestAnEventOfAnotherFormIsAnErrorInWords(t *testing.T) {
	for _, configured := range config.EventForms {
		var log bytes.Buffer
		h, err := lambda.New(lambda.Options{Form: configured, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was handled") }), Fail: fail,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		refused := func(event, came, next string) {
			t.Helper()
			log.Reset()
			_, err := h.Invoke(t.Context(), []byte(event))
			if err == nil || !strings.Contains(err.Error(), came) || !strings.Contains(err.Error(), "BERTH_EVENT is "+string(configured)) || !strings.Contains(err.Error(), next) {
				t.Errorf("%s is told of %s: %v", configured, event, err)
			}
			if strings.Count(log.String(), "\n") != 1 || strings.Contains(log.String(), "hunter2") {
				t.Errorf("logged: %s", log.String())
			}
		}
		for _, other := range config.EventForms {
			if other != configured {
				event, err := gatewayOf(other, nil).Event(request("POST", "/login", `{"password":"hunter2"}`))
				if err != nil {
					t.Fatal(err)
				}
				refused(string(event), "form "+string(other), "set BERTH_EVENT="+string(other)+", or connect it to")
			}
		}
		refused(`{"version":"1.0","httpMethod":"GET","path":"/","requestContext":{"stage":"x","http":{}}}`, "payload format version 1.0", "connect it to")
		refused(`{"source":"aws.events","detail":"hunter2"}`, "no request", "connect it to")
		refused(`{"key1":"value1"}`, "test event", "connect it to")
		refused(`"hunter2"`, "no event of a request", "connect it to")
		refused(`{`, "no event of a request", "connect it to")
	}
	if _, err := lambda.New(lambda.Options{Form: "websocket"}); err == nil {
		t.Error("a form that is none was accepted")
	}
}
