package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// BenchmarkO8 measures what a person and a worker wait for on an installation that is years old:
// a million ended commands, a million audit events, 200,000 deployments, 40,000 decisions.
func BenchmarkO8(b *testing.B) {
	y := oldYard(b)
	id := core.StackID("stk_000100")
	newest, err := y.Deployments(b.Context(), stacks.DeploymentFilter{Stack: id}, core.Page{Limit: 1})
	if err != nil || len(newest.Items) != 1 {
		b.Fatal(newest, err)
	}
	worker := core.WorkerID("wrk_1")
	for _, c := range []struct {
		name string
		do   func(ctx context.Context, i int) error
	}{
		{"deployments", func(ctx context.Context, _ int) error {
			_, err := y.Deployments(ctx, stacks.DeploymentFilter{}, core.Page{Limit: 100})
			return err
		}},
		{"deployments of a stack", func(ctx context.Context, _ int) error {
			_, err := y.Deployments(ctx, stacks.DeploymentFilter{Stack: id}, core.Page{Limit: 100})
			return err
		}},
		{"stacks", func(ctx context.Context, _ int) error {
			_, err := y.Stacks(ctx, stacks.Filter{}, core.Page{Limit: 100})
			return err
		}},
		{"decisions", func(ctx context.Context, _ int) error {
			_, err := y.Decisions(ctx, id, core.Page{Limit: 100})
			return err
		}},
		{"open deployments", func(ctx context.Context, _ int) error { _, err := y.OpenDeployments(ctx); return err }},
		{"open commands", func(ctx context.Context, _ int) error { _, err := y.OpenCommands(ctx, worker); return err }},
		{"workers with queued commands", func(ctx context.Context, _ int) error { _, err := y.WorkersWithQueuedCommands(ctx); return err }},
		{"queue, start and end a deployment", func(ctx context.Context, i int) error {
			y.at = y.at.Add(time.Millisecond)
			d, err := y.QueueDeployment(ctx, stacks.Ask{Stack: id, Trigger: stacks.TriggerManual, Actor: "ada"}, someone)
			if err == nil {
				_, err = y.StartDeployment(ctx, d.ID)
			}
			if err == nil {
				_, err = y.EndDeployment(ctx, stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, At: y.at}, nil)
			}
			return err
		}},
		{"prune", func(ctx context.Context, _ int) error { _, err := y.Prune(ctx, y.at); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			longest := time.Duration(0)
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				if err := c.do(b.Context(), i); err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(began))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
		})
	}
}

// oldYard fills a store as years do.
func oldYard(b *testing.B) *fleetRoom {
	b.Helper()
	y := openFleet(b)
	y.fill(b, `INSERT INTO stacks (id, name, repository_id, path, worker_tags, auto_sync, status, drifted, out_of_sync, seen_commit, seen_tree, deployed_tree, retries, retry_at,
		revision, commit_hash, error, containers, observed_at, deleting, created_at, updated_at)
		SELECT printf('stk_%06d', i), printf('stack-%d', i), 'rep_1', '', '[]', 1, 'active', 0, 0, '', '', '', 0, 0, 0, '', '', '[]', 0, 0, 0, 0 FROM n`, 200)
	y.fill(b, `INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		SELECT printf('dep_%08d', i), printf('stk_%06d', 1 + i % 200), 'failed', 'poll', '', '', 0, '', '{}', '[]', '', '', '', 0, 1, 1, 1 FROM n`, 200_000)
	y.fill(b, `INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at)
		SELECT printf('cmd_%08d', i), 1, 'wrk_1', 'deploy', printf('stk_%06d', 1 + i % 200), printf('dep_%08d', i % 200000), 'succeeded', 1, '{}', 0, 0, i FROM n`, 1_000_000)
	y.fill(b, `INSERT INTO audit_events (id, at, actor_kind, actor_id, actor_name, address, action, resource, detail)
		SELECT printf('aud_%08d', i), i, 'user', 'usr_1', 'ada', '', 'stack.sync', printf('stk_%06d', i % 200), '' FROM n`, 1_000_000)
	y.fill(b, `INSERT INTO decisions (id, stack_id, at, trigger, commit_hash, deployed, reason, deployment_id)
		SELECT printf('dcs_%08d', i), printf('stk_%06d', 1 + i % 200), 0, 'poll', '', 0, 'nothing changed', '' FROM n`, 40_000)
	return y
}

// fill runs an INSERT that selects from n, which counts from 1 to rows.
func (r *fleetRoom) fill(b *testing.B, insert string, rows int) {
	b.Helper()
	r.exec(b, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) %s`, rows, insert))
}
