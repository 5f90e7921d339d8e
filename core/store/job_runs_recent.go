package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"berth/core"
	"berth/core/jobs"
)

// recentStep is how many jobs' runs one statement reads.
const recentStep = 50

// RecentRuns implements jobs.Store.
func (s *Store) RecentRuns(ctx context.Context, ids []core.JobID, limit int) (map[core.JobID][]jobs.Run, error) {
	return read(ctx, s, func(tx *Tx) (map[core.JobID][]jobs.Run, error) {
		found := make(map[core.JobID][]jobs.Run, len(ids))
		for some := range slices.Chunk(ids, recentStep) {
			if err := glimpses(tx, some, limit, found); err != nil {
				return nil, err
			}
		}
		return found, fillIn(tx, found)
	})
}

// glimpses reads what a picture shows of the newest runs of some jobs: a list of fifty jobs has 1,500 of them.
func glimpses(tx *Tx, ids []core.JobID, limit int, found map[core.JobID][]jobs.Run) error {
	args := []any{limit - 1}
	for _, id := range ids {
		args = append(args, id)
	}
	var job core.JobID // these are of the row that is read, for a run is large
	var id core.RunID
	var state jobs.RunState
	var queued, started, finished int64
	_, err := many(tx, func(row scanner) (none struct{}, err error) {
		err = row.Scan(&job, &id, &state, &queued, &started, &finished)
		if found[job] == nil {
			found[job] = make([]jobs.Run, 0, limit)
		}
		found[job] = append(found[job], jobs.Run{ID: id, Job: job, State: state, QueuedAt: fromMicros(queued), StartedAt: fromMicros(started), FinishedAt: fromMicros(finished)})
		return none, err
	}, `SELECT r.job_id, r.id, r.state, r.queued_at, r.started_at, r.finished_at FROM jobs j JOIN job_runs r ON r.job_id = j.id
		AND r.id >= coalesce((SELECT nth.id FROM job_runs nth WHERE nth.job_id = j.id ORDER BY nth.id DESC LIMIT 1 OFFSET ?), '')
		WHERE j.id IN (?`+strings.Repeat(`, ?`, len(ids)-1)+`) ORDER BY j.id, r.id DESC LIMIT ?`, append(args, limit*len(ids))...)
	return err
}

// fillIn reads all of the newest run of each state of each job.
func fillIn(tx *Tx, found map[core.JobID][]jobs.Run) error {
	places := map[core.RunID]*jobs.Run{}
	for _, runs := range found {
		met := map[jobs.RunState]bool{}
		for i := range runs {
			if !met[runs[i].State] {
				met[runs[i].State] = true
				places[runs[i].ID] = &runs[i]
			}
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(places)), nameStep) {
		var args []any
		for _, id := range some {
			args = append(args, id)
		}
		whole, err := many(tx, scanPlainRun, `SELECT `+plainRunColumns+` FROM job_runs r WHERE r.id IN (?`+strings.Repeat(`, ?`, len(some)-1)+`) ORDER BY r.id LIMIT ?`, append(args, nameStep)...)
		if err != nil {
			return err
		}
		for _, r := range whole {
			*places[r.ID] = r
		}
	}
	return nil
}
