package rig

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// Become has the server be another program from its next start on, or, without one, the code of this checkout again.
func (s *Server) Become(path string) { s.path = path }

// Become has the worker be another program from its next start on, or, without one, the code of this checkout again.
func (w *Worker) Become(path string) { w.path = path }

// start runs a program until stop is called; how it ends comes out of ended.
func start(t testing.TB, path string, environment map[string]string, log *Log) (stop context.CancelFunc, ended chan error) {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Env = os.Environ()
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return func() { _ = cmd.Process.Signal(syscall.SIGTERM) }, ended // it may have ended
}

// runProgram starts the server that is a program, and waits until it answers.
func (s *Server) runProgram() {
	s.T.Helper()
	s.stop, s.ended = start(s.T, s.path, s.environment, s.Log)
	for until := time.Now().Add(startWithin); time.Now().Before(until); pause() {
		select {
		case err := <-s.ended:
			s.stop = nil
			s.T.Fatal(fmt.Sprintf("the program %s ended with", s.path), err)
		default:
		}
		answer, err := http.Get(s.URL + "/readyz")
		if err == nil {
			answer.Body.Close()
		}
		if err == nil && answer.StatusCode == http.StatusOK {
			return
		}
	}
	s.T.Fatalf("the program %s did not start in time", s.path)
}
