package githost

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/config"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/local/stand/forge"
)

// answers are those of a host that is broken, somebody else or hostile.
var answers = map[string]struct {
	answer func(w http.ResponseWriter, r *http.Request)
	kind   fault.Kind
	code   string
}{
	"a gigabyte": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.CopyN(w, endless('['), 1<<30)
	}, fault.Conflict, "git_provider.too_large"},
	"no JSON":           {say(200, "<html>canary-page</html>"), fault.Conflict, "git_provider.malformed"},
	"other JSON":        {say(200, `"canary-text"`), fault.Conflict, "git_provider.malformed"},
	"nothing":           {say(200, ""), fault.Conflict, "git_provider.malformed"},
	"its own error":     {say(500, "canary-trace"), fault.Unavailable, "git_provider.failed"},
	"too many requests": {say(429, "canary"), fault.Unavailable, "git_provider.busy"},
	"a used-up limit": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.WriteHeader(403)
	}, fault.Unavailable, "git_provider.busy"},
	"single sign-on":   {say(403, "canary"), fault.Conflict, "git_provider.forbidden"},
	"a status of none": {say(418, "canary"), fault.Conflict, "git_provider.failed"},
	"a redirect": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.test/canary-path", http.StatusFound)
	},
		fault.Conflict, "git_provider.redirected"},
	"a broken connection": {func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}, fault.Unavailable, "git_provider.unreachable"},
	"silence": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fault.Unavailable, "git_provider.slow"},
	"a drip": {func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "[")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, fault.Unavailable, "git_provider.slow"},
}

func say(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestListsOfAHostileHost(t *testing.T) {
	for name, c := range answers {
		for _, kind := range kinds {
			r := open(t, kind, outbound.Options{Limit: limitFor(name)})
			token := r.connect().Access
			r.forge.Instead = func(w http.ResponseWriter, r *http.Request) bool {
				io.Copy(io.Discard, r.Body) // a server sees that a client left only then
				c.answer(w, r)
				return true
			}
			_, err := r.host.Branches(t.Context(), token, "acme/shop")
			r.wants(err, c.kind, c.code)
			if t.Failed() {
				t.Fatalf("%s, %s", kind, name)
			}
		}
	}
}

func TestExchangesOfAHostileHost(t *testing.T) {
	other := map[string]string{ // what cannot be told apart where a token is asked for
		"a gigabyte": "git_provider.malformed", "a used-up limit": "git_provider.failed", "single sign-on": "git_provider.failed",
	}
	for name, c := range answers {
		r := open(t, forge.GitHub, outbound.Options{Limit: limitFor(name)})
		code := r.arrive(journey).Get("code")
		r.forge.Instead = func(w http.ResponseWriter, r *http.Request) bool {
			io.Copy(io.Discard, r.Body) // a server sees that a client left only then
			c.answer(w, r)
			return true
		}
		_, err := r.host.Exchange(t.Context(), journey, code)
		if want, differs := other[name]; differs {
			r.wants(err, fault.Conflict, want)
		} else {
			r.wants(err, c.kind, c.code)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// limitFor is short where the host says nothing.
func limitFor(name string) time.Duration {
	if name == "silence" || name == "a drip" {
		return quick
	}
	return 0
}

func appsAt(address string) (all []config.GitHostApp) {
	for _, kind := range kinds {
		all = append(all, appAt(string(kind), address))
	}
	return all
}

func TestPagesWithoutEnd(t *testing.T) {
	for name, item := range map[string]func(page string) string{
		"the same page again and again": func(string) string { return `[{"name":"main"}]` },
		"always another":                func(page string) string { return `[{"name":"branch-` + page + `"}]` },
		"empty ones":                    func(string) string { return `[]` },
	} {
		r := open(t, forge.GitHub, outbound.Options{})
		token := r.connect().Access
		var asked atomic.Int32
		r.forge.Instead = func(w http.ResponseWriter, q *http.Request) bool {
			asked.Add(1)
			w.Header().Set("Link", `<http://elsewhere.test/steal>; rel="next"`)
			io.WriteString(w, item(q.URL.Query().Get("page")))
			return true
		}
		list, err := r.host.Branches(t.Context(), token, "acme/shop")
		if err != nil || asked.Load() > maxPages || len(list.Items) > maxPages {
			t.Errorf("%s: %d pages, %d items, %v", name, asked.Load(), len(list.Items), err)
		}
		if name == "always another" && (!list.Truncated || len(list.Items) != maxPages) {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// A token goes to the host that gave it, whatever that answers.
func TestTokensGoNowhereElse(t *testing.T) {
	var stolen atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Store(true) }))
	defer thief.Close()
	for _, kind := range kinds {
		r := open(t, kind, outbound.Options{})
		token := r.connect().Access
		r.forge.Instead = func(w http.ResponseWriter, q *http.Request) bool {
			w.Header().Set("Link", `<`+thief.URL+`/>; rel="next"`)
			http.Redirect(w, q, thief.URL, http.StatusTemporaryRedirect)
			return true
		}
		_, err := r.host.Branches(t.Context(), token, "acme/shop")
		r.wants(err, fault.Conflict, "git_provider.redirected")
		_, err = r.host.Exchange(t.Context(), journey, "code")
		r.wants(err, fault.Conflict, "git_provider.redirected")
	}
	if stolen.Load() {
		t.Error("something went elsewhere")
	}
}

func TestHostsThatAreDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	hosts, err := New(appsAt(server.URL), outbound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		r := &room{t: t, forge: &forge.Forge{}, host: host}
		_, err := host.Exchange(t.Context(), journey, "canary-code")
		r.wants(err, fault.Unavailable, "git_provider.unreachable")
		_, err = host.Organizations(t.Context(), secrets.NewValue("canary-token"))
		r.wants(err, fault.Unavailable, "git_provider.unreachable")
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = host.Exchange(ended, journey, "canary-code")
		r.wants(err, fault.Unavailable, "git_provider.slow")
	}
}
