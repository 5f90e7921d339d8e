package engine

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/hub/worker"
)

// TestAnAnswerThatIsBrokenOff is the engine's fault, and not the Compose file's.
func TestAnAnswerThatIsBrokenOff(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"before it begins": "", "in the middle": `[{"Id": "abc", "Na`} {
		t.Run(name, func(t *testing.T) {
			e := openAnswering(t, func(string) string { return answer })
			dir := t.TempDir()
			err := e.Apply(t.Context(), worker.Project{Name: "broken-off", YAML: []byte("services: {web: " + sleeper + "}"), Labels: map[string]string{worker.LabelStack: "stk_test"},
				ContentDir: dir + "/content/", StateDir: dir + "/state/", DigestKey: []byte("0123456789abcdef0123456789abcdef")}, func(string) {})
			expectBrokenOff(t, err)
			if err != nil && strings.Contains(err.Error(), "Compose file") {
				t.Errorf("it blames the file: %v", err)
			}
		})
	}
}

// TestUsageOfAContainerThatEnds: the engine answers with nothing when a container ends while it is looked at. An answer
// that breaks off in its middle is a fault.
func TestUsageOfAContainerThatEnds(t *testing.T) {
	t.Parallel()
	ended := ""
	e := openAnswering(t, func(path string) string {
		switch {
		case strings.HasSuffix(path, "/containers/json"):
			return `[{"Id": "runs", "Labels": {"com.docker.compose.service": "web"}}, {"Id": "ends", "Labels": {"com.docker.compose.service": "once"}}]`
		case strings.HasSuffix(path, "/runs/stats"):
			return `{"cpu_stats": {"cpu_usage": {"total_usage": 7}}, "memory_stats": {"usage": 100}}`
		}
		return ended
	})
	found, err := e.Usage(t.Context())
	if err != nil || len(found) != 1 || found[0].Service != "web" || found[0].CPU != 7 || found[0].Memory != 100 {
		t.Errorf("found %+v, %v", found, err)
	}
	ended = `{"cpu_stats": {`
	_, err = e.Usage(t.Context())
	expectBrokenOff(t, err)
}

// openAnswering opens an engine that answers with what answer gives for a request's path.
func openAnswering(t *testing.T, answer func(path string) string) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "b") // the test's own folder has too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "b.sock"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Api-Version", "1.41")
		if !strings.HasSuffix(r.URL.Path, "/_ping") {
			w.Write([]byte(answer(r.URL.Path)))
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	e, err := Open(Options{Host: "unix://" + listener.Addr().String(), RegistryConfig: filepath.Join(dir, "none.json")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func expectBrokenOff(t *testing.T, err error) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "engine.failed" || f.Cause == nil {
		t.Errorf("it fails with %v", err)
	}
}
