package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"berth/core"
	"berth/handlers/api"
)

const (
	manyJobs    = 10_000
	jobWorkers  = 50
	jobsRepo    = "bench-jobs"
	firesGoal   = 10_000.0 / 60 // a second: all that are due in a minute, before the next one
	jobRestGoal = 1.0           // percent of one core
)

// measureJobs brings many jobs up, watches them at rest, and lets all of them come due at once.
func measureJobs(ctx context.Context, b *bench) (figures []figure, err error) {
	y := &jobYard{b: b}
	s, err := b.newSite(jobsRepo)
	if err != nil {
		return nil, err
	}
	if y.server, _, err = b.startLocal(ctx, s); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, y.stop()) }()
	if err := y.setUp(ctx); err != nil {
		return nil, err
	}
	if y.crowd, err = b.startAide("aide-crowd"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, y.crowd.end()) }()
	if y.db, err = watchDatabase(ctx, s.database()); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, y.db.close()) }()
	for _, measure := range []func(context.Context) ([]figure, error){y.bring, y.rest, y.add, y.rest, y.fire} {
		some, err := measure(ctx)
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

// jobYard is a server with workers and many jobs of one repository.
type jobYard struct {
	*server
	b          *bench
	crowd      *aide
	db         *database
	repository core.RepositoryID
	jobs       int
	without    float64 // percent of one core that the server used at rest before it had jobs
}

// bring brings the workers in.
func (y *jobYard) bring(ctx context.Context) ([]figure, error) {
	y.b.say("bringing %d workers in", jobWorkers)
	tokens, err := y.workerTokens(ctx, jobWorkers)
	if err != nil {
		return nil, err
	}
	q, a := crowdQuestion{URL: y.site.workerURL(), Runs: true}, crowdAnswer{}
	for _, token := range tokens {
		q.Bring = append(q.Bring, token.Reveal())
	}
	if err := y.crowd.ask(q, &a); err != nil {
		return nil, err
	}
	return nil, until(ctx, time.Minute, 50*time.Millisecond, "the workers' links", func(context.Context) (bool, error) {
		err := y.crowd.ask(crowdQuestion{}, &a)
		return a.Online == jobWorkers, err
	})
}

// add adds the jobs, which are not due for a while.
func (y *jobYard) add(ctx context.Context) ([]figure, error) {
	y.b.say("adding %d jobs", manyJobs)
	if err := y.b.git.Create(jobsRepo); err != nil {
		return nil, err
	}
	away := time.Now().UTC().AddDate(0, 6, 0)
	if err := y.commit(fmt.Sprintf("0 0 1 %d *", away.Month())); err != nil {
		return nil, err
	}
	var err error
	if y.repository, err = y.addRepository(ctx, y.b, jobsRepo); err != nil {
		return nil, err
	}
	began, errs := time.Now(), make([]error, adders)
	var all sync.WaitGroup
	for a := range adders {
		all.Go(func() {
			for i := a; i < manyJobs && errs[a] == nil; i += adders {
				_, errs[a] = post[struct{}](ctx, y.client, "/api/custom/jobs", api.CreateJobRequest{Name: jobName(i), RepositoryID: y.repository, Path: jobFolder(i)})
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	y.jobs = manyJobs
	err = y.read(ctx, `SELECT count(*) FROM jobs WHERE next_at > 0`)
	return []figure{{name: fmt.Sprintf("%d jobs: added over the API and read from the repository", manyJobs), result: fmt.Sprintf("%.0f s", time.Since(began).Seconds())}}, err
}

// read waits until a query counts every job.
func (y *jobYard) read(ctx context.Context, query string, args ...any) error {
	return until(ctx, 10*time.Minute, 100*time.Millisecond, "every job's being read", func(ctx context.Context) (bool, error) {
		n, err := y.db.number(ctx, query, args...)
		return n == manyJobs, errors.Join(err, y.alive())
	})
}

// commit gives every job a schedule.
func (y *jobYard) commit(cron string) error {
	files := map[string]string{}
	for i := range manyJobs {
		files[jobFolder(i)+"/job.yaml"] = fmt.Sprintf("name: %s\ncron: %q\nimage: backup:1\ncommand: [backup, \"%d\"]\nresources: {cpu: 0.5, memory: 64m, timeout: 10m}\n", jobName(i), cron, i)
	}
	_, err := y.b.git.Commit(jobsRepo, "main", files, "Many jobs")
	return err
}

func jobName(i int) string   { return fmt.Sprintf("j%05d", i) }
func jobFolder(i int) string { return fmt.Sprintf("jobs/%02d/%s", i/100, jobName(i)) }

// rest measures the server while nothing is due.
func (y *jobYard) rest(ctx context.Context) ([]figure, error) {
	y.b.say("settling for %v, then watching for %v", settling, idleTime)
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	began := time.Now()
	from, err := processorTime(y.pid())
	if err != nil {
		return nil, err
	}
	before, _, err := y.db.state(ctx)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, idleTime); err != nil {
		return nil, err
	}
	to, err := processorTime(y.pid())
	if err != nil {
		return nil, err
	}
	after, _, err := y.db.state(ctx)
	if err != nil {
		return nil, err
	}
	percent := 100 * float64(to-from) / float64(time.Since(began))
	figures := []figure{{name: fmt.Sprintf("%d jobs, %d workers, at rest: processor time of the server", y.jobs, jobWorkers), result: fmt.Sprintf("%.2f %% of a core, %.0f ms a minute", percent, (to-from).Seconds()*1000)}}
	if y.jobs == 0 {
		y.without = percent
		return figures, nil
	}
	figures[0].goal, figures[0].met = fmt.Sprintf("under %g %% more than without jobs", jobRestGoal), percent-y.without < jobRestGoal
	written := "nothing was committed"
	if before != after {
		written = "something was committed"
	}
	return append(figures, figure{name: "  database meanwhile", result: written, goal: "no row per tick", met: before == after}), nil
}
