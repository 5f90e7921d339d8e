package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"berth/handlers/api"
	"berth/handlers/endpoint"
)

const (
	pollInterval = 10 * time.Second // as of SCAN_INTERVAL, when nobody sets it
	pollWindow   = time.Minute
	pollSettling = 4 * pollInterval // in which each repository is looked at until nothing is new about it
)

// polls is a server that polls many repositories in which nothing happens.
type polls struct {
	*server
	b       *bench
	host    *cannedHost
	started string   // file with a byte for each git process that the server started
	env     []string // of the server
}

func measurePolls(ctx context.Context, b *bench) (figures []figure, err error) {
	p := &polls{b: b}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	if err := pause(ctx, rest); err != nil {
		return nil, err
	}
	before, err := memoryOf(p.pid())
	if err != nil {
		return nil, err
	}
	first, err := p.first(ctx)
	if err != nil {
		return nil, err
	}
	steady, err := p.steady(ctx, before)
	if err != nil {
		return nil, err
	}
	again, err := p.again(ctx)
	return append(append(first, steady...), again...), err
}

func (p *polls) open(ctx context.Context) error {
	const name = "bench-polls"
	if err := p.b.git.Create(name); err != nil {
		return err
	}
	if _, err := p.b.git.Commit(name, "main", map[string]string{"README.md": "Nothing happens here.\n"}, "Begin"); err != nil {
		return err
	}
	var err error
	if p.host, err = p.b.serveCanned(name); err != nil {
		return err
	}
	if err := p.countProcesses(); err != nil {
		return err
	}
	s, err := p.b.newSite(name)
	if err != nil {
		return err
	}
	if p.server, _, err = p.b.startLocal(ctx, s, p.env...); err != nil {
		return err
	}
	return p.setUp(ctx)
}

// countProcesses puts a script in the place of git.
func (p *polls) countProcesses() error {
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	dir := filepath.Join(p.b.dir, "counting")
	p.started = filepath.Join(dir, "started")
	p.env = []string{"SCAN_INTERVAL=" + pollInterval.String(), "PATH=" + dir + ":" + os.Getenv("PATH")}
	script := fmt.Sprintf("#!/bin/sh\nprintf x >>'%s'\nexec '%s' \"$@\"\n", p.started, git)
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700))
}

// processes is how many git processes there were.
func (p *polls) processes() int64 {
	info, err := os.Stat(p.started)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (p *polls) close() error {
	var err error
	if p.server != nil {
		err = p.server.stop()
	}
	if p.host != nil {
		err = errors.Join(err, p.host.close())
	}
	return err
}

// first adds the repositories and waits until each was fetched.
func (p *polls) first(ctx context.Context) ([]figure, error) {
	n := p.b.repositories
	p.b.say("adding %d repositories", n)
	began, processes := time.Now(), p.processes()
	errs := make([]error, adders)
	var all sync.WaitGroup
	for a := range adders {
		all.Go(func() {
			for i := a; i < n && errs[a] == nil; i += adders {
				name := fmt.Sprintf("poll-%04d", i)
				_, errs[a] = post[api.RepositoryAnswer](ctx, p.client, "/api/custom/repositories", api.CreateRepositoryRequest{Name: name, URL: p.host.url + "/" + name + ".git", Branch: "main"})
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := until(ctx, 25*time.Minute, time.Second, fmt.Sprintf("%d fetched repositories", n), p.fetched); err != nil {
		return nil, err
	}
	took := time.Since(began)
	return []figure{{name: fmt.Sprintf("%d repositories added and fetched for the first time", n), result: fmt.Sprintf("%s, %.1f git processes each", ms(took), float64(p.processes()-processes)/float64(n))}}, nil
}

// fetched reports whether every repository was.
func (p *polls) fetched(ctx context.Context) (bool, error) {
	for after := ""; ; {
		list, err := get[endpoint.Items[api.RepositoryAnswer]](ctx, p.client, "/api/custom/repositories?limit=500&after="+url.QueryEscape(after))
		if err != nil {
			return false, errors.Join(err, p.alive())
		}
		for _, r := range list.Items {
			if r.Head == "" || r.AskedAt != nil {
				return false, nil
			}
		}
		if after = list.Next; after == "" {
			return true, nil
		}
	}
}

// steady measures while nothing happens but polling.
func (p *polls) steady(ctx context.Context, before memory) ([]figure, error) {
	if err := pause(ctx, pollSettling); err != nil {
		return nil, err
	}
	p.b.say("polling for %v", pollWindow)
	used, err := processorTime(p.pid())
	if err != nil {
		return nil, err
	}
	processes := p.processes()
	p.host.begin()
	began := time.Now()
	if err := pause(ctx, pollWindow); err != nil {
		return nil, err
	}
	looks, repositories, longest := p.host.looked()
	took := time.Since(began)
	now, err := processorTime(p.pid())
	if err != nil {
		return nil, err
	}
	after, err := memoryOf(p.pid())
	if err != nil {
		return nil, err
	}
	if repositories != p.b.repositories || looks == 0 {
		return nil, fmt.Errorf("%d of %d repositories were looked at, %d times", repositories, p.b.repositories, looks)
	}
	spent := now - used
	each := spent / time.Duration(looks)
	return []figure{
		{name: fmt.Sprintf("%d repositories polled every %v, nothing new", repositories, pollInterval), result: fmt.Sprintf("%.0f looks a second, at most %.1f s between two at one", float64(looks)/took.Seconds(), longest.Seconds())},
		{name: "  processor time of a round of all; of one core", result: fmt.Sprintf("%s; %.1f %%", ms(each*time.Duration(repositories)), 100*spent.Seconds()/took.Seconds())},
		{name: "  git processes started in a minute", result: fmt.Sprint(p.processes() - processes), goal: "none", met: p.processes() == processes},
		{name: "  memory before and with them", result: before.String() + "; " + after.String()},
	}, nil
}

// again starts the server once more, which looks at every repository at once.
func (p *polls) again(ctx context.Context) ([]figure, error) {
	if err := p.server.stop(); err != nil {
		return nil, err
	}
	key, processes := p.client.Key, p.processes()
	p.host.begin()
	next, _, err := p.b.startLocal(ctx, p.site, p.env...)
	if err != nil {
		return nil, err
	}
	next.client.Key, p.server = key, next
	if err := until(ctx, 10*time.Minute, 20*time.Millisecond, "a look at each repository", func(context.Context) (bool, error) {
		_, repositories, _ := p.host.looked()
		return repositories == p.b.repositories, p.alive()
	}); err != nil {
		return nil, err
	}
	took := time.Since(p.server.started)
	if err := pause(ctx, pollInterval); err != nil { // what the first looks began is over
		return nil, err
	}
	return []figure{{name: "server started again, until each was looked at", result: fmt.Sprintf("%s, %.1f git processes each", ms(took), float64(p.processes()-processes)/float64(p.b.repositories))}}, nil
}
