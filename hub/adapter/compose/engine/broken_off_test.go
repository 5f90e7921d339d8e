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
					w.Write([]byte(answer))
				}
			})}
			go func() { _ = server.Serve(listener) }()
			t.Cleanup(func() { server.Close() })
			e, err := Open(Options{Host: "unix://" + listener.Addr().String(), RegistryConfig: filepath.Join(dir, "none.json")})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			err = e.Apply(t.Context(), worker.Project{Name: "broken-off", YAML: []byte("services: {web: " + sleeper + "}"), Labels: map[string]string{worker.LabelStack: "stk_test"},
				ContentDir: dir + "/content/", StateDir: dir + "/state/", DigestKey: []byte("0123456789abcdef0123456789abcdef")}, func(string) {})
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "engine.failed" || strings.Contains(f.Public, "Compose file") || f.Cause == nil {
				t.Errorf("it fails with %v", err)
			}
		})
	}
}
