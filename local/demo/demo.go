package demo

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/local/stand/githost"
)

//go:embed all:repository
var content embed.FS

// Listen is where the demo repository is served; Image is what its stacks run.
const (
	Listen = "127.0.0.1:8093"
	Image  = "berth-demo/app:1"
	name   = "demo"
)

// Desks are the use cases that the demo calls.
type Desks struct {
	Repositories *repositories.Desk
	Stacks       *stacks.Desk
	Variables    *variables.Desk
	Fleet        *fleet.Desk
	Store        Store
}

// Store is what the demo reads.
type Store interface {
	Stacks(ctx context.Context, f stacks.Filter, page core.Page) (core.List[stacks.Stack], error)
}

// Options say where the demo keeps its repository and how it reports.
type Options struct {
	Dir   string // holds the bare repository and the file "status"
	Desks Desks
	Log   *slog.Logger
}

// wait bounds how long the demo's stacks may take to become active.
const wait = 3 * time.Minute

// Run serves the demo repository, adds its stacks, writes "active" or what went wrong to
// the file "status" once that is known, and goes on serving until ctx ends. Who removes the
// file asks anew: what somebody deleted of the demo is added again.
func Run(ctx context.Context, o Options) error {
	if err := os.RemoveAll(o.statusFile()); err != nil {
		return err
	}
	host := githost.New(filepath.Join(o.Dir, "git"))
	if err := prepare(host); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", Listen)
	if err != nil {
		return fmt.Errorf("the demo repository cannot be served: %w", err)
	}
	server := &http.Server{Handler: host, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		server.Close()
		<-served
	}()
	for ctx.Err() == nil {
		if err := os.WriteFile(o.statusFile(), []byte(o.status(ctx)+"\n"), 0o600); err != nil {
			return err
		}
		if err := o.asked(ctx); err != nil {
			return err
		}
	}
	return nil
}

// status adds what of the demo is missing and says "active" or what went wrong.
func (o Options) status(ctx context.Context) string {
	if err := o.add(ctx); err != nil {
		o.Log.Error("the demo could not be added", "error", err)
		return "failed: " + fault.PublicOf(err)
	}
	return "active"
}

// asked waits until somebody removed the file "status", or ctx ends.
func (o Options) asked(ctx context.Context) error {
	for {
		switch _, err := os.Stat(o.statusFile()); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		if pause(ctx) != nil {
			return nil
		}
	}
}

func (o Options) statusFile() string { return filepath.Join(o.Dir, "status") }

// prepare makes the repository and its first commit.
func prepare(host *githost.Host) error {
	if _, err := os.Stat(filepath.Join(host.Dir(name), "refs", "heads", "main")); err == nil {
		return nil
	}
	if err := host.Create(name); err != nil {
		return err
	}
	files := map[string]string{}
	err := fs.WalkDir(content, "repository", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := content.ReadFile(path)
		files[strings.TrimPrefix(path, "repository/")] = string(text)
		return err
	})
	if err != nil {
		return err
	}
	_, err = host.Commit(name, "main", files, "Two stacks to begin with")
	return err
}

// add brings the repository and its stacks into the installation and waits for them.
func (o Options) add(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	worker, err := o.worker(ctx)
	if err != nil {
		return err
	}
	repository, err := o.repository(ctx)
	if err != nil {
		return err
	}
	if err := o.hello(ctx, repository, worker); err != nil {
		return err
	}
	if err := o.guestbook(ctx, repository, worker); err != nil {
		return err
	}
	return o.await(ctx, "hello", "guestbook")
}

// worker waits for the worker inside to be there.
func (o Options) worker(ctx context.Context) (core.WorkerID, error) {
	online := true
	for {
		list, err := o.Desks.Fleet.Workers(ctx, fleet.Filter{Online: &online}, core.Page{Limit: 1})
		if err != nil {
			return "", err
		}
		if len(list.Items) == 1 {
			return list.Items[0].ID, nil
		}
		if err := pause(ctx); err != nil {
			return "", fault.New(fault.Unavailable, "demo.worker", "The worker inside did not connect within %s; the server's log says why.", wait).Because(err)
		}
	}
}

func (o Options) repository(ctx context.Context) (core.RepositoryID, error) {
	list, err := o.Desks.Repositories.Repositories(ctx, core.Page{Limit: core.MaxPage})
	if err != nil {
		return "", err
	}
	for _, r := range list.Items {
		if r.Name == name {
			return r.ID, nil
		}
	}
	r, err := o.Desks.Repositories.Create(ctx, repositories.Draft{Name: name, URL: "http://" + Listen + "/" + name + ".git", Branch: "main"}, access.System)
	return r.ID, err
}

func (o Options) hello(ctx context.Context, repository core.RepositoryID, worker core.WorkerID) error {
	if _, found, err := o.stack(ctx, "hello"); found || err != nil {
		return err
	}
	_, _, err := o.Desks.Stacks.Create(ctx, stacks.Draft{Name: "hello", Repository: repository, Path: "hello", Worker: worker, AutoSync: true}, access.System)
	return err
}

// guestbook is added with automatic sync off until its variables are there.
func (o Options) guestbook(ctx context.Context, repository core.RepositoryID, worker core.WorkerID) error {
	s, found, err := o.stack(ctx, "guestbook")
	if err != nil || found && (s.AutoSync || s.Revision > 0) {
		return err
	}
	if !found {
		if s, _, err = o.Desks.Stacks.Create(ctx, stacks.Draft{Name: "guestbook", Repository: repository, Path: "guestbook", Worker: worker}, access.System); err != nil {
			return err
		}
	}
	for _, draft := range []variables.Draft{
		{Owner: variables.OfStack(s.ID), Name: "GUESTBOOK_TITLE", Value: "Visitors of the harbour"},
		{Owner: variables.OfStack(s.ID), Name: "GUESTBOOK_PASSWORD", Value: rand.Text(), Secret: true},
	} {
		// A run that was interrupted may have added it already.
		if _, err := o.Desks.Variables.Create(ctx, draft, access.System); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	auto := true
	_, err = o.Desks.Stacks.Update(ctx, s.ID, stacks.Change{AutoSync: &auto}, access.System)
	return err
}

func (o Options) stack(ctx context.Context, name string) (stacks.Stack, bool, error) {
	list, err := o.Desks.Store.Stacks(ctx, stacks.Filter{Search: name}, core.Page{Limit: core.MaxPage})
	for _, s := range list.Items {
		if s.Name == name {
			return s, true, err
		}
	}
	return stacks.Stack{}, false, err
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
		return nil
	}
}
