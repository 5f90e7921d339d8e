package watch

import (
	"crypto/tls"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/local/e2e/rig"
	"berth/local/stand/prometheus"
)

// site is the whole program with a worker inside, behind a proxy that ends TLS, and a folder with what
// a Prometheus before it is given.
type site struct {
	*rig.Server
	worker core.WorkerID
	app    string // APP_URL
	key    string // of a monitor
	dir    string

	mu    sync.Mutex
	types map[string]string // of what was answered last, by path
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), types: map[string]string{}}
	var inner atomic.Pointer[url.URL] // set before anybody asks
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(inner.Load()); r.Out.Host = r.In.Host },
		ModifyResponse: s.saw,
	})
	proxy.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	s.app = proxy.URL
	s.Server = rig.Start(t, rig.Options{LocalWorker: true, Environment: map[string]string{"APP_URL": s.app}})
	address, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	inner.Store(address)
	s.worker = s.InsideWorker()
	s.key = s.IssueKey(s.Account(access.RoleMonitoring), never).Key
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.Certificate().Raw})
	s.write(t, "authority.pem", string(authority))
	s.write(t, "berth-key", s.key)
	s.write(t, "berth-credentials", "X-Service-Api-Key: "+s.key+"\n")
	for _, name := range []string{"rules.yaml", "alerts.yaml"} {
		s.write(t, name, read(t, name))
	}
	return s
}

// saw notes the type of an answer of the server.
func (s *site) saw(answer *http.Response) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[answer.Request.URL.Path] = answer.Header.Get("Content-Type")
	return nil
}

func (s *site) typeOf(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.types[path]
}

func (s *site) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// shipped is a configuration of this folder, with this site's address and authority, and in a hurry.
func (s *site) shipped(t *testing.T, name string) string {
	t.Helper()
	const address, interval, found = "https://berth.example.com", ": 30s", "    http_sd_configs:"
	text := read(t, name)
	if strings.Count(text, address) != 1 || strings.Count(text, interval) != 2 || strings.Count(text, found) != 1 {
		t.Fatalf("%s is not as this test takes it to be", name)
	}
	const trust = "    tls_config: { ca_file: authority.pem }\n"
	text = strings.ReplaceAll(text, interval, ": 1s")
	text = strings.Replace(text, found, trust+found, 1)
	return strings.Replace(text, address+"/api/custom/metrics/targets\n", s.app+"/api/custom/metrics/targets\n    "+trust, 1)
}

// run starts a Prometheus with a configuration.
func (s *site) run(t *testing.T, program, config string) *prometheus.Server {
	t.Helper()
	return prometheus.Start(t, program, s.dir, config)
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
