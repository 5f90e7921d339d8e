package store

import (
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/stacks"
)

// logStep is how many pieces one statement stores.
const logStep = 50

// appendLog stores pieces of logs; a number that is already stored stays as it is,
// and what belongs to a deployment that is gone is dropped. The first row says which columns are numbers.
func appendLog(tx *Tx, lines []stacks.LogLine) error {
	for some := range slices.Chunk(lines, logStep) {
		var args []any
		for _, l := range some {
			args = append(args, l.Deployment, int64(l.Number), micros(l.At), l.Text)
		}
		if _, err := tx.exec(`INSERT INTO deployment_log (deployment_id, number, at, text)
			SELECT column1, column2, column3, column4 FROM (VALUES (?, CAST(? AS BIGINT), CAST(? AS BIGINT), ?)`+strings.Repeat(`, (?, ?, ?, ?)`, len(some)-1)+`) AS lines
			WHERE EXISTS (SELECT 1 FROM deployments WHERE id = column1) ON CONFLICT DO NOTHING`, args...); err != nil {
			return err
		}
	}
	return nil
}

// DeploymentLog returns at most limit pieces of a log that come after the numbered one.
func (s *Store) DeploymentLog(ctx context.Context, id core.DeploymentID, after uint64, limit int) ([]stacks.LogLine, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.LogLine, error) {
		return many(tx, func(row scanner) (stacks.LogLine, error) {
			l := stacks.LogLine{Deployment: id}
			var at int64
			err := row.Scan(&l.Number, &at, &l.Text)
			l.At = fromMicros(at)
			return l, err
		}, `SELECT number, at, text FROM deployment_log WHERE deployment_id = ? AND number > ? ORDER BY number LIMIT ?`, id, int64(after), limit)
	})
}

// HeardOf returns how far the events of a deployment are stored. NotFound "deployment.not_found".
func (s *Store) HeardOf(ctx context.Context, id core.DeploymentID) (stacks.Heard, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Heard, error) {
		return one(tx, errDeploymentMissing, func(row scanner) (h stacks.Heard, err error) {
			return h, row.Scan(&h.Command, &h.Attempt, &h.Event)
		}, `SELECT heard_command, heard_attempt, heard_event FROM deployments WHERE id = ?`, id)
	})
}

// LastLogNumber returns the number of the last piece of a log; 0 when there is none.
func (s *Store) LastLogNumber(ctx context.Context, id core.DeploymentID) (uint64, error) {
	return read(ctx, s, func(tx *Tx) (uint64, error) {
		return one(tx, nil, scalar[uint64], `SELECT coalesce(max(number), 0) FROM deployment_log WHERE deployment_id = ?`, id)
	})
}

// scarce is how many bytes of a log are stored at a deployment's end while the disk is full.
const scarce = 16 << 10

// lastLines returns the last pieces of a log that are small enough for a full disk.
func lastLines(lines []stacks.LogLine) []stacks.LogLine {
	for i, left := len(lines), scarce; i > 0; i-- {
		if left -= len(lines[i-1].Text); left < 0 {
			return lines[i:]
		}
	}
	return lines
}
