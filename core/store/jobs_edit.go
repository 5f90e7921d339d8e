package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
)

// CreateJob implements jobs.Store.
func (s *Store) CreateJob(ctx context.Context, j jobs.Job, by access.Principal) (jobs.Job, error) {
	return writeNew(ctx, s, func(tx *Tx) (jobs.Job, error) {
		if err := mustExist(tx, `SELECT 1 FROM repositories WHERE id = ?`, string(j.Repository), "repository_id", "names no repository"); err != nil {
			return j, err
		}
		if err := placeFree(tx, j); err != nil {
			return j, err
		}
		now := micros(s.now())
		err := tx.insert(errJobNameTaken, `INSERT INTO jobs (id, name, repository_id, path, group_name, paused, commit_hash, definition, configs, seen_commit, seen_tree,
			error_code, error, next_at, fired_at, last_success_at, last_state, last_took, missed, missed_at, created_at, updated_at)
			VALUES (?, ?, ?, ?, '', ?, '', '{}', '[]', '', '', '', '', 0, 0, 0, '', 0, 0, 0, ?, ?)`,
			j.ID, j.Name, j.Repository, j.Path, j.Paused, now, now)
		if err != nil {
			return j, err
		}
		if err := s.lookAgain(tx, j.Repository, by); err != nil {
			return j, err
		}
		if err := s.audit(tx, by.Audit("job.create", string(j.ID), j.Name)); err != nil {
			return j, err
		}
		return jobByID(tx, j.ID)
	})
}

// placeFree refuses a folder that another job follows. Where two are added at once, the second is told so
// when it is run again.
func placeFree(tx *Tx, j jobs.Job) error {
	other, err := many(tx, scalar[string], `SELECT name FROM jobs WHERE repository_id = ? AND path = ? AND id <> ? LIMIT 1`, j.Repository, j.Path, j.ID)
	if err == nil && len(other) > 0 {
		err = fault.New(fault.Conflict, "job.path_taken", "The job %q follows this folder of the repository already.", other[0])
	}
	return err
}

// UpdateJob implements jobs.Store.
func (s *Store) UpdateJob(ctx context.Context, id core.JobID, change jobs.Change, by access.Principal) (jobs.Job, error) {
	return write(ctx, s, func(tx *Tx) (jobs.Job, error) {
		j, err := jobByID(tx, id)
		if err != nil {
			return j, err
		}
		if change.Path != nil && *change.Path != j.Path {
			j.Path = *change.Path
			if err := s.moveJob(tx, j, by); err != nil {
				return j, err
			}
			if j, err = jobByID(tx, id); err != nil {
				return j, err
			}
		}
		action := "job.update"
		if change.Paused != nil && *change.Paused != j.Paused {
			j.Paused, action = *change.Paused, "job.resume"
			if j.Paused {
				action = "job.pause"
			}
			j.NextAt = j.Due(s.now())
		}
		if change.Name != nil {
			j.Name = *change.Name
		}
		if err := tx.insert(errJobNameTaken, `UPDATE jobs SET name = ?, paused = ?, next_at = ?, updated_at = ? WHERE id = ?`,
			j.Name, j.Paused, micros(j.NextAt), micros(s.now()), id); err != nil {
			return j, err
		}
		if err := s.audit(tx, by.Audit(action, string(id), j.Name)); err != nil {
			return j, err
		}
		return jobByID(tx, id)
	})
}

// moveJob has a job follow another folder: it is not ready until that was read.
func (s *Store) moveJob(tx *Tx, j jobs.Job, by access.Principal) error {
	if err := placeFree(tx, j); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE jobs SET path = ?, group_name = '', commit_hash = '', definition = '{}', configs = '[]', seen_commit = '', seen_tree = '',
		error_code = '', error = '', next_at = 0 WHERE id = ?`, j.Path, j.ID); err != nil {
		return err
	}
	if err := s.dropProposal(tx, string(j.ID)); err != nil {
		return err
	}
	return s.lookAgain(tx, j.Repository, by)
}

// DeleteJob implements jobs.Store. A row that cannot be read keeps nobody from it. Logs, which can be long, go when
// the store is pruned.
func (s *Store) DeleteJob(ctx context.Context, id core.JobID, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		name, err := one(tx, errJobMissing, scalar[string], `SELECT name FROM jobs WHERE id = ?`, id)
		if err != nil {
			return err
		}
		open, err := many(tx, scalar[core.RunID], `SELECT id FROM job_runs WHERE job_id = ? AND state IN ('queued', 'running') ORDER BY id LIMIT 1`, id)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return fault.New(fault.Conflict, "job.running", "A run of the job %q is not over. Cancel it or wait for it, then delete the job; while the job is paused no other begins.", name)
		}
		if err := s.dropProposal(tx, string(id)); err != nil {
			return err
		}
		for _, query := range []string{
			`INSERT INTO job_logs_left (run_id) SELECT id FROM job_runs WHERE job_id = ?`,
			`DELETE FROM variables WHERE scope = 'job' AND scope_id = ?`,
			`DELETE FROM variable_bindings WHERE scope = 'job' AND scope_id = ?`,
			`DELETE FROM jobs WHERE id = ?`, // and all that hangs on it, but for logs
		} {
			if _, err := tx.exec(query, id); err != nil {
				return err
			}
		}
		return s.audit(tx, by.Audit("job.delete", string(id), name))
	})
}
