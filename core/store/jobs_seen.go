package store

import (
	"context"
	"time"

	"berth/core/fault"
	"berth/core/jobs"
)

// RecordSights stores what polling found of jobs, in one commit, and when each is due next, which next says of
// the job as it is after the sight. What is no news is not written. Jobs that are gone are passed over.
func (s *Store) RecordSights(ctx context.Context, sights []jobs.Sight, next func(jobs.Job) time.Time) error {
	if len(sights) == 0 {
		return nil
	}
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		for _, sight := range sights {
			if err := s.recordSight(tx, sight, next); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) recordSight(tx *Tx, sight jobs.Sight, next func(jobs.Job) time.Time) error {
	was, err := jobByID(tx, sight.Job)
	bad := unreadable(err)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case bad && sight.ErrorCode != "":
		return nil // it waits until the row is put right, or a commit can be used
	case err != nil && !bad:
		return err
	}
	j := was
	j.SeenCommit, j.SeenTree, j.ErrorCode, j.Error = sight.Commit, sight.Tree, sight.ErrorCode, sight.Error
	if sight.ErrorCode == "" {
		j.Commit, j.Definition, j.Configs = sight.Commit, sight.Definition, sight.Configs
	}
	j.NextAt = fromMicros(micros(next(j)))
	if !bad && alike(was, j) {
		return nil
	}
	_, err = tx.exec(`UPDATE jobs SET group_name = ?, commit_hash = ?, definition = ?, configs = ?, seen_commit = ?, seen_tree = ?, error_code = ?, error = ?, next_at = ?, updated_at = ? WHERE id = ?`,
		j.Definition.Group, j.Commit, toJSON(j.Definition), toJSON(list(j.Configs)), j.SeenCommit, j.SeenTree, j.ErrorCode, j.Error, micros(j.NextAt), micros(s.now()), j.ID)
	return err
}

// alike reports whether two states of a job would be stored alike.
func alike(a, b jobs.Job) bool {
	return a.NextAt.Equal(b.NextAt) && a.Commit == b.Commit && a.SeenCommit == b.SeenCommit && a.SeenTree == b.SeenTree && a.ErrorCode == b.ErrorCode && a.Error == b.Error &&
		toJSON(a.Definition) == toJSON(b.Definition) && toJSON(list(a.Configs)) == toJSON(list(b.Configs))
}
