package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/policy"
	"berth/core/secrets"
	"berth/hub/worker"
)

// thisRun is part of every name that is given to the engine, so that two runs of these tests
// do not meet there.
var thisRun = strings.ToLower(rand.Text()[:6])

// testImage is made from the host's static busybox: the tests need a real engine, and no
// registry.
var testImage = "berth-test/engine:" + thisRun

// TestMain lets more tests run at the same time than there are processors, unless -parallel
// says otherwise: what they do most is wait for the engine.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "6"); err != nil {
			panic(err)
		}
	}
	remove, err := importImage()
	if err != nil {
		fmt.Fprintln(os.Stderr, "These tests need a Docker engine and /bin/busybox (package busybox-static):", err)
		os.Exit(1)
	}
	code := m.Run()
	remove()
	os.Exit(code)
}

func importImage() (remove func(), err error) {
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return nil, err
	}
	busybox, err := os.ReadFile("/bin/busybox")
	if err != nil {
		return nil, err
	}
	var image bytes.Buffer
	w := tar.NewWriter(&image)
	files := []tar.Header{{Name: "bin/", Mode: 0o755, Typeflag: tar.TypeDir}, {Name: "tmp/", Mode: 0o777, Typeflag: tar.TypeDir},
		{Name: "bin/busybox", Mode: 0o755, Size: int64(len(busybox)), Typeflag: tar.TypeReg}}
	for _, name := range []string{"sh", "sleep", "echo", "cat", "env", "true", "false", "test", "touch", "base64"} {
		files = append(files, tar.Header{Name: "bin/" + name, Linkname: "busybox", Typeflag: tar.TypeSymlink})
	}
	for _, h := range files {
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(busybox); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := docker.ImageImport(ctx, client.ImageImportSource{Source: &image, SourceName: "-"}, testImage, client.ImageImportOptions{})
	if err != nil {
		return nil, err
	}
	_, err = new(bytes.Buffer).ReadFrom(answer) // the import ends with its answer
	return func() {
		_, _ = docker.ImageRemove(context.Background(), testImage, client.ImageRemoveOptions{Force: true})
		docker.Close()
	}, err
}

func open(t *testing.T) *Engine {
	t.Helper()
	allowed, err := policy.Of([]string{"capabilities"}) // which one test changes by hand
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(Options{RegistryConfig: filepath.Join(t.TempDir(), "none.json"), Policy: allowed})
	if err != nil {
		t.Fatal(err)
	}
	e.quoteWithin = patience
	t.Cleanup(func() { e.Close() })
	return e
}

// patience is for what takes as long as it takes on a busy machine.
const patience = 10 * time.Minute

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// stack is one project on the engine; it is taken down when the test ends.
type stack struct {
	worker.Project
	t      *testing.T
	engine *Engine
	lines  []string // of the last operation
	given  string   // the id of what a person made before
}

// sleeper is a compose service that runs until it is stopped, which takes no time. It has no
// network: engines have few addresses to give to networks, and take their time.
var sleeper = "{image: " + testImage + ", command: [sleep, '3600'], stop_signal: SIGKILL, network_mode: none}"

// attached is a sleeper on the project's network.
var attached = "{image: " + testImage + ", command: [sleep, '3600'], stop_signal: SIGKILL}"

func newStack(t *testing.T, yaml string) *stack {
	t.Helper()
	dir := t.TempDir()
	s := &stack{t: t, engine: open(t), Project: worker.Project{
		Name:          "berthtest-" + thisRun + "-" + notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"),
		Secrets:       map[string]secrets.Value{},
		ContentDir:    dir + "/content/",
		StateDir:      dir + "/state/",
		Labels:        map[string]string{worker.LabelStack: "stk_test", worker.LabelRevision: "1"},
		DigestKey:     []byte("0123456789abcdef0123456789abcdef"),
		RemoveOrphans: true,
	}}
	s.set(yaml)
	t.Cleanup(s.down)
	return s
}

// down leaves nothing of the project, which may have ended before.
func (s *stack) down() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.engine.Down(ctx, s.Name, "stk_test", true, func(string) {}); err != nil {
		s.t.Errorf("take %s down: %v", s.Name, err)
	}
}

// set replaces the project's YAML; IMAGE stands for the test's image.
func (s *stack) set(yaml string) { s.YAML = []byte(strings.ReplaceAll(yaml, "IMAGE", testImage)) }

func (s *stack) secret(name, value string) { s.Secrets[name] = secrets.NewValue(value) }

func (s *stack) content(path, text string) {
	s.t.Helper()
	full := filepath.Join(s.ContentDir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// state writes a file to the stack's folder.
func (s *stack) state(path string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.StateDir, path), nil, 0o644); err != nil {
		s.t.Error(err)
	}
}

func (s *stack) note(line string) { s.lines = append(s.lines, line) }

func (s *stack) tryApply() error {
	s.lines = nil
	return s.engine.Apply(s.t.Context(), s.Project, s.note)
}

// apply brings the project up, and tries again where the fault says so: an engine with the tests
// of a whole project on it breaks an answer off now and then.
func (s *stack) apply() {
	s.t.Helper()
	err := s.tryApply()
	for range 2 {
		if fault.CodeOf(err) == "engine.failed" {
			s.t.Log(err)
			err = s.tryApply()
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stack) verify(timeout, stable time.Duration) error {
	s.lines = nil
	return s.engine.Verify(s.t.Context(), s.Project, timeout, stable, s.note)
}

func (s *stack) containers() map[string]worker.ProjectContainer {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	byService := map[string]worker.ProjectContainer{}
	for _, c := range list {
		byService[c.Service] = c
	}
	return byService
}

// replaced returns the services whose container is another one than before.
func (s *stack) replaced(before map[string]worker.ProjectContainer) string {
	s.t.Helper()
	var names []string
	for name, c := range s.containers() {
		if before[name].ContainerID != c.ContainerID {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// output waits for a service to end and returns what it wrote.
func (s *stack) output(service string) string {
	s.t.Helper()
	s.until(service+" has ended", func() bool { return s.containers()[service].State == "exited" })
	var out bytes.Buffer
	if err := s.engine.Logs(s.t.Context(), s.Name, service, worker.LogAsk{Tail: 1000}, &out); err != nil {
		s.t.Fatal(err)
	}
	return out.String()
}

// until waits for a condition.
func (s *stack) until(what string, holds func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited too long until %s; log: %q", what, s.lines)
		}
		select {
		case <-s.t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *stack) hasLine(part string) bool {
	for _, line := range s.lines {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}

// count returns how many volumes or networks the project has.
func (s *stack) count(kind string) int {
	s.t.Helper()
	filters := make(client.Filters).Add("label", "com.docker.compose.project="+s.Name)
	if kind == "volume" {
		list, err := s.engine.docker.VolumeList(s.t.Context(), client.VolumeListOptions{Filters: filters})
		if err != nil {
			s.t.Fatal(err)
		}
		return len(list.Items)
	}
	list, err := s.engine.docker.NetworkList(s.t.Context(), client.NetworkListOptions{Filters: filters})
	if err != nil {
		s.t.Fatal(err)
	}
	return len(list.Items)
}
