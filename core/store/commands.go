package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

var errCommandMissing = fault.New(fault.NotFound, "command.not_found", "There is no such command.")

const commandColumns = `id, attempt, worker_id, kind, stack_id, deployment_id, run_id, state, epoch, body, deadline_at, created_at`

func scanCommand(row scanner) (stacks.Command, error) {
	var c stacks.Command
	var deadline, created int64
	err := row.Scan(&c.ID, &c.Attempt, &c.Worker, &c.Kind, &c.Stack, &c.Deployment, &c.Run, &c.State, &c.Epoch, jsonInto{&c.Body}, &deadline, &created)
	c.DeadlineAt, c.CreatedAt = fromMicros(deadline), fromMicros(created)
	return c, legible("command", string(c.ID), err)
}

func insertCommand(tx *Tx, c stacks.Command) error {
	_, err := tx.exec(`INSERT INTO commands (`+commandColumns+`, ended_at) VALUES `+tuples(1, 13), commandValues(c)...)
	return err
}

// commandValues are the columns of a command that has not ended.
func commandValues(c stacks.Command) []any {
	return []any{c.ID, c.Attempt, c.Worker, c.Kind, c.Stack, c.Deployment, c.Run, c.State, c.Epoch, toJSON(c.Body), micros(c.DeadlineAt), micros(c.CreatedAt), 0}
}

// Command returns one command of a worker. Another worker's is NotFound.
func (s *Store) Command(ctx context.Context, worker core.WorkerID, id core.CommandID) (stacks.Command, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Command, error) {
		return one(tx, errCommandMissing, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE id = ? AND worker_id = ?`, id, worker)
	})
}

// OpenCommands returns a worker's commands that have not ended, oldest first. Those that cannot
// be read are left out and named in the error, "store.unreadable".
func (s *Store) OpenCommands(ctx context.Context, worker core.WorkerID) ([]stacks.Command, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Command, error) {
		return manyLegible(tx, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE worker_id = ? AND ended_at = 0 ORDER BY id LIMIT ?`, worker, maxStacks)
	})
}

// OldestCommands returns a worker's oldest open commands, at most limit: runs of jobs, or all others. Those that
// cannot be read are left out and named in the error, "store.unreadable".
func (s *Store) OldestCommands(ctx context.Context, worker core.WorkerID, runs bool, limit int) ([]stacks.Command, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Command, error) {
		return manyLegible(tx, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE worker_id = ? AND ended_at = 0 AND (kind = ?) = (? = 1) ORDER BY id LIMIT ?`,
			worker, stacks.CommandRun, number(runs), limit)
	})
}

// WorkersWithQueuedCommands returns the workers that have commands to be sent.
func (s *Store) WorkersWithQueuedCommands(ctx context.Context) ([]core.WorkerID, error) {
	return read(ctx, s, func(tx *Tx) ([]core.WorkerID, error) {
		return many(tx, scalar[core.WorkerID], `SELECT DISTINCT worker_id FROM commands WHERE ended_at = 0 AND state = 'queued' AND deadline_at <= ? ORDER BY worker_id LIMIT ?`, micros(s.now()), maxStacks)
	})
}

// MarkSent records that a command is about to be sent on the link of this epoch, and
// starts its deadline unless the worker has it already. It returns the command as it is now;
// NotFound when it has ended meanwhile, went out on a newer link or is another worker's.
func (s *Store) MarkSent(ctx context.Context, worker core.WorkerID, id core.CommandID, epoch uint64) (stacks.Command, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Command, error) {
		c, err := one(tx, errCommandMissing, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE id = ? AND worker_id = ? AND ended_at = 0 AND epoch <= ?`, id, worker, int64(epoch))
		if err != nil {
			return c, err
		}
		if c.State != stacks.CommandAccepted {
			c.DeadlineAt = s.now().Add(time.Duration(c.Body.Seconds) * time.Second)
		}
		if c.State == stacks.CommandQueued {
			c.State = stacks.CommandSent
		}
		c.Epoch = epoch
		_, err = tx.exec(`UPDATE commands SET state = ?, epoch = ?, deadline_at = ? WHERE id = ?`, c.State, int64(epoch), micros(c.DeadlineAt), id)
		return c, err
	})
}

// MarkAccepted records that a command is on the worker's disk. Only this worker's own
// command, this attempt and the current epoch count; anything else is NotFound.
func (s *Store) MarkAccepted(ctx context.Context, worker core.WorkerID, id core.CommandID, attempt int, epoch uint64) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		return tx.change(errCommandMissing, `UPDATE commands SET state = 'accepted' WHERE id = ? AND worker_id = ? AND attempt = ? AND epoch = ? AND ended_at = 0`,
			id, worker, attempt, int64(epoch))
	})
}
