package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

const commandStacks = 100

// measureCommands changes many stacks by one commit, and kills the server in the middle of that.
func measureCommands(ctx context.Context, b *bench) (figures []figure, err error) {
	f, err := b.startFleet(ctx, "bench-commands", commandStacks, "SCAN_INTERVAL=1h")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	var took []time.Duration
	for i := range f.b.runs {
		commit, err := f.changeAll(i)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := post[api.RepositoryAnswer](ctx, f.client, "/api/custom/repositories/"+string(f.repository)+"/sync", nil); err != nil {
			return nil, err
		}
		if err := f.awaitCommit(ctx, commit); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	settled, err := f.killed(ctx)
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: fmt.Sprintf("%d stacks changed by one commit", commandStacks), result: spread(took)},
		{name: "  commands a second, end to end", result: fmt.Sprintf("%.0f", commandStacks/median(took).Seconds())},
		{name: fmt.Sprintf("server killed with %d deployments under way, until all are settled", commandStacks), result: ms(settled)},
	}, nil
}

// changeAll commits another number to every folder.
func (f *fleet) changeAll(round int) (core.Commit, error) {
	files := map[string]string{}
	for i := range commandStacks {
		files[folder(i)+"/compose.yaml"] = fmt.Sprintf("services:\n  app:\n    image: %s\n    environment:\n      NUMBER: \"%d\"\n", image, (round+1)*commandStacks+i)
	}
	commit, err := f.b.git.Commit(f.name, "main", files, "All of them")
	return core.Commit(commit), err
}

// awaitCommit waits until every stack is active at a commit.
func (f *fleet) awaitCommit(ctx context.Context, commit core.Commit) error {
	return until(ctx, 5*time.Minute, 20*time.Millisecond, "every stack at "+commit.Short(), func(ctx context.Context) (bool, error) {
		list, err := get[endpoint.Items[api.StackAnswer]](ctx, f.client, "/api/custom/stacks?limit=500")
		if err != nil {
			return false, errors.Join(err, f.alive())
		}
		there := 0
		for _, s := range list.Items {
			if s.Commit == commit && s.Status == stacks.StatusActive {
				there++
			}
		}
		return there == commandStacks, nil
	})
}

// killed kills the server while every stack is being deployed, and returns the time from its
// next start until all deployments have ended.
func (f *fleet) killed(ctx context.Context) (time.Duration, error) {
	release := make(chan struct{})
	f.held.Store(&release)
	commit, err := f.changeAll(f.b.runs)
	if err != nil {
		return 0, err
	}
	if _, err := post[api.RepositoryAnswer](ctx, f.client, "/api/custom/repositories/"+string(f.repository)+"/sync", nil); err != nil {
		return 0, err
	}
	if err := f.awaitDispatched(ctx); err != nil {
		return 0, err
	}
	if err := f.cmd.Process.Kill(); err != nil {
		return 0, err
	}
	<-f.ended
	close(release)
	key := f.client.Key
	next, _, err := f.b.startLocal(ctx, f.site, "SCAN_INTERVAL=1h")
	if err != nil {
		return 0, err
	}
	next.client.Key, f.server = key, next
	if err := f.awaitCommit(ctx, commit); err != nil {
		return 0, err
	}
	return time.Since(next.started), nil
}

// awaitDispatched waits until every stack has a deployment whose command is stored.
func (f *fleet) awaitDispatched(ctx context.Context) error {
	return until(ctx, 2*time.Minute, 50*time.Millisecond, "every deployment dispatched", func(ctx context.Context) (bool, error) {
		for _, id := range f.stacks {
			list, err := get[endpoint.Items[api.DeploymentAnswer]](ctx, f.client, "/api/custom/stacks/"+string(id)+"/deployments?limit=1")
			if err != nil || len(list.Items) != 1 || list.Items[0].State != stacks.DeploymentRunning || list.Items[0].Revision == 0 {
				return false, err
			}
		}
		return true, nil
	})
}
