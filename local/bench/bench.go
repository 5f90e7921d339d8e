package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"berth/local/stand/githost"
)

// bench is what the measurements share: a folder that goes away, the programs, a Git host.
type bench struct {
	// Set once.
	dir  string
	errs io.Writer
	git  *gitServer
	options

	programs map[string]string // path by package; built when first asked for
}

// options are what the command line says.
type options struct {
	runs  int   // how often what is repeated is measured
	links int   // workers in the measurement links
	fleet []int // workers in the measurement fleet, one step for each

	repositories int // that are polled in the measurement git
}

func newBench(o options, errs io.Writer) (*bench, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, options: o, errs: errs, programs: map[string]string{}}
	if b.git, err = serveGit(filepath.Join(dir, "git")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return b, nil
}

func (b *bench) close() error { return errors.Join(b.git.close(), os.RemoveAll(b.dir)) }

// say tells what goes on; results go elsewhere.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.errs, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// program builds a main package of this module as it is shipped and returns its path.
func (b *bench) program(ctx context.Context, pkg string) (string, error) {
	if path := b.programs[pkg]; path != "" {
		return path, nil
	}
	b.say("building %s", pkg)
	path := filepath.Join(b.dir, "program-"+filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w -X main.version=bench", "-o", path, "berth/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := output(cmd); err != nil {
		return "", err
	}
	b.programs[pkg] = path
	return path, nil
}

// output runs a command and returns what it printed; the error holds what it complained about.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// gitServer serves repositories over HTTP on a free port of this host.
type gitServer struct {
	*githost.Host
	url      string
	requests atomic.Int64 // that came in
	sent     atomic.Int64 // bytes of answers, headers apart
	server   *http.Server
	served   chan error
}

func serveGit(dir string) (*gitServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gitServer{Host: githost.New(dir), url: "http://" + listener.Addr().String(), served: make(chan error, 1)}
	g.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.requests.Add(1)
		g.Host.ServeHTTP(counted{w, &g.sent}, r)
	})}
	go func() { g.served <- g.server.Serve(listener) }()
	return g, nil
}

// counted counts the bytes of an answer.
type counted struct {
	http.ResponseWriter
	sent *atomic.Int64
}

// Write implements http.ResponseWriter.
func (c counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

func (g *gitServer) close() error {
	err := g.server.Close()
	if served := <-g.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// until calls done every now and then until it reports true or fails, for a limited time.
func until(ctx context.Context, limit, every time.Duration, what string, done func(context.Context) (bool, error)) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		ok, err := done(limited)
		if err != nil || ok {
			return err
		}
		if pause(limited, every) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%s did not happen within %v", what, limit)
		}
	}
}

// pause waits, or returns early with the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
