package store

import (
	"context"
	"errors"

	"berth/core/jobs"
)

// contentStep is how many jobs or runs are read at once for the files that they name.
const contentStep = 1000

// JobContent calls keep with every config file that a job or an open run names, as they are at one moment. What
// cannot be read is named in the error, "store.unreadable": what it names is not known then.
func (s *Store) JobContent(ctx context.Context, keep func(jobs.ConfigFile)) error {
	var bad []error
	err := s.db.Read(ctx, func(tx *Tx) error {
		for _, query := range []string{
			`SELECT 'job', id, '', configs FROM jobs WHERE configs <> '[]' AND (id, '') > (?, ?) ORDER BY id LIMIT ?`,
			`SELECT 'run', job_id, id, configs FROM job_runs WHERE state IN ('queued', 'running') AND configs <> '[]' AND (job_id, id) > (?, ?) ORDER BY job_id, id LIMIT ?`,
		} {
			illegible, err := contentOf(tx, query, keep)
			if err != nil {
				return err
			}
			bad = append(bad, illegible...)
		}
		return nil
	})
	return errors.Join(append(bad[:min(len(bad), maxUnreadable)], err)...)
}

// contentOf tells the files that the rows of a query name, which pages by its second and third column.
func contentOf(tx *Tx, query string, keep func(jobs.ConfigFile)) (bad []error, err error) {
	var noun, job, run string
	for {
		rows, err := many(tx, func(row scanner) (struct{}, error) {
			var files []jobs.ConfigFile
			err := row.Scan(&noun, &job, &run, jsonInto{&files})
			for _, f := range files {
				keep(f)
			}
			if errors.Is(err, errContent) {
				bad, err = append(bad, legible(noun, named(job, run), err)), nil
			}
			return struct{}{}, err
		}, query, job, run, contentStep)
		if err != nil || len(rows) < contentStep {
			return bad, err
		}
	}
}

// named is what a row is called: the run, where it is one.
func named(job, run string) string {
	if run != "" {
		return run
	}
	return job
}
