package engine

import (
	"context"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/client"
)

// deaf stands between a worker and its engine. After a number of changes it passes nothing on
// any more, and the last change is made but not answered: so does a worker that dies see it.
type deaf struct {
	pass *httputil.ReverseProxy
	mu   sync.Mutex
	left int  // changes that are still answered; guarded by mu
	made int  // guarded by mu
	gone bool // guarded by mu
}

func (d *deaf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock() // one after the other, so that nothing is under way when the worker is gone
	defer d.mu.Unlock()
	if d.gone {
		panic(http.ErrAbortHandler)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		d.made++
		d.left--
	}
	if d.left < 0 {
		d.gone = true
		w = lost{make(http.Header)}
	}
	d.pass.ServeHTTP(w, r)
	if d.gone {
		panic(http.ErrAbortHandler)
	}
}

// soFar returns how many changes were made, and whether the worker is gone.
func (d *deaf) soFar() (made int, gone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made, d.gone
}

// lost is an answer that nobody hears.
type lost struct{ header http.Header }

func (l lost) Header() http.Header         { return l.header }
func (l lost) Write(p []byte) (int, error) { return len(p), nil }
func (l lost) WriteHeader(int)             {}

// dying returns an engine whose worker dies when it has asked for more changes than answered.
func dying(t *testing.T, answered int) (*Engine, *deaf) {
	t.Helper()
	path, isUnix := strings.CutPrefix(open(t).docker.DaemonHost(), "unix://")
	if !isUnix {
		t.Fatalf("the tests need an engine at a Unix socket, not %s", path)
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	pass.Transport = transport
	dir, err := os.MkdirTemp("", "d") // the test's own folder has too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "d.sock"))
	if err != nil {
		t.Fatal(err)
	}
	d := &deaf{pass: pass, left: answered}
	server := &http.Server{Handler: d}
	go func() { _ = server.Serve(listener) }()
	e, err := Open(Options{Host: "unix://" + listener.Addr().String(), RegistryConfig: filepath.Join(t.TempDir(), "none.json")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); server.Close(); transport.CloseIdleConnections() })
	return e, d
}

// whole is what a project consists of, without what differs from one project to the next.
func (s *stack) whole() string {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	parts := []string{s.names(), strconv.Itoa(s.count("network")) + " networks", strconv.Itoa(s.count("volume")) + " volumes"}
	for _, c := range list {
		parts = append(parts, text(c.Traits))
	}
	return strings.ReplaceAll(strings.Join(parts, "\n"), s.Name, "NAME")
}

// everything counts containers with the project's name in theirs, whoever made them.
func (s *stack) everything() int {
	s.t.Helper()
	list, err := s.engine.docker.ContainerList(s.t.Context(), client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+s.Name)})
	if err != nil {
		s.t.Fatal(err)
	}
	return len(list.Items)
}

// Whichever change of a deployment is the last one that a worker asks for before it dies, made
// but never heard of, the next deployment ends with exactly what is wanted.
func TestAChangeThatWasMadeAndNeverHeardOf(t *testing.T) {
	t.Parallel()
	const run = `image: IMAGE, stop_signal: SIGKILL, command: [sleep, `
	for name, c := range map[string]struct{ before, file string }{
		"a first deployment": {"", `services: {web: {` + run + `"1000"], volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {}}`},
		"a recreation":       {`services: {web: {` + run + `"1000"], network_mode: none}}`, `services: {web: {` + run + `"1001"], network_mode: none}}`},
		"another network": {`services: {web: {` + run + `"1000"], networks: [one]}}` + "\n" + `networks: {one: {}}`,
			`services: {web: {` + run + `"1000"], networks: [one]}}` + "\n" + `networks: {one: {internal: true}}`},
		"replicas and an orphan": {`services: {web: {` + run + `"1000"], network_mode: none}, old: {` + run + `"1000"], network_mode: none}}`,
			`services: {web: {` + run + `"1000"], network_mode: none, scale: 2}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deploy := func(t *testing.T, answered int) (*stack, *deaf, error) {
				s := newStack(t, c.before)
				if c.before != "" {
					s.apply()
				}
				s.set(c.file)
				e, d := dying(t, answered)
				return s, d, e.Apply(t.Context(), s.Project, s.note)
			}
			s, d, err := deploy(t, 1000)
			if err != nil {
				t.Fatal(err)
			}
			want, count := s.whole(), s.everything()
			changes, _ := d.soFar()
			for answered := range changes {
				t.Run(strconv.Itoa(answered), func(t *testing.T) {
					t.Parallel()
					s, d, err := deploy(t, answered)
					if _, gone := d.soFar(); err == nil || !gone {
						t.Fatalf("the worker lived: %v", err)
					}
					left := s.names()
					s.apply()
					if got := s.whole(); got != want || s.everything() != count {
						t.Errorf("after dying with %q there is\n%s\nwant\n%s\nlog %q", left, got, want, s.lines)
					}
				})
			}
		})
	}
}
