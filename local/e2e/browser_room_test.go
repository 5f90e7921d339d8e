package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/config"
	"berth/local/allinone"
	"berth/local/e2e/rig"
	"berth/local/stand/githost"
)

const (
	roomToken    = "bootstrap-token-of-this-room"
	roomPassword = "correct horse battery"
	roomImage    = "berth-e2e/pages:1"
)

// room is the whole program with a worker inside, and a Git host beside it.
type room struct {
	t      *testing.T
	url    string // of the server
	git    *githost.Host
	gitURL string // of the repository
	stack  string // a name that no other test uses
	log    lockedBuffer
	cfg    allinone.Config
	stop   func() // ends the server and waits; it may be started again
}

// lockedBuffer keeps what the server logs, to be shown when a test fails.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// openRoom starts the program. Everything in it ends with the test, containers included.
func openRoom(t *testing.T) *room { return openRoomWith(t, nil) }

// openRoomWith has more variables.
func openRoomWith(t *testing.T, more map[string]string) *room {
	t.Helper()
	r := &room{t: t, stack: "pages-" + suffix()}
	r.startGit()
	if out, err := exec.Command("sh", filepath.Join("..", "make", "demo-image.sh"), roomImage).CombinedOutput(); err != nil {
		t.Fatalf("make the image: %v\n%s", err, out)
	}
	dir := t.TempDir()
	web, workers := rig.FreePort(t), rig.FreePort(t)
	r.url = "http://localhost:" + web
	environment := map[string]string{"SECRET_KEY": suffix() + suffix() + suffix() + suffix() + suffix() + suffix() + suffix() + suffix(), "BOOTSTRAP_TOKEN": roomToken, "APP_URL": r.url, "PORT": web,
		"TLS_WORKER_PORT": workers, "DATA_DIR": dir, "LOCAL_WORKER": "true", "SCAN_INTERVAL": "1s", "HEARTBEAT_INTERVAL": "2", "LOG_LEVEL": "info"}
	maps.Copy(environment, more)
	server, problems, _ := config.LoadServer(func(name string) (string, bool) { v, found := environment[name]; return v, found }, nil)
	if len(problems) > 0 {
		t.Fatal(config.Explain(problems))
	}
	r.cfg = allinone.Config{Server: server, Version: "e2e", Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		WorkerDataDir: filepath.Join(dir, "worker"), WorkerStackDir: filepath.Join(dir, "worker", "stacks")}
	t.Cleanup(func() {
		r.stop()
		r.removeContainers()
		if t.Failed() {
			t.Logf("the server's log:\n%s", r.log.String())
		}
	})
	r.start()
	return r
}

func (r *room) startGit() {
	r.git = githost.New(r.t.TempDir())
	if err := r.git.Create("apps"); err != nil {
		r.t.Fatal(err)
	}
	r.commit("Begin", map[string]string{"shop/compose.yaml": shopCompose("1"), "README.md": "Two folders to deploy.\n",
		"other/compose.yaml": "services:\n  idle:\n    image: " + roomImage + "\n"})
	host := httptest.NewServer(r.git)
	r.t.Cleanup(host.Close)
	r.gitURL = host.URL + r.git.Path("apps")
}

func (r *room) commit(message string, files map[string]string) string {
	r.t.Helper()
	hash, err := r.git.Commit("apps", "main", files, message)
	if err != nil {
		r.t.Fatal(err)
	}
	return hash
}

// shopCompose is a stack that needs one variable and says when it is well.
func shopCompose(number string) string {
	return `services:
  web:
    image: ` + roomImage + `
    environment:
      NUMBER: "` + number + `"
      SHOW: GREETING
      GREETING: ${GREETING:-hello}
    healthcheck:
      test: ["CMD", "/app", "health"]
      interval: 1s
      timeout: 2s
      retries: 10
`
}

// start starts the server, for the first time or again.
func (r *room) start() {
	r.t.Helper()
	cfg := r.cfg
	ctx, stop := context.WithCancel(context.Background())
	ready, ended, once := make(chan struct{}), make(chan error, 1), sync.Once{}
	cfg.Ready = func(allinone.Addresses) { once.Do(func() { close(ready) }) } // and again after a restore
	go func() { ended <- allinone.Run(ctx, cfg) }()
	r.stop = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			r.t.Error("the server ended with", err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		r.t.Fatal("the server did not start: ", err)
	case <-time.After(20 * time.Second):
		r.t.Fatal("the server did not start in time")
	}
}

func (r *room) removeContainers() {
	label := "label=com.docker.compose.project=" + r.stack
	out, err := exec.Command("docker", "ps", "--all", "--quiet", "--filter", label).Output()
	if ids := strings.Fields(string(out)); err == nil && len(ids) > 0 {
		err = exec.Command("docker", append([]string{"rm", "--force", "--volumes"}, ids...)...).Run()
	}
	if out, netErr := exec.Command("docker", "network", "ls", "--quiet", "--filter", label).Output(); netErr == nil && len(out) > 0 {
		err = exec.Command("docker", append([]string{"network", "rm"}, strings.Fields(string(out))...)...).Run()
	}
	if err != nil {
		r.t.Error("containers were left behind:", err)
	}
}

// status fetches an address with the cookies of a browser and returns the status.
func (r *room) status(cookie, path string) int {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Cookie", cookie)
	request.Header.Set("Accept", "text/html")
	client := http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func suffix() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// artifact is where a test leaves something to look at.
func artifact(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}
