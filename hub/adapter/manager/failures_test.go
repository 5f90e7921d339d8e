package manager_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	"berth/local/stand/faultyhttp"
	"berth/local/stand/managerstand"
)

// What fails as a whole is told once, whether it shows at the login or later, and whoever asks.
func TestServerFailures(t *testing.T) {
	cases := map[string]struct {
		fault faultyhttp.Fault
		kind  fault.Kind
		code  string
		says  string
		after time.Duration
	}{
		"429":                  {faultyhttp.Status(429, `{"error":"canary"}`, "Retry-After", "40"), fault.Unavailable, "manager.busy", "429", 40 * time.Second},
		"500":                  {faultyhttp.Status(500, `{"error":"InternalServerError","message":"canary"}`), fault.Unavailable, "manager.failed", "(500)", 0},
		"502 of a proxy":       {faultyhttp.Status(502, `<html>canary</html>`), fault.Unavailable, "manager.failed", "(502)", 0},
		"a gigabyte":           {faultyhttp.Huge(), fault.Conflict, "manager.too_large", "1 MiB", 0},
		"cut":                  {faultyhttp.Cut(), fault.Unavailable, "manager.unreachable", "broke", 0},
		"not JSON":             {faultyhttp.Status(200, `<html>canary</html>`), fault.Conflict, "manager.malformed", "makes no sense", 0},
		"JSON, cut":            {faultyhttp.Status(200, `{"secrets":[{"secretKey":"A","secretValue":"canary`), fault.Conflict, "manager.malformed", "makes no sense", 0},
		"JSON of another form": {faultyhttp.Status(200, `["canary"]`), fault.Conflict, "manager.malformed", "makes no sense", 0},
		"404 of a proxy":       {faultyhttp.Status(404, `canary`), fault.Conflict, "manager.malformed", "makes no sense", 0},
		"204":                  {faultyhttp.Status(204, ``), fault.Conflict, "manager.failed", "204", 0},
		"another host":         {faultyhttp.Redirect("https://elsewhere.example"), fault.Conflict, "manager.redirected", `"https://elsewhere.example"`, 0},
	}
	for name, c := range cases {
		for when, on := range map[string]string{"login": "POST ", "questions": "GET "} {
			t.Run(name+", "+when, func(t *testing.T) {
				r := newRoom(t, "p1")
				r.server.Put("p1", "prod", "shop", managerstand.Secret{Name: "A", Value: "canary-value"})
				r.server.Always(on, c.fault)
				var refs []secrets.Ref
				for i := range 20 {
					refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("p1/prod/shop%d#A", i)))
				}
				values, err := r.client.Resolve(t.Context(), refs)
				coretest.WantFault(t, err, c.kind, c.code, c.says)
				if len(values) != 0 || strings.Count(fault.PublicOf(err), c.says) != 1 {
					t.Errorf("%d values; it is told more than once: %s", len(values), fault.PublicOf(err))
				}
				var known *fault.Error
				if errors.As(err, &known) && known.RetryAfter != c.after {
					t.Errorf("retry after %v, want %v", known.RetryAfter, c.after)
				}
				coretest.WantFault(t, r.client.Test(t.Context()), c.kind, c.code, c.says)
				for _, step := range []integrations.Step{{Kind: integrations.StepProjects}, {Kind: integrations.StepEnvironments, Project: "p1"},
					{Kind: integrations.StepSecrets, Project: "p1", Environment: "prod"}} {
					_, err := r.client.Pick(t.Context(), step)
					coretest.WantFault(t, err, c.kind, c.code, c.says)
				}
				r.server.Heal()
				if values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "p1/prod/shop#A")}); err != nil || values["A"].Reveal() != "canary-value" {
					t.Errorf("when it is well again: %v", err)
				}
			})
		}
	}
}

// Nothing is sent to where a redirect leads.
func TestNoRedirectIsFollowed(t *testing.T) {
	other := &faultyhttp.Switch{Handler: http.NotFoundHandler()}
	elsewhere := httptest.NewServer(other)
	defer elsewhere.Close()
	for _, on := range []string{"POST ", "GET "} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			r := newRoom(t, "")
			r.server.Always(on, faultyhttp.Status(status, "", "Location", elsewhere.URL+"/api/v4/secrets"))
			_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "p1/prod/#A")})
			coretest.WantFault(t, err, fault.Conflict, "manager.redirected", elsewhere.URL)
		}
	}
	if asked := other.Asked(); len(asked) != 0 {
		t.Errorf("the other host was asked: %v", asked)
	}
}

// Nobody waits longer than the limit, however the answer is held back.
func TestSlowServers(t *testing.T) {
	for name, slow := range map[string]faultyhttp.Fault{"silent": faultyhttp.Silent(), "dripping": faultyhttp.Dripping()} {
		for when, on := range map[string]string{"login": "POST ", "questions": "GET "} {
			t.Run(name+", "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := newServer()
					server.Always(on, slow)
					pipe, end := faultyhttp.Serve(server)
					defer end()
					client := newClient(t, "http://manager.test", "", outbound.Options{Dial: pipe.Dial})
					defer client.Close()
					var refs []secrets.Ref
					for i := range 100 {
						refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("p1/prod/shop%d#A", i)))
					}
					began := time.Now()
					_, err := client.Resolve(t.Context(), refs)
					coretest.WantFault(t, err, fault.Unavailable, "manager.slow", "within 10 seconds")
					if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
						t.Errorf("it took %v", took)
					}
				})
			})
		}
	}
}

func TestWhoAnswersIsNotTrustedOrNobodyDoes(t *testing.T) {
	secure := httptest.NewUnstartedServer(newServer())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	if err := newClient(t, secure.URL, "p1", outbound.Options{Roots: roots, Limit: patient.Limit}).Test(t.Context()); err != nil {
		t.Error(err)
	}
	coretest.WantFault(t, newClient(t, secure.URL, "p1", patient).Test(t.Context()), fault.Conflict, "manager.untrusted", "nobody whom this system trusts")
	r := newRoom(t, "")
	r.http.Close()
	coretest.WantFault(t, r.client.Test(t.Context()), fault.Unavailable, "manager.unreachable", r.http.URL)
}

func TestServerOfAnotherKind(t *testing.T) {
	r := newRoom(t, "p1")
	r.server.Always("GET ", faultyhttp.Status(404, `{"message":"Route GET:/x not found","error":"Not Found","statusCode":404}`))
	_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "p1/prod/#A")})
	coretest.WantFault(t, err, fault.Conflict, "manager.malformed", "no API that Berth knows")
	r.server.Always("POST ", faultyhttp.Status(404, `{"message":"Route POST:/x not found","error":"Not Found","statusCode":404}`))
	coretest.WantFault(t, newClient(t, r.http.URL, "", patient).Test(t.Context()), fault.Conflict, "manager.malformed")
}

func TestBadSettings(t *testing.T) {
	for _, address := range []string{"", "host", "ftp://host", "https://host/api", "https://user:canary@host"} {
		_, err := manager.New(manager.Settings{SiteURL: address, ClientID: "id", ClientSecret: secrets.NewValue("canary")}, outbound.Options{})
		coretest.WantFault(t, err, fault.Conflict, "manager.address", "Settings, Integrations")
	}
	for _, s := range []manager.Settings{{SiteURL: "https://host", ClientID: "id"}, {SiteURL: "https://host", ClientSecret: secrets.NewValue("canary")}} {
		_, err := manager.New(s, outbound.Options{})
		coretest.WantFault(t, err, fault.Conflict, "manager.credential_refused")
	}
}
