package rig

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Engine is a container engine beside the machine's own, with nothing but the image of the
// tests. Its containers have no network.
type Engine struct {
	t    testing.TB
	Host string // for DOCKER_HOST
}

// StartEngine starts one, which ends with the test.
func StartEngine(t testing.TB) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "eng") // short: it holds sockets, whose paths are bounded
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{t: t, Host: "unix://" + filepath.Join(dir, "s")}
	log := &Log{}
	// In a network of its own: one without a bridge removes docker0, which is the first engine's.
	cmd := exec.Command("unshare", "--net", "dockerd", "--host", e.Host, "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "x"),
		"--pidfile", filepath.Join(dir, "pid"), "--bridge", "none", "--iptables=false", "--ip6tables=false")
	cmd.Stdout, cmd.Stderr = log, log
	end := run(t, cmd)
	t.Cleanup(func() {
		e.removeContainers()
		end()
		if t.Failed() {
			t.Logf("the end of the second engine's log:\n%s", log.Tail(30))
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Log(err)
		}
	})
	Until(t, Soon, "the second engine", func() (bool, string) {
		_, err := e.docker("version")
		return err == nil, log.Tail(3)
	})
	e.load(Image(t))
	return e
}

// Docker runs one docker command against this engine, which must work.
func (e *Engine) Docker(args ...string) string {
	e.t.Helper()
	out, err := e.docker(args...)
	if err != nil {
		e.t.Fatalf("docker %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (e *Engine) docker(args ...string) (string, error) {
	return docker(nil, append([]string{"--host", e.Host}, args...)...)
}

// load copies an image from the machine's engine.
func (e *Engine) load(image string) {
	e.t.Helper()
	archive := filepath.Join(e.t.TempDir(), "image.tar")
	Docker(e.t, "save", "--output", archive, image)
	e.Docker("load", "--input", archive)
}

func (e *Engine) removeContainers() {
	out, err := e.docker("ps", "--all", "--quiet")
	if ids := strings.Fields(out); err == nil && len(ids) > 0 {
		_, err = e.docker(append([]string{"rm", "--force", "--volumes"}, ids...)...)
	}
	if err != nil {
		e.t.Logf("containers of the second engine stay: %v", err)
	}
}

// run starts a process in a group of its own; end asks it to end, and ends it when it does not.
func run(t testing.TB, cmd *exec.Cmd) (end func()) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // however it ends, it is over
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-ctx.Done():
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	}
}
