package lambda_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// answers are handlers whose answer must be what net/http makes of them.
var answers = map[string]http.HandlerFunc{
	"nothing": func(http.ResponseWriter, *http.Request) {},
	"text":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "some text") },
	"HTML": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><p>&amp; \u2028 <b>\"x\"</b>")
	},
	"bytes":           func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("\x00\xff\xfe\x80")) },
	"bytes in pieces": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("\xe2\x82")); w.Write([]byte("\xac")) },
	"no content":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
	"a status alone":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
	"an early hint":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(201) },
	"cookies":         setsCookies,
	"one cookie": func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1", Path: "/", HttpOnly: true})
	},
	"a redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login?next=%2Fx", http.StatusSeeOther)
	},
	"lists": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Cookie")
	},
	"a date": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
	},
	"a late header": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x"); w.Header().Set("X-Late", "1") },
	"not modified": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"a,b"`)
		w.WriteHeader(304)
		if _, err := w.Write([]byte("x")); !errors.Is(err, http.ErrBodyNotAllowed) {
			panic("a body was accepted")
		}
	},
	"a second status": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(404)
		w.WriteHeader(200)
		fmt.Fprint(w, "not there")
	},
}

func setsCookies(w http.ResponseWriter, _ *http.Request) {
	for _, name := range []string{"a", "b", "c"} {
		http.SetCookie(w, &http.Cookie{Name: name, Value: "1", Path: "/", MaxAge: 60, SameSite: http.SameSiteLaxMode})
	}
}

// TestAClientGetsWhatItGetsFromNetHTTP, through every host, to GET and to HEAD.
func TestAClientGetsWhatItGetsFromNetHTTP(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Query().Get("of")](w, r) })
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of statuses that come twice
	server.Start()
	defer server.Close()
	plain, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name := range answers {
		for _, method := range []string{"GET", "HEAD"} {
			ask := func() *http.Request {
				return request(method, "/?of="+url.QueryEscape(name), "", "Accept-Encoding", "identity")
			}
			direct := ask()
			direct.URL.Host = plain.Host
			want, body := send(t, http.DefaultTransport, direct)
			for host, g := range hosts(t, handler) {
				got, said := send(t, g, ask())
				if got.StatusCode != want.StatusCode || said != body || !reflect.DeepEqual(sentHeader(got), sentHeader(want)) {
					t.Errorf("%s %s, %s: %d %v %q, net/http: %d %v %q", method, name, host, got.StatusCode, sentHeader(got), said, want.StatusCode, sentHeader(want), body)
				}
			}
		}
	}
}

// sentHeader is what a handler's answer has in its header, without what servers add. Lists are
// joined: some hosts do so.
func sentHeader(a *http.Response) map[string]string {
	h := maps.Clone(a.Header)
	for _, name := range []string{"Date", "Content-Length", "Transfer-Encoding", "Connection"} {
		h.Del(name)
	}
	joined := map[string]string{}
	for name, values := range h {
		if name == "Set-Cookie" {
			slices.Sort(values)
		}
		joined[name] = strings.Join(values, ",")
	}
	return joined
}

// TestWhatPanicsIsAnAnswer, and the function goes on.
func TestWhatPanicsIsAnAnswer(t *testing.T) {
	for host, g := range hosts(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "id")
		switch r.URL.Path {
		case "/half":
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
			fmt.Fprint(w, "half")
			panic(http.ErrAbortHandler)
		case "/nil":
			var none *http.Request
			fmt.Fprint(w, none.Method)
		case "/now":
			panic("secret")
		}
		fmt.Fprint(w, "fine")
	})) {
		for _, path := range []string{"/half", "/nil", "/now"} {
			got, body := send(t, g, request("GET", path, ""))
			if got.StatusCode != 500 || got.Header.Get("Content-Type") != "application/problem+json" || strings.Contains(body, "half") || strings.Contains(body, "secret") {
				t.Errorf("%s %s: %d %s", host, path, got.StatusCode, body)
			}
			if got.Header.Get("X-Request-Id") != "id" || got.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s %s: header %v", host, path, got.Header)
			}
		}
		if _, body := send(t, g, request("GET", "/", "")); body != "fine" {
			t.Errorf("%s: after a panic comes %q", host, body)
		}
	}
}
