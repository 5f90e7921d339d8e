package manager_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	"berth/local/stand/faultyhttp"
	"berth/local/stand/managerstand"
)

const (
	login   = "POST /api/v1/auth/universal-auth/login"
	renewal = "POST /api/v1/auth/token/renew"
)

var one = []secrets.Ref{ref("A", "p1/prod/#A")}

// A token that is refused is replaced once, however the server says so; then it is an error.
func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	for _, forbids := range []bool{false, true} {
		r := newRoom(t, "")
		r.server.Forbids = forbids
		r.server.Put("p1", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
		if _, err := r.client.Resolve(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		r.server.Revoke()
		r.server.Asked()
		if _, err := r.client.Resolve(t.Context(), one); err != nil {
			t.Error(err)
		}
		if asked := r.server.Asked(); !slices.Equal(asked, []string{"GET /api/v4/secrets", login, "GET /api/v4/secrets"}) {
			t.Errorf("the server was asked %v", asked)
		}
		r.server.Always("GET ", faultyhttp.Status(401, `{"error":"UnauthorizedError","message":"canary"}`))
		_, err := r.client.Resolve(t.Context(), one)
		coretest.WantFault(t, err, fault.Conflict, "manager.credential_refused", "client ID and secret")
		if asked := r.server.Asked(); !slices.Equal(asked, []string{"GET /api/v4/secrets", login, "GET /api/v4/secrets"}) {
			t.Errorf("the server was asked %v", asked)
		}
	}
}

func TestWrongIdentityIsTold(t *testing.T) {
	r := newRoom(t, "p1")
	r.server.Identity("id-1", "another")
	_, err := r.client.Resolve(t.Context(), one)
	coretest.WantFault(t, err, fault.Conflict, "manager.credential_refused", "Settings, Integrations")
	coretest.WantFault(t, r.client.Test(t.Context()), fault.Conflict, "manager.credential_refused")
}

// Many who ask at the same time log in once.
func TestOneLoginForAll(t *testing.T) {
	r := newRoom(t, "")
	r.server.Put("p1", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := r.client.Resolve(t.Context(), one); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if logins := slices.DeleteFunc(r.server.Asked(), func(asked string) bool { return asked != login }); len(logins) != 1 {
		t.Errorf("%d logins", len(logins))
	}
}

// A token is renewed before its end, replaced after the end of all renewals, and nobody sees it end.
func TestTokenIsRenewedInTime(t *testing.T) {
	for name, c := range map[string]struct {
		ttl, most        time.Duration
		logins, renewals int // in a day of questions each quarter of an hour
		always           faultyhttp.Fault
	}{
		"of an hour":                     {time.Hour, 0, 1, 31, nil},
		"of an hour, six with renewals":  {time.Hour, 6 * time.Hour, 4, 28, nil},
		"of ten minutes":                 {10 * time.Minute, 0, 96, 0, nil},
		"of a month":                     {0, 0, 1, 0, nil},
		"when renewals are not possible": {time.Hour, 0, 32, 31, faultyhttp.Status(500, "")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer()
				server.TTL, server.MaxTTL = c.ttl, c.most
				server.Put("p1", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
				if c.always != nil {
					server.Always(renewal, c.always)
				}
				pipe, end := faultyhttp.Serve(server)
				defer end()
				client := newClient(t, "http://manager.test", "", outbound.Options{Dial: pipe.Dial})
				defer client.Close()
				for range 96 {
					if _, err := client.Resolve(t.Context(), one); err != nil {
						t.Fatal(err)
					}
					time.Sleep(15 * time.Minute)
				}
				asked := server.Asked()
				count := func(what string) (n int) {
					for _, a := range asked {
						if strings.HasPrefix(a, what) {
							n++
						}
					}
					return n
				}
				if count("GET ") != 96 {
					t.Errorf("%d listings: a token was refused", count("GET "))
				}
				if got := []int{count(login), count(renewal)}; !slices.Equal(got, []int{c.logins, c.renewals}) {
					t.Errorf("%d logins and %d renewals, want %d and %d", got[0], got[1], c.logins, c.renewals)
				}
			})
		})
	}
}

// While the login does not answer, a token that has some time left serves.
func TestTokenServesWhileItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer()
		server.TTL = time.Hour
		server.Put("p1", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
		pipe, end := faultyhttp.Serve(server)
		defer end()
		client := newClient(t, "http://manager.test", "", outbound.Options{Dial: pipe.Dial})
		defer client.Close()
		if _, err := client.Resolve(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		server.Always("POST ", faultyhttp.Status(503, ""))
		time.Sleep(50 * time.Minute)
		if _, err := client.Resolve(t.Context(), one); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Minute)
		_, err := client.Resolve(t.Context(), one)
		coretest.WantFault(t, err, fault.Unavailable, "manager.failed")
	})
}

// The credentials travel in a body alone, to the login.
func TestCredentialsTravelNowhereElse(t *testing.T) {
	r := newRoom(t, "")
	r.server.Put("p1", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
	inner := r.server.Handler
	r.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.String(), "canary") || strings.Contains(strings.Join(q.Header["Authorization"], ""), clientSecret) {
			t.Errorf("%s %s has a credential", q.Method, q.URL)
		}
		inner.ServeHTTP(w, q)
	})
	if _, err := r.client.Resolve(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %#v", r.client, manager.Settings{ClientSecret: secrets.NewValue(clientSecret)}); strings.Contains(text, clientSecret) {
		t.Errorf("a client prints its secret")
	}
}
