// Package reals3 starts a real S3 server, versitygw over a folder, for tests. make test-real builds it.
package reals3

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Server is a server that runs until the test has ended.
type Server struct {
	Endpoint, Region, Bucket, AccessKey, SecretKey string
	Dir                                            string // of the objects
}

// Program is where versitygw is; BERTH_REAL_S3 says so.
func Program(t testing.TB) string {
	t.Helper()
	path := os.Getenv("BERTH_REAL_S3")
	if path == "" {
		t.Fatal("BERTH_REAL_S3 must name the program versitygw; make test-real builds it")
	}
	return path
}

// Start starts a server with an empty bucket.
func Start(t testing.TB) Server {
	t.Helper()
	program := Program(t)
	s := Server{Region: "eu-test-1", Bucket: "copies", AccessKey: "berth-test", SecretKey: "a-secret-key-of-a-test", Dir: t.TempDir()}
	address := freeAddress(t)
	s.Endpoint = "http://" + address
	if err := os.Mkdir(filepath.Join(s.Dir, s.Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", address, "--access", s.AccessKey, "--secret", s.SecretKey, "--region", s.Region, "--quiet", "posix", "--nometa=false", s.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
	})
	answers(t, s.Endpoint, ended)
	return s
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// answers waits until the server does.
func answers(t testing.TB, endpoint string, ended <-chan error) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < 30*time.Second; {
		if answer, err := http.Get(endpoint); err == nil {
			answer.Body.Close()
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("versitygw ended: %v", err)
		case <-tick.C:
		}
	}
	t.Fatal("versitygw does not answer")
}
