package store

import (
	"slices"
	"strings"

	"berth/core/jobs"
	"berth/core/stacks"
)

// rowStep is how many rows one statement stores.
const rowStep = 50

// stored is a start as it is stored: a run names its command and that one its run, and an end has a time.
func (s *Store) stored(start jobs.Start) jobs.Start {
	r := &start.Run
	if r.State.Ended() {
		start.Command = nil
		if r.FinishedAt.IsZero() {
			r.FinishedAt = fromMicros(micros(s.now()))
		}
	}
	r.Command = ""
	if start.Command != nil {
		c := *start.Command
		c.Run = r.ID
		start.Command, r.Command, r.Worker = &c, c.ID, c.Worker
	}
	return start
}

// keepStarts stores new runs with their commands.
func (s *Store) keepStarts(tx *Tx, starts []jobs.Start) ([]jobs.Run, error) {
	runs := make([]jobs.Run, len(starts))
	for i, start := range starts {
		starts[i] = s.stored(start)
		runs[i] = starts[i].Run
	}
	if err := insertRuns(tx, runs); err != nil {
		return nil, err
	}
	return s.follow(tx, starts)
}

// follow stores what follows from runs that were stored: their commands, and what those that ended at once say
// of their jobs.
func (s *Store) follow(tx *Tx, starts []jobs.Start) ([]jobs.Run, error) {
	var runs []jobs.Run
	var commands []stacks.Command
	for _, start := range starts {
		runs = append(runs, start.Run)
		if start.Command != nil {
			commands = append(commands, *start.Command)
		}
		if start.Run.State.Ended() {
			if err := over(tx, start.Run); err != nil {
				return nil, err
			}
		}
	}
	return runs, insertCommands(tx, commands)
}

// insertRuns stores new runs.
func insertRuns(tx *Tx, runs []jobs.Run) error {
	for some := range slices.Chunk(runs, rowStep) {
		var args []any
		for _, r := range some {
			args = append(args, r.ID, r.Job, r.Fire, r.State, r.Trigger, r.Actor, micros(r.ScheduledAt), r.Commit, r.Worker, r.Command, r.RetryOf, r.Attempt, micros(r.NotBefore),
				exitCode(r.ExitCode), r.ErrorCode, r.Error, r.Cancelling, r.CancelledBy, micros(r.QueuedAt), micros(r.StartedAt), micros(r.FinishedAt),
				toJSON(r.Definition), toJSON(list(r.Configs)), toJSON(list(r.Overrides)))
		}
		if _, err := tx.exec(`INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before,
			exit_code, error_code, error, cancelling, cancelled_by, queued_at, started_at, finished_at, definition, configs, given) VALUES `+tuples(len(some), 24), args...); err != nil {
			return err
		}
	}
	return nil
}

// insertCommands stores new commands.
func insertCommands(tx *Tx, commands []stacks.Command) error {
	for some := range slices.Chunk(commands, rowStep) {
		var args []any
		for _, c := range some {
			args = append(args, commandValues(c)...)
		}
		if _, err := tx.exec(`INSERT INTO commands (`+commandColumns+`, ended_at) VALUES `+tuples(len(some), 13), args...); err != nil {
			return err
		}
	}
	return nil
}

// tuples are the placeholders of rows.
func tuples(rows, columns int) string {
	one := "(?" + strings.Repeat(", ?", columns-1) + ")"
	return one + strings.Repeat(", "+one, rows-1)
}

// moreTuples are the placeholders of rows that follow another; there may be none.
func moreTuples(rows, columns int) string {
	if rows == 0 {
		return ""
	}
	return ", " + tuples(rows, columns)
}

func exitCode(code *int) any {
	if code == nil {
		return nil
	}
	return *code
}
