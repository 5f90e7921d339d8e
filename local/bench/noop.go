package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

const (
	noopStacks = 200
	noopGoal   = 300 * time.Millisecond
)

// measureNoopSync asks for looks at a repository that change no stack.
func measureNoopSync(ctx context.Context, b *bench) (figures []figure, err error) {
	f, err := b.startFleet(ctx, "bench-noop", noopStacks, "SCAN_INTERVAL=1h")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	same, err := f.syncs(ctx, func(int) (core.Commit, error) { return "", nil })
	if err != nil {
		return nil, err
	}
	beside, err := f.syncs(ctx, func(i int) (core.Commit, error) {
		commit, err := b.git.Commit(f.name, "main", map[string]string{"README.md": fmt.Sprintln(i + 1)}, "Beside the stacks")
		return core.Commit(commit), err
	})
	if err != nil {
		return nil, err
	}
	return append(same.figures("nothing new in the repository"), beside.figures("a new commit beside all stacks")...), nil
}

// syncs is what a series of looks took.
type syncs struct {
	took              []time.Duration
	fetches, requests []float64 // of one look
}

func (s syncs) figures(title string) []figure {
	fetches := median(s.fetches)
	return []figure{
		{name: fmt.Sprintf("%d stacks, %s", noopStacks, title), result: spread(s.took), goal: "under " + ms(noopGoal), met: median(s.took) < noopGoal},
		{name: "  fetches; requests to the Git host", result: fmt.Sprintf("%g; %g", fetches, median(s.requests)), goal: "at most 1 fetch", met: fetches <= 1},
	}
}

// syncs looks at the repository again and again. change is called before each look and
// returns the commit that is to be judged; "" when there is no new one.
func (f *fleet) syncs(ctx context.Context, change func(i int) (core.Commit, error)) (s syncs, err error) {
	for i := range f.b.runs {
		commit, err := change(i)
		if err != nil {
			return s, err
		}
		fetched, err := f.fetches(ctx)
		if err != nil {
			return s, err
		}
		asked := f.b.git.requests.Load()
		took, err := f.sync(ctx)
		if err != nil {
			return s, err
		}
		s.requests = append(s.requests, float64(f.b.git.requests.Load()-asked))
		now, err := f.fetches(ctx)
		if err != nil {
			return s, err
		}
		s.took, s.fetches = append(s.took, took), append(s.fetches, now-fetched)
		if err := f.judged(ctx, commit); err != nil {
			return s, err
		}
	}
	return s, nil
}

// sync asks for a look and waits until it is done.
func (f *fleet) sync(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	path := "/api/custom/repositories/" + string(f.repository)
	if _, err := post[api.RepositoryAnswer](ctx, f.client, path+"/sync", nil); err != nil {
		return 0, err
	}
	err := until(ctx, time.Minute, 5*time.Millisecond, "the look at the repository", func(ctx context.Context) (bool, error) {
		r, err := get[api.RepositoryAnswer](ctx, f.client, path)
		if err == nil && r.Error != "" {
			err = fmt.Errorf("repository: %s", r.Error)
		}
		return r.AskedAt == nil, err
	})
	return time.Since(began), err
}

// judged makes sure that a commit led to a decision, and to no deployment, for the first and the
// last stack.
func (f *fleet) judged(ctx context.Context, commit core.Commit) error {
	if commit == "" {
		return nil
	}
	for _, id := range []core.StackID{f.stacks[0], f.stacks[len(f.stacks)-1]} {
		list, err := get[endpoint.Items[api.DecisionAnswer]](ctx, f.client, "/api/custom/stacks/"+string(id)+"/decisions?limit=1")
		if err != nil {
			return err
		}
		if len(list.Items) != 1 || list.Items[0].Commit != commit || list.Items[0].Deployed {
			return fmt.Errorf("stack %s: the last decision is not that commit %s changes nothing: %+v", id, commit.Short(), list.Items)
		}
	}
	return nil
}

// fetches returns how many fetches the server has made, as its metrics tell.
func (f *fleet) fetches(ctx context.Context) (float64, error) {
	status, text, err := f.client.Send(ctx, http.MethodGet, "/metrics", nil)
	if err != nil || status != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("GET /metrics: %d", status))
	}
	sum := 0.0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "berth_fetches_total{") {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
