package store

import (
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/jobs"
)

// SaveRunLog stores pieces of logs, and how far their runs have come, in one commit: a queued run whose container
// was started becomes running. What belongs to a run that has ended or is gone is dropped. A full disk keeps
// its last room for how runs end: Unavailable "store.disk_full" then.
func (s *Store) SaveRunLog(ctx context.Context, progress []jobs.Progress, pieces []jobs.LogPiece) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		for _, p := range progress {
			if _, err := tx.exec(`UPDATE job_runs SET heard_attempt = ?, heard_event = ?, heard_log_to = ? WHERE id = ? AND state IN ('queued', 'running')`,
				p.Heard.Attempt, int64(p.Heard.Event), p.Heard.LogTo, p.Run); err != nil {
				return err
			}
			if p.StartedAt.IsZero() {
				continue
			}
			if _, err := tx.exec(`UPDATE job_runs SET state = 'running', started_at = ? WHERE id = ? AND state = 'queued' AND command_id <> ''`, micros(p.StartedAt), p.Run); err != nil {
				return err
			}
		}
		return appendRunLog(tx, pieces)
	})
}

// appendRunLog stores pieces of logs of runs that are open; a number that is stored already stays as it is.
func appendRunLog(tx *Tx, pieces []jobs.LogPiece) error {
	for some := range slices.Chunk(pieces, logStep) {
		var args []any
		for _, p := range some {
			args = append(args, p.Run, int64(p.Number), micros(p.At), p.Text)
		}
		if _, err := tx.exec(`INSERT INTO job_run_log (run_id, number, at, text)
			SELECT column1, column2, column3, column4 FROM (VALUES (?, CAST(? AS BIGINT), CAST(? AS BIGINT), ?)`+strings.Repeat(`, (?, ?, ?, ?)`, len(some)-1)+`) AS pieces
			WHERE EXISTS (SELECT 1 FROM job_runs WHERE id = column1 AND state IN ('queued', 'running')) ON CONFLICT DO NOTHING`, args...); err != nil {
			return err
		}
	}
	return nil
}

// RunLog implements jobs.Store.
func (s *Store) RunLog(ctx context.Context, id core.RunID, after uint64, limit int) ([]jobs.LogPiece, error) {
	return read(ctx, s, func(tx *Tx) ([]jobs.LogPiece, error) {
		return many(tx, func(row scanner) (jobs.LogPiece, error) {
			p := jobs.LogPiece{Run: id}
			var at int64
			err := row.Scan(&p.Number, &at, &p.Text)
			p.At = fromMicros(at)
			return p, err
		}, `SELECT number, at, text FROM job_run_log WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?`, id, int64(after), limit)
	})
}

// RunRecorded returns what is stored of a run's log. NotFound "run.not_found".
func (s *Store) RunRecorded(ctx context.Context, id core.RunID) (jobs.Recorded, error) {
	return read(ctx, s, func(tx *Tx) (jobs.Recorded, error) {
		return one(tx, errRunMissing, func(row scanner) (r jobs.Recorded, err error) {
			err = row.Scan(&r.Heard.Attempt, &r.Heard.Event, &r.Heard.LogTo, &r.Number, &r.Bytes)
			return r, err
		}, `SELECT heard_attempt, heard_event, heard_log_to, (SELECT coalesce(max(number), 0) FROM job_run_log WHERE run_id = r.id),
			(SELECT coalesce(sum(octet_length(text)), 0) FROM job_run_log WHERE run_id = r.id) FROM job_runs r WHERE r.id = ?`, id)
	})
}

// lastPieces returns the last pieces of a log that are small enough for a full disk.
func lastPieces(pieces []jobs.LogPiece) []jobs.LogPiece {
	for i, left := len(pieces), scarce; i > 0; i-- {
		if left -= len(pieces[i-1].Text); left < 0 {
			return pieces[i:]
		}
	}
	return pieces
}
