package store

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
)

// maxJobs bounds reads of a whole installation's jobs, and of their open runs.
const maxJobs = 100_000

var (
	errJobMissing   = fault.New(fault.NotFound, "job.not_found", "There is no such job.")
	errJobNameTaken = fault.New(fault.Conflict, "job.name_taken", "Another job has this name. Choose another.")
)

// jobColumns end with what may not be legible.
const jobColumns = `id, name, next_at, repository_id, path, paused, commit_hash, seen_commit, seen_tree, error_code, error,
	fired_at, last_success_at, last_state, missed, missed_at, created_at, updated_at, definition, configs`

func scanJob(row scanner) (jobs.Job, error) {
	var j jobs.Job
	var next, fired, success, missed, created, updated int64
	err := row.Scan(&j.ID, &j.Name, &next, &j.Repository, &j.Path, &j.Paused, &j.Commit, &j.SeenCommit, &j.SeenTree, &j.ErrorCode, &j.Error,
		&fired, &success, &j.LastState, &j.Missed, &missed, &created, &updated, jsonInto{&j.Definition}, jsonInto{&j.Configs})
	j.NextAt, j.FiredAt, j.LastSuccessAt, j.MissedAt = fromMicros(next), fromMicros(fired), fromMicros(success), fromMicros(missed)
	j.CreatedAt, j.UpdatedAt = fromMicros(created), fromMicros(updated)
	return j, legible("job", string(j.ID), err)
}

// Job implements jobs.Store.
func (s *Store) Job(ctx context.Context, id core.JobID) (jobs.Job, error) {
	return read(ctx, s, func(tx *Tx) (jobs.Job, error) { return jobByID(tx, id) })
}

func jobByID(tx *Tx, id core.JobID) (jobs.Job, error) {
	return one(tx, errJobMissing, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE id = ?`, id)
}

// Jobs implements jobs.Store; the cursor is the last name. Those that cannot be read are left out and named.
func (s *Store) Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error) {
	return read(ctx, s, func(tx *Tx) (core.List[jobs.Job], error) {
		return pageLegible(tx, ask, func(j jobs.Job) string { return j.Name }, scanJob, `SELECT `+jobColumns+` FROM jobs
			WHERE name > ? AND (? = '' OR repository_id = ?) AND (? = '' OR group_name = ?) AND (? = '' OR replace(name, ?, '') <> name)
			AND (? = '' OR `+standing+` = ?) AND (? = '' OR path = ? OR substr(path, 1, ?) = ?) ORDER BY name LIMIT ?`,
			ask.After, f.Repository, f.Repository, f.Group, f.Group, f.Search, f.Search, f.Standing, f.Standing,
			f.Folder, f.Folder, len([]rune(f.Folder))+1, f.Folder+"/", ask.Limit+1)
	})
}

// JobsOfRepository returns every job of a repository, by name. Those that cannot be read are left out
// and named in the error, "store.unreadable".
func (s *Store) JobsOfRepository(ctx context.Context, id core.RepositoryID) ([]jobs.Job, error) {
	return read(ctx, s, func(tx *Tx) ([]jobs.Job, error) {
		return manyLegible(tx, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE repository_id = ? ORDER BY name LIMIT ?`, id, maxJobs)
	})
}
