package vault_test

import (
	"crypto/tls"
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
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/vault"
	"berth/local/stand/faultyhttp"
	"berth/local/stand/vaultstand"
)

// What fails as a whole is told once, whoever asks.
func TestServerFailures(t *testing.T) {
	type failure struct {
		fault faultyhttp.Fault
		kind  fault.Kind
		code  string
		says  string
		after time.Duration
	}
	cases := map[string]failure{
		"V1 sealed":             {faultyhttp.Status(503, `{"errors":["Vault is sealed"]}`), fault.Unavailable, "vault.sealed", "unseal it", 0},
		"V1 standby, no leader": {faultyhttp.Status(500, `{"errors":["local node not active but active cluster node not found"]}`), fault.Unavailable, "vault.standby", "no other server leads", 0},
		"V1 429":                {faultyhttp.Status(429, `{"errors":["request path \"canary\": rate limit quota exceeded"]}`, "Retry-After", "7"), fault.Unavailable, "vault.busy", "(429)", 7 * time.Second},
		"V1 500":                {faultyhttp.Status(500, `{"errors":["canary: internal error"]}`), fault.Unavailable, "vault.failed", "(500)", 0},
		"V1 502 of a proxy":     {faultyhttp.Status(502, `<html>canary</html>`), fault.Unavailable, "vault.failed", "(502)", 0},
		"V1 503 with a time":    {faultyhttp.Status(503, ``, "Retry-After", "99999999"), fault.Unavailable, "vault.failed", "(503)", time.Hour},
		"400":                   {faultyhttp.Status(400, `{"errors":["canary"]}`), fault.Conflict, "vault.failed", "status 400", 0},
		"V2 a gigabyte":         {faultyhttp.Huge(), fault.Conflict, "vault.too_large", "1 MiB", 0},
		"cut":                   {faultyhttp.Cut(), fault.Unavailable, "vault.unreachable", "broke", 0},
		"not JSON":              {faultyhttp.Status(200, `<html>canary</html>`), fault.Conflict, "vault.malformed", "makes no sense", 0},
		"JSON, cut":             {faultyhttp.Status(200, `{"data":{"data":{"key":"canary`), fault.Conflict, "vault.malformed", "makes no sense", 0},
		"JSON of another form":  {faultyhttp.Status(200, `{"data":["canary"]}`), fault.Conflict, "vault.malformed", "makes no sense", 0},
		"404 of a proxy":        {faultyhttp.Status(404, `canary`), fault.Conflict, "vault.malformed", "makes no sense", 0},
		"V8 another host":       {faultyhttp.Redirect("https://elsewhere.example"), fault.Conflict, "vault.redirected", `"https://elsewhere.example"`, 0},
		"V8 another path":       {faultyhttp.Redirect(""), fault.Conflict, "vault.redirected", "another path", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, "kv")
			r.server.Put("kv", "app", map[string]any{"key": "canary-value"})
			r.server.Always("", c.fault)
			var refs []secrets.Ref
			for i := range 20 {
				refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/app%d#key", i)))
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
			for _, step := range []integrations.Step{{Kind: integrations.StepMounts}, {Kind: integrations.StepPaths, Mount: "kv"}, {Kind: integrations.StepFields, Mount: "kv", Path: "app"}} {
				_, err := r.client.Pick(t.Context(), step)
				coretest.WantFault(t, err, c.kind, c.code, c.says)
			}
			r.server.Heal()
			if values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")}); err != nil || values["A"].Reveal() != "canary-value" {
				t.Errorf("when it is well again: %v", err)
			}
		})
	}
}

// V8: nothing is sent to where a redirect leads.
func TestNoRedirectIsFollowed(t *testing.T) {
	other := &faultyhttp.Switch{Handler: http.NotFoundHandler()}
	elsewhere := httptest.NewServer(other)
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := newRoom(t, "kv")
		r.server.Always("", faultyhttp.Status(status, "", "Location", elsewhere.URL+"/v1/kv/data/app"))
		_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")})
		coretest.WantFault(t, err, fault.Conflict, "vault.redirected", elsewhere.URL)
	}
	if asked := other.Asked(); len(asked) != 0 {
		t.Errorf("the other host was asked: %v", asked)
	}
}

// V2: nobody waits longer than the limit, however the answer is held back.
func TestSlowServers(t *testing.T) {
	for name, slow := range map[string]faultyhttp.Fault{"silent": faultyhttp.Silent(), "dripping": faultyhttp.Dripping()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := vaultstand.New()
				server.Issue(token, vaultstand.Token{})
				server.Always("", slow)
				pipe, end := faultyhttp.Serve(server)
				defer end()
				client := newClient(t, "http://vault.test:8200", "", outbound.Options{Dial: pipe.Dial})
				defer client.Close()
				var refs []secrets.Ref
				for i := range 100 {
					refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/app%d#key", i)))
				}
				began := time.Now()
				_, err := client.Resolve(t.Context(), refs)
				coretest.WantFault(t, err, fault.Unavailable, "vault.slow", "within 10 seconds")
				if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
					t.Errorf("it took %v", took)
				}
				began = time.Now()
				coretest.WantFault(t, client.Test(t.Context()), fault.Unavailable, "vault.slow", "within 10 seconds")
				if took := time.Since(began); took > 11*time.Second {
					t.Errorf("the test took %v", took)
				}
			})
		})
	}
}

// A server that is only just fast enough for each question is not waited for without end.
func TestAllReferencesTogetherHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := vaultstand.New()
		server.Issue(token, vaultstand.Token{})
		server.Latency = 9 * time.Second
		pipe, end := faultyhttp.Serve(server)
		defer end()
		client := newClient(t, "http://vault.test:8200", "", outbound.Options{Dial: pipe.Dial})
		defer client.Close()
		var refs []secrets.Ref
		for i := range 100 {
			server.Put("kv", fmt.Sprint("app", i), map[string]any{"key": "canary"})
			refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/app%d#key", i)))
		}
		began := time.Now()
		values, err := client.Resolve(t.Context(), refs)
		coretest.WantFault(t, err, fault.Unavailable, "vault.slow")
		if took := time.Since(began); took > 31*time.Second || len(values) == 0 {
			t.Errorf("it took %v and brought %d values", took, len(values))
		}
	})
}

func TestUntrustedCertificates(t *testing.T) {
	server := vaultstand.New()
	server.Issue(token, vaultstand.Token{})
	server.Put("kv", "app", map[string]any{"key": "canary-value"})
	secure := httptest.NewUnstartedServer(server)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(server)
	defer plain.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	old := httptest.NewUnstartedServer(server)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	refs := []secrets.Ref{ref("A", "kv/data/app#key")}
	for name, c := range map[string]struct {
		address string
		roots   *x509.CertPool
		says    string
	}{
		"an unknown authority": {secure.URL, nil, "nobody whom this system trusts"},
		"another name":         {strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), roots, "another name"},
		"no TLS at all":        {strings.Replace(plain.URL, "http://", "https://", 1), roots, "without TLS"},
		"too old a TLS":        {old.URL, roots, "handshake failed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, c.address, "", outbound.Options{Roots: c.roots, Limit: patient.Limit}).Resolve(t.Context(), refs)
			coretest.WantFault(t, err, fault.Conflict, "vault.untrusted", c.says)
		})
	}
	values, err := newClient(t, secure.URL, "", outbound.Options{Roots: roots, Limit: patient.Limit}).Resolve(t.Context(), refs)
	if err != nil || values["A"].Reveal() != "canary-value" {
		t.Errorf("a trusted server: %v", err)
	}
	coretest.WantFault(t, newClient(t, strings.Replace(secure.URL, "https://", "http://", 1), "", patient).Test(t.Context()), fault.Conflict, "vault.failed", "400")
}

func TestNobodyAnswers(t *testing.T) {
	r := newRoom(t, "")
	r.http.Close()
	_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")})
	coretest.WantFault(t, err, fault.Unavailable, "vault.unreachable", r.http.URL)
	_, err = newClient(t, "http://no-such-host.invalid", "", patient).Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")})
	coretest.WantFault(t, err, fault.Unavailable, "vault.unreachable", "no-such-host.invalid")
}

func TestBadSettings(t *testing.T) {
	for _, address := range []string{"", "vault", "ftp://vault", "http://", "https://user:canary@vault", "https://vault/ui", "https://vault?x=1", "unix:///run/vault.sock", "http://a b"} {
		_, err := vault.New(vault.Settings{Address: address, Token: secrets.NewValue(token)}, outbound.Options{})
		coretest.WantFault(t, err, fault.Conflict, "vault.address", "Settings, Integrations")
	}
	for _, bad := range []string{"", "canary\n", "canary token", "canaryé"} {
		_, err := vault.New(vault.Settings{Address: "https://vault", Token: secrets.NewValue(bad)}, outbound.Options{})
		coretest.WantFault(t, err, fault.Conflict, "vault.token_invalid")
	}
}
