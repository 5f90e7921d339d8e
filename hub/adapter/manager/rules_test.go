package manager_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/local/stand/managerstand"
)

// V6: what is no value has its own message, which names the reference; what is one is given.
func TestWhatIsNoValueIsRefusedByRule(t *testing.T) {
	r := newRoom(t, "")
	s := r.server
	s.Put("p1", "prod", "", managerstand.Secret{Name: "ROOT", Value: "canary-root"})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "PASSWORD", Value: "canary-password"})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "PASSWORD", Value: "canary-mine", Type: "personal"})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "EMPTY", Value: ""})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "HIDDEN", Value: "canary", Hidden: true})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "NUMBER", Value: 7})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "NUL", Value: "canary\x00"})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "NOTHING", Value: nil})
	s.Put("p1", "prod", "shop/db", managerstand.Secret{Name: "TWICE", Value: "canary-1"})
	s.Double("p1", "prod", "shop/db", managerstand.Secret{Name: "TWICE", Value: "canary-2"})
	s.Put("p1", "prod", "base", managerstand.Secret{Name: "SHARED", Value: "canary-base"})
	s.Put("p1", "prod", "base", managerstand.Secret{Name: "PASSWORD", Value: "canary-base"})
	s.Put("p1", "prod", "later", managerstand.Secret{Name: "SHARED", Value: "canary-later"})
	s.Import("p1", "prod", "shop/db", "base")
	s.Import("p1", "prod", "shop/db", "later")
	s.Put("p2", "prod", "", managerstand.Secret{Name: "A", Value: "canary"})
	s.Refuse("p2")
	for reference, want := range map[string]string{
		"p1/prod/#ROOT": "canary-root", "p1/prod/shop/db#PASSWORD": "canary-password", "p1/prod/shop/db#EMPTY": "", "p1/prod/shop/db#SHARED": "canary-later",
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		if value, found := values["A"]; err != nil || !found || value.Reveal() != want {
			t.Errorf("%s gave %q, %v, %v", reference, value.Reveal(), found, err)
		}
	}
	for reference, code := range map[string]string{
		"p1/prod/#NONE":           "manager.secret_missing",
		"p1/prod/shop/db#root":    "manager.secret_missing",
		"p1/prod/none#PASSWORD":   "manager.folder_missing",
		"p1/none/shop/db#A":       "manager.folder_missing",
		"p3/prod/#A":              "manager.folder_missing",
		"p2/prod/#A":              "manager.forbidden",
		"p1/prod/shop/db#HIDDEN":  "manager.secret_hidden",
		"p1/prod/shop/db#NUMBER":  "manager.not_text",
		"p1/prod/shop/db#NUL":     "manager.not_text",
		"p1/prod/shop/db#NOTHING": "manager.not_text",
		"p1/prod/shop/db#TWICE":   "manager.ambiguous",
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("BAD", reference), ref("GOOD", "p1/prod/#ROOT")})
		coretest.WantFault(t, err, fault.Conflict, code, reference+": ")
		if _, found := values["BAD"]; found || len(values) != 1 {
			t.Errorf("%s gave %d values", reference, len(values))
		}
	}
}

// What a reference may not be never reaches the server.
func TestBadReferencesAreNotAskedFor(t *testing.T) {
	r := newRoom(t, "p1")
	for reference, code := range map[string]string{
		"p1/prod/../x#A": "secret.bad_reference", "p1/prod//#A": "secret.bad_reference", "p1/prod#A": "secret.bad_reference",
		"p1/prod/a": "secret.bad_reference", "p2/prod/#A": "manager.project_refused", "p11/prod/#A": "manager.project_refused",
	} {
		_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		coretest.WantFault(t, err, fault.Conflict, code)
	}
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

// A folder is listed once, page by page where there are pages, however many of its secrets are named.
func TestOneFolderIsListedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		furnish func(*managerstand.Server)
		want    []string
	}{
		"whole":     {func(*managerstand.Server) {}, []string{"/api/v4/secrets"}},
		"in pages":  {func(s *managerstand.Server) { s.PageSize = 20 }, []string{"/api/v4/secrets", "/api/v4/secrets", "/api/v4/secrets"}},
		"as it was": {func(s *managerstand.Server) { s.Old() }, []string{"/api/v4/secrets", "/api/v3/secrets/raw"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, "")
			c.furnish(r.server)
			var refs []secrets.Ref
			for i := range 50 {
				r.server.Put("p1", "prod", "shop", managerstand.Secret{Name: fmt.Sprint("A", i), Value: fmt.Sprint("canary-", i)})
				refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprint("p1/prod/shop#A", i)))
			}
			values, err := r.client.Resolve(t.Context(), refs)
			if err != nil || len(values) != 50 || values["V49"].Reveal() != "canary-49" {
				t.Fatalf("%d values, %v", len(values), err)
			}
			want := []string{"POST /api/v1/auth/universal-auth/login"}
			for _, path := range c.want {
				want = append(want, "GET "+path)
			}
			if asked := r.server.Asked(); !slices.Equal(asked, want) {
				t.Errorf("the server was asked %v", asked)
			}
			if _, err := r.client.Resolve(t.Context(), refs); err != nil {
				t.Error(err)
			}
			if asked := r.server.Asked(); name == "as it was" && !slices.Equal(asked, []string{"GET /api/v3/secrets/raw"}) {
				t.Errorf("the second time the server was asked %v", asked)
			}
		})
	}
}

// A server that lists without end is not listened to without end.
func TestListsHaveALimit(t *testing.T) {
	r := newRoom(t, "")
	r.server.Always("GET /api/v4/secrets", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"secrets":[%s{"secretKey":"A","secretValue":"canary"}],"totalCount":1000000000}`, strings.Repeat(`{"secretKey":"A","secretValue":"canary"},`, 999))
	})
	_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "p1/prod/#A")})
	coretest.WantFault(t, err, fault.Conflict, "manager.too_large", "10000 entries")
}
