package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/secrets"
)

// between lets a test stand between git and the host: handle may answer a request by
// itself (and returns true) or leave it to the host. body is the request's.
func between(t *testing.T, b *bench, handle func(w http.ResponseWriter, r *http.Request, body string) bool) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return
		}
		if handle(w, r, string(body)) {
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		b.host.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func isFetch(body string) bool { return strings.Contains(body, "command=fetch") }

// source makes a repository with one commit, reached through the server at base.
func source(t *testing.T, b *bench, base string) (core.GitSource, core.Commit) {
	t.Helper()
	url := b.Create(t)
	commit := b.Push(t, url, coretest.GitPush{Files: map[string]string{"a": "1"}})
	return core.GitSource{Repository: newID(), URL: base + b.host.Path(name(url))}, commit
}

func mustFetch(t *testing.T, r *Remote, src core.GitSource, want core.Commit) {
	t.Helper()
	got, err := r.Fetch(t.Context(), src)
	if err != nil || got.Commit != want {
		t.Fatalf("fetched %v, %v; want %s", got, err, want)
	}
	tree, err := r.Tree(t.Context(), src.Repository, want)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	entries, err := tree.List(t.Context(), "")
	if err != nil || len(entries) == 0 {
		t.Fatalf("list: %v, %v", entries, err)
	}
	for _, e := range entries {
		if e.Mode == core.ModeFile {
			if _, err := tree.Read(t.Context(), e.Path, 1<<30); err != nil {
				t.Fatalf("read %s: %v", e.Path, err)
			}
		}
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// gitRuns reports whether a process works below dir.
func gitRuns(t *testing.T, dir string) bool {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil || len(links) == 0 {
		t.Fatalf("no processes to see: %v", err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			return true
		}
	}
	return false
}

func TestG3HangAfterRefsTimesOutAndFreesTheSlot(t *testing.T) {
	b := newBench(t)
	var hang atomic.Bool
	hang.Store(true)
	entered, over := make(chan struct{}, 8), make(chan struct{})
	defer close(over)
	base := between(t, b, func(_ http.ResponseWriter, r *http.Request, body string) bool {
		if !hang.Load() || !isFetch(body) {
			return false
		}
		entered <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over:
		}
		return true
	})
	r := open(t, Options{FetchTimeout: time.Second})
	r.fetches = make(gate, 1)
	src, commit := source(t, b, base)
	_, err := r.Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "within 1s")
	if !errors.Is(err, context.DeadlineExceeded) || len(entered) == 0 {
		t.Errorf("%v, after %d requests", err, len(entered))
	}
	eventually(t, "git is gone", func() bool { return !gitRuns(t, r.root) })
	if left, _ := os.ReadDir(r.root); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	hang.Store(false)
	r.fetchTimeout = time.Minute
	mustFetch(t, r, src, commit)
}

func TestG3HangBeforeRefsTimesOut(t *testing.T) {
	b := newBench(t)
	over := make(chan struct{})
	defer close(over)
	base := between(t, b, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		select {
		case <-r.Context().Done():
		case <-over:
		}
		return true
	})
	r := open(t, Options{AskTimeout: 50 * time.Millisecond})
	src, _ := source(t, b, base)
	_, err := r.Head(t.Context(), src)
	coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "within 50ms")
}

func TestG3CancelEndsTheQuestion(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	base := between(t, b, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	src, _ := source(t, b, base)
	if _, err := open(t, Options{}).Head(ctx, src); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestG3CancelEndsTheFetch(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	base := between(t, b, func(_ http.ResponseWriter, r *http.Request, body string) bool {
		if isFetch(body) {
			cancel()
			<-r.Context().Done()
			return true
		}
		return false
	})
	r := open(t, Options{})
	src, _ := source(t, b, base)
	_, err := r.Fetch(ctx, src)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	eventually(t, "git is gone", func() bool { return !gitRuns(t, r.root) })
}

// endlessPack writes a pack whose one file never ends, in the form of protocol version 2.
func endlessPack(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	fmt.Fprint(w, "000dpackfile\n")
	band := writerFunc(func(p []byte) (int, error) {
		for rest := p; len(rest) > 0; {
			n := min(len(rest), 60_000)
			if _, err := fmt.Fprintf(w, "%04x\x01%s", n+5, rest[:n]); err != nil {
				return 0, err
			}
			rest = rest[n:]
		}
		return len(p), nil
	})
	sum := sha1.New()
	out := io.MultiWriter(band, sum)
	// One blob of 2^60 bytes and some, four bits of the size in the first byte.
	out.Write([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0\x80\x80\x80\x80\x80\x80\x80\x10"))
	z, err := zlib.NewWriterLevel(out, zlib.NoCompression)
	if err != nil {
		return
	}
	block := make([]byte, 1<<20)
	for r.Context().Err() == nil {
		if _, err := z.Write(block); err != nil {
			return
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestG4EndlessPackStopsAtTheCap(t *testing.T) {
	b := newBench(t)
	base := between(t, b, func(w http.ResponseWriter, r *http.Request, body string) bool {
		if isFetch(body) {
			endlessPack(w, r)
			return true
		}
		return false
	})
	r := open(t, Options{MirrorLimit: 8 << 20, FetchTimeout: time.Minute})
	src, _ := source(t, b, base)
	_, err := r.Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.TooLarge, "git.too_large", "8 MiB")
	eventually(t, "git is gone", func() bool { return !gitRuns(t, r.root) })
	if left, _ := os.ReadDir(r.root); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestG4RepositoryOverTheCapIsRefusedAndTheMirrorStays(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{MirrorLimit: 1 << 20})
	src, small := source(t, b, b.server.URL)
	mustFetch(t, r, src, small)
	noise := make([]byte, 2<<20)
	for i, state := 0, uint32(1); i < len(noise); i++ {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"big": string(noise)}})
	_, err := r.Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.TooLarge, "git.too_large", "1 MiB")
	back := b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "2"}, Orphan: true})
	mustFetch(t, r, src, back)
}

func TestG9RedirectToAnotherHostIsRefused(t *testing.T) {
	for where, when := range map[string]func(r *http.Request, body string) bool{
		"when asked for the refs":  func(r *http.Request, _ string) bool { return r.Method == http.MethodGet },
		"when asked for one ref":   func(_ *http.Request, body string) bool { return strings.Contains(body, "command=ls-refs") },
		"in the middle of a fetch": func(_ *http.Request, body string) bool { return isFetch(body) },
	} {
		for _, status := range []int{301, 302, 307, 308} {
			t.Run(fmt.Sprintf("%s with %d", where, status), func(t *testing.T) {
				b := newBench(t)
				var reached atomic.Int32
				elsewhere := between(t, b, func(http.ResponseWriter, *http.Request, string) bool { reached.Add(1); return false })
				var redirected atomic.Int32
				base := between(t, b, func(w http.ResponseWriter, r *http.Request, body string) bool {
					if !when(r, body) {
						return false
					}
					redirected.Add(1)
					http.Redirect(w, r, elsewhere+r.URL.RequestURI(), status)
					return true
				})
				src, _ := source(t, b, base)
				b.host.Protect(name(src.URL), "deploy", "hunter2")
				src.Username, src.Password = "deploy", secrets.NewValue("hunter2")
				_, err := open(t, Options{}).Fetch(t.Context(), src)
				coretest.WantFault(t, err, fault.Invalid, "git.address", "redirects")
				if redirected.Load() == 0 || reached.Load() != 0 {
					t.Errorf("redirected %d times; the other host got %d requests", redirected.Load(), reached.Load())
				}
			})
		}
	}
}

func TestG9RedirectWithinTheHostIsFollowed(t *testing.T) {
	b := newBench(t)
	base := between(t, b, func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if rest, old := strings.CutPrefix(r.URL.Path, "/old/"); old {
			http.Redirect(w, r, "/"+rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return true
		}
		return false
	})
	src, commit := source(t, b, base)
	b.host.Protect(name(src.URL), "deploy", "hunter2")
	src.Username, src.Password = "deploy", secrets.NewValue("hunter2")
	src.URL = strings.Replace(src.URL, base, base+"/old", 1)
	mustFetch(t, open(t, Options{}), src, commit)
}

func TestG12CredentialRevokedMidway(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			b := newBench(t)
			base := between(t, b, func(w http.ResponseWriter, r *http.Request, body string) bool {
				if !isFetch(body) {
					return false
				}
				// A host that repeats what it was sent must not bring it into our log.
				w.Header().Set("WWW-Authenticate", "Basic realm=x")
				http.Error(w, "bad "+r.Header.Get("Authorization")+" http://deploy:hunter2@x/", status)
				return true
			})
			src, _ := source(t, b, base)
			src.Username, src.Password = "deploy", secrets.NewValue("hunter2")
			var log bytes.Buffer
			r := open(t, Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			_, err := r.Fetch(t.Context(), src)
			coretest.WantFault(t, err, fault.Unauthenticated, "git.credential_refused", `"deploy"`, src.URL)
			for _, secret := range []string{"hunter2", "ZGVwbG95"} {
				if strings.Contains(err.Error()+log.String(), secret) {
					t.Errorf("the secret shows in %q or %q", err, log.String())
				}
			}
		})
	}
}

func TestG12WhatGitAndHostsRepeatIsScrubbed(t *testing.T) {
	src := core.GitSource{Username: "deploy", Password: secrets.NewValue("p&ss w")}
	header := basic(src).Reveal()
	for _, text := range []string{"remote: sent " + header, "got " + strings.TrimPrefix(header, "Basic "), "key p&ss w", "key p%26ss+w", "at https://me:other@host/a"} {
		got := scrub(text, src)
		for _, secret := range []string{header[6:], "p&ss w", "p%26ss", "other"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	if got := scrub("plain text at https://host/a", core.GitSource{}); got != "plain text at https://host/a" {
		t.Errorf("anonymous text became %q", got)
	}
}

func TestAnswersOfHosts(t *testing.T) {
	const refs = "application/x-git-upload-pack-advertisement"
	say := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	cases := map[string]struct {
		handler http.HandlerFunc
		kind    fault.Kind
		code    string
		after   time.Duration
	}{
		"too many requests":        {say(429, "", ""), fault.Unavailable, "git.unreachable", 90 * time.Second},
		"an error of the host":     {say(503, "", ""), fault.Unavailable, "git.unreachable", 90 * time.Second},
		"gone":                     {say(410, "", ""), fault.NotFound, "git.repository_missing", 0},
		"a page":                   {say(200, "text/html", "<html>\n"), fault.NotFound, "git.repository_missing", 0},
		"a page without an end":    {say(200, "text/html", strings.Repeat("x", 10_000)), fault.NotFound, "git.repository_missing", 0},
		"no refs as a file":        {say(200, "text/plain", ""), fault.NotFound, "git.branch_missing", 0},
		"nothing":                  {say(200, refs, ""), fault.NotFound, "git.branch_missing", 0},
		"rubbish":                  {say(200, refs, "zzzz"), fault.Unavailable, "git.unreachable", 0},
		"rubbish in a line":        {say(200, refs, "0009hello"), fault.Unavailable, "git.unreachable", 0},
		"half a line":              {say(200, refs, "00ff"), fault.Unavailable, "git.unreachable", 0},
		"an error in Git's manner": {say(200, refs, "000cERR nope"), fault.Unavailable, "git.unreachable", 0},
		"missing in Git's manner":  {say(200, refs, "0014ERR x not found\n"), fault.NotFound, "git.repository_missing", 0},
		"a connection that breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, "git.unreachable", 0},
		"more refs than we take": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", refs)
			line := strings.Repeat("a", 40) + " refs/tags/" + strings.Repeat("t", 60_000)
			for range maxAnswer/60_000 + 1 {
				fmt.Fprintf(w, "%04x%s", len(line)+4, line)
			}
		}, fault.TooLarge, "git.too_large", 0},
		"a redirect with a password": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/b.git/info/refs" {
				w.Header().Set("Content-Type", refs)
				io.WriteString(w, "003d"+strings.Repeat("a", 40)+" refs/heads/main\n0000")
				return
			}
			http.Redirect(w, r, "http://u:hunter2@"+r.Host+"/b.git/info/refs", http.StatusFound)
		}, fault.Unavailable, "git.unreachable", 0},
		"redirects without an end": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/x"+r.URL.RequestURI(), http.StatusFound)
		}, fault.Unavailable, "git.unreachable", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			_, err := open(t, Options{}).Head(t.Context(), core.GitSource{Repository: newID(), URL: server.URL + "/a.git", Branch: "main"})
			coretest.WantFault(t, err, c.kind, c.code)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v tells a password", err)
			}
			var f *fault.Error
			if errors.As(err, &f); f.RetryAfter != c.after {
				t.Errorf("try again after %s; want %s", f.RetryAfter, c.after)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		server := httptest.NewServer(nil)
		server.Close()
		_, err := open(t, Options{}).Head(t.Context(), core.GitSource{Repository: newID(), URL: server.URL + "/a.git"})
		coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "nothing listens on that port")
	})
	t.Run("a certificate that nobody signed", func(t *testing.T) {
		server := httptest.NewTLSServer(nil)
		defer server.Close()
		_, err := open(t, Options{}).Head(t.Context(), core.GitSource{Repository: newID(), URL: server.URL + "/a.git"})
		coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "its certificate is not trusted: nobody")
	})
	t.Run("a name that is none", func(t *testing.T) {
		_, err := open(t, Options{}).Head(t.Context(), core.GitSource{Repository: newID(), URL: "https://git.invalid/a.git"})
		coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "name")
	})
}
