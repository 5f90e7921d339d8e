package store

import (
	"context"

	"berth/core/jobs"
)

// standing is jobs.Job.Standing of a row.
const standing = `CASE WHEN error_code <> '' THEN 'broken' WHEN last_state IN ('failed', 'lost', 'skipped') THEN 'failing'
	WHEN missed_at > last_success_at THEN 'missed' WHEN paused = 1 THEN 'paused' WHEN commit_hash = '' OR last_state = '' THEN 'new' ELSE 'well' END`

// JobCounts implements jobs.Store.
func (s *Store) JobCounts(ctx context.Context) (map[jobs.Standing]int, error) {
	return read(ctx, s, func(tx *Tx) (map[jobs.Standing]int, error) {
		return counts[jobs.Standing](tx, `SELECT standing, count(*) FROM (SELECT `+standing+` AS standing FROM jobs) AS stands GROUP BY standing ORDER BY standing LIMIT 100`)
	})
}

// maxGroups bounds the groups that are listed.
const maxGroups = 1000

// JobGroups implements jobs.Store.
func (s *Store) JobGroups(ctx context.Context) ([]string, error) {
	return read(ctx, s, func(tx *Tx) ([]string, error) {
		return many(tx, scalar[string], `SELECT DISTINCT group_name FROM jobs WHERE group_name <> '' ORDER BY group_name LIMIT ?`, maxGroups)
	})
}
