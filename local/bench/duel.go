package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
)

// duel is one stack that Berth deploys, and its rendered file under two other project
// names that bare Compose brings up.
type duel struct {
	// Set once.
	b       *bench
	srv     *server
	compose compose
	health  bool
	name    string // of the stack, of its project, and of its repository

	stack    core.StackID
	number   int    // of the round whose value is in the repository
	rendered string // as Berth rendered that
	rounds   int    // so far; another way begins each
}

// value is what the environment variable holds in a round; it occurs nowhere else.
func value(number int) string { return fmt.Sprintf("round-%06d-of-bench", number) }

func (d *duel) file(number int) string {
	check := ""
	if d.health {
		check = `
    healthcheck:
      test: ["CMD", "/app", "health"]
      interval: 1s
      timeout: 2s
      retries: 30`
	}
	return fmt.Sprintf("services:\n  app:\n    image: %s\n    environment:\n      ROUND: %s%s\n", image, value(number), check)
}

// prepare brings all three up for the first time.
func (d *duel) prepare(ctx context.Context) error {
	if err := d.b.git.Create(d.name); err != nil {
		return err
	}
	if err := d.commit(); err != nil {
		return err
	}
	repository, err := d.srv.addRepository(ctx, d.b, d.name)
	if err != nil {
		return err
	}
	off := false
	made, err := post[api.CreateStackAnswer](ctx, d.srv.client, "/api/custom/stacks", api.CreateStackRequest{Name: d.name, RepositoryID: repository, AutoSync: &off})
	if err != nil {
		return err
	}
	d.stack = made.ID
	deployed, _, err := d.sync(ctx)
	if err != nil {
		return err
	}
	revision, err := get[api.RevisionAnswer](ctx, d.srv.client, fmt.Sprintf("/api/custom/stacks/%s/revisions/%d", d.stack, deployed.Revision))
	if err != nil {
		return err
	}
	if d.rendered = revision.Compose; strings.Count(d.rendered, value(d.number)) != 1 {
		return fmt.Errorf("the rendered file does not hold the value that is to change once:\n%s", d.rendered)
	}
	for _, wait := range []bool{true, false} {
		if _, err := d.bare(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

func (d *duel) commit() error {
	_, err := d.b.git.Commit(d.name, "main", map[string]string{"compose.yaml": d.file(d.number)}, value(d.number))
	return err
}

// sync deploys through Berth and waits for the end.
func (d *duel) sync(ctx context.Context) (api.DeploymentAnswer, time.Duration, error) {
	began := time.Now()
	deployed, err := post[api.DeploymentAnswer](ctx, d.srv.client, "/api/custom/stacks/"+string(d.stack)+"/sync?wait=60s", nil)
	took := time.Since(began)
	if err == nil && deployed.State != stacks.DeploymentSucceeded {
		err = fmt.Errorf("the deployment is %s: %s", deployed.State, deployed.Error)
	}
	return deployed, took, err
}

// project is the name under which bare Compose runs the file, with --wait or without.
func (d *duel) project(wait bool) string {
	if wait {
		return d.name + "-waiting"
	}
	return d.name + "-started"
}

// bare brings the rendered file up under a project of its own.
func (d *duel) bare(ctx context.Context, wait bool) (time.Duration, error) {
	project := d.project(wait)
	file := filepath.Join(d.b.dir, project+".yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(d.rendered, d.name, project)), 0o600); err != nil {
		return 0, err
	}
	return d.compose.up(ctx, file, project, wait)
}

func (d *duel) remove(ctx context.Context) error {
	return errors.Join(removeProject(ctx, d.name), removeProject(ctx, d.project(true)), removeProject(ctx, d.project(false)))
}
