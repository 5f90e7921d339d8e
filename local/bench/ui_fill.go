package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// What the server knows beside stacks and deployments whose pages are measured.
const (
	uiWorkers   = 1000
	uiJobs      = 200
	uiRuns      = 100 // of each job
	uiRevisions = 5   // of each stack

	deployedEvery = 6 * time.Hour // each stack, until a minute ago
)

// fillPages stores what pages show beside stacks, deployments and tokens of workers: a worker of each token with a
// stack, revisions, and jobs with their runs.
func fillPages(ctx context.Context, s site) error {
	if err := fillJobs(ctx, s); err != nil {
		return err
	}
	raw, err := sql.Open("sqlite", filepath.Join(s.database(), sqlite.File))
	if err != nil {
		return err
	}
	raw.SetMaxOpenConns(1)
	now := time.Now()
	for _, fill := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO workers (id, token_id, key, hostname, tags, version, os, arch, epoch, revoked, connected_at, left_at, created_at)
			SELECT replace(id, substr(id, 1, instr(id, '_')), ?), id, CAST(id AS BLOB), 'edge-' || substr(id, -6) || '.example.com', '["edge"]', 'bench', 'linux', 'amd64', 1, 0, ?, ?, ? FROM worker_tokens`,
			[]any{core.PrefixWorker + "_", now.Add(-time.Hour).UnixMicro(), now.Add(-time.Minute).UnixMicro(), now.UnixMicro()}},
		{`WITH s AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM stacks), w AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM workers)
			UPDATE stacks SET status = CASE s.n % 20 WHEN 0 THEN 'error' WHEN 1 THEN 'degraded' ELSE 'active' END, worker_id = w.id, revision = ? FROM s JOIN w ON w.n = s.n WHERE s.id = stacks.id`,
			[]any{uiRevisions}},
		{`WITH d AS (SELECT id, row_number() OVER (PARTITION BY stack_id ORDER BY id DESC) AS n FROM deployments)
			UPDATE deployments SET queued_at = ?1 - (d.n - 1) * ?2, started_at = ?1 - (d.n - 1) * ?2, finished_at = ?1 - (d.n - 1) * ?2 + 20000000 FROM d WHERE d.id = deployments.id`,
			[]any{now.Add(-time.Minute).UnixMicro(), deployedEvery.Microseconds()}},
		{`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
			INSERT INTO revisions (stack_id, number, commit_hash, digest, manifest, services, content, variables, watch, tree, created_at, verified_at, secrets_file)
			SELECT s.id, i, substr('0123456789abcdef0123456789abcdef01234567', 1, 38) || (10 + i), 'digest ' || i, '{}', '[]', '[]', '[]', '[]', 'tree', ?, ?, '' FROM stacks s, n`,
			[]any{uiRevisions, now.UnixMicro(), now.UnixMicro()}},
		{`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
			INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before, error_code, error, cancelling, cancelled_by,
			queued_at, started_at, finished_at, definition, configs, given)
			SELECT printf('` + core.PrefixRun + `_%s%04d', substr(j.id, -22), i), j.id, printf('` + core.PrefixRun + `_%s%04d', substr(j.id, -22), i), CASE i % 10 WHEN 0 THEN 'failed' ELSE 'succeeded' END, 'cron', 'system', ?2 - i * 3600000000, j.commit_hash,
			(SELECT id FROM workers LIMIT 1), '', '', 1, 0, '', '', 0, '', ?2 - i * 3600000000, ?2 - i * 3600000000, ?2 - i * 3600000000 + 5000000, j.definition, j.configs, '[]' FROM jobs j, n`,
			[]any{uiRuns, now.UnixMicro()}},
	} {
		if _, err = raw.ExecContext(ctx, fill.sql, fill.args...); err != nil {
			break
		}
	}
	return errors.Join(err, raw.Close())
}

// fillJobs stores jobs that were read and are due in a day.
func fillJobs(ctx context.Context, s site) error {
	db, err := sqlite.Open(ctx, s.database(), nil)
	if err != nil {
		return err
	}
	kept, now := store.New(db, time.Now), time.Now()
	from, err := kept.Repositories(ctx)
	if err != nil || len(from) == 0 {
		return errors.Join(err, errors.New("there is no repository"), db.Close())
	}
	var sights []jobs.Sight
	for i := 0; err == nil && i < uiJobs; i++ {
		var j jobs.Job
		j, err = kept.CreateJob(ctx, jobs.Job{ID: core.JobID(core.NewID(core.PrefixJob, now)), Name: fmt.Sprintf("job-%d", i), Repository: from[0].ID, Path: fmt.Sprintf("jobs/%d", i)}, access.System)
		sights = append(sights, jobs.Sight{Job: j.ID, Commit: "c1", Tree: "t1", Definition: jobs.Definition{Name: j.Name, Cron: "@daily", Timezone: "UTC", Mode: jobs.ModeOnce, Image: "busybox",
			Overlap: jobs.OverlapSkip, StartDeadline: jobs.DefaultStartDeadline, Resources: jobs.Resources{CPU: 1, Memory: 64 << 20, Timeout: time.Minute}}})
	}
	if err == nil {
		err = kept.RecordSights(ctx, sights, func(jobs.Job) time.Time { return now.Add(24 * time.Hour) })
	}
	return errors.Join(err, db.Close())
}
