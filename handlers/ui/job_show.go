package ui

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobReader reads all that a job's page shows.
type JobReader interface {
	JobFinder
	NameTeller
	RunLister
}

// shownRuns is how many runs a job's page lists; its picture shows more.
const shownRuns = 10

type jobShowPage struct {
	Head    jobHead
	Broken  told   // what is wrong with the newest commit
	Seen    string // that commit
	Held    bool   // while that is so, what was read before is shown
	Missed  missedNotice
	Facts   jobFacts
	Times   jobTimes
	Said    []saidLine // what its job.yaml says beyond the facts
	Picture runPicture
	Figures []figure
	Runs    runTable
	All     string // address of all runs; empty: all are shown here
}

var jobShowView = newView[jobShowPage]("job_show.html")

// Job shows one job: how it stands and why, when it runs next, what ran.
func Job(reader JobReader, repositories RepositoryFinder, workers WorkerFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := reader.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		page, newest, err := showJob(r.Context(), reader, newNames(repositories, workers), j, now())
		if err != nil {
			return err
		}
		f := newFrame(r, inJobs, j.Name, crumb{"Jobs", "/jobs"})
		return jobShowView.write(w, r, http.StatusOK, f.following(j.Commit == "" || anyOpen(newest)), page)
	})
}

func jobIn(r *http.Request) core.JobID { return core.JobID(r.PathValue("id")) }

func anyOpen(runs []jobs.Run) bool {
	for _, r := range runs {
		if !r.State.Ended() {
			return true
		}
	}
	return false
}

func showJob(ctx context.Context, reader JobReader, names *names, j jobs.Job, now time.Time) (page jobShowPage, newest []jobs.Run, err error) {
	list, err := reader.Runs(ctx, jobs.RunFilter{Job: j.ID}, core.Page{Limit: pictureRuns})
	if err != nil {
		return page, nil, err
	}
	newest = list.Items
	page = jobShowPage{Head: jobHeadOf(j, newest, tabOverview), Missed: missedOf(j, now), Times: timesOf(j, now), Said: saidOf(j), Picture: pictureOf(newest, now, hubIn(ctx)).titled(newest, now, hubIn(ctx)), Figures: runFigures(newest)}
	if j.ErrorCode != "" {
		page.Broken, page.Seen, page.Held = tellingOf(j.Error), j.SeenCommit.Short(), j.Commit != ""
	}
	if len(newest) > shownRuns || list.Next != "" {
		page.All = runsHref(j.ID)
	}
	if page.Facts, err = jobFactsOf(ctx, j, names, now); err != nil {
		return page, nil, err
	}
	page.Runs.Lines, err = runLines(ctx, reader, false, newest[:min(len(newest), shownRuns)], now)
	return page, newest, err
}

// runsHref lists the runs of a job.
func runsHref(id core.JobID) string {
	return withQuery("/job-runs", url.Values{"job": {string(id)}})
}

// runFigures sums up the runs that a picture shows: how many of those that came to something did well, and
// how long one takes.
func runFigures(newest []jobs.Run) []figure {
	good, tried := 0, 0
	var times []time.Duration
	for _, r := range newest {
		switch r.State {
		case jobs.RunSucceeded:
			good, tried = good+1, tried+1
			times = append(times, lasted(r, r.FinishedAt, hubNotice{}))
		case jobs.RunFailed, jobs.RunLost:
			tried++
		}
	}
	var figures []figure
	if tried > 0 {
		figures = append(figures, figure{"Succeeded", percent(good, tried)})
	}
	if len(times) > 0 {
		figures = append(figures, figure{"Median time", took(median(times))})
	}
	return figures
}
