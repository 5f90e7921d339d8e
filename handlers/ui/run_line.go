package ui

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
)

// JobFinder finds one job. NotFound "job.not_found".
type JobFinder interface {
	Job(ctx context.Context, id core.JobID) (jobs.Job, error)
}

// RunLister lists runs, newest first.
type RunLister interface {
	Runs(ctx context.Context, f jobs.RunFilter, ask core.Page) (core.List[jobs.Run], error)
}

// runTable is a list of runs, newest first.
type runTable struct {
	Jobs  bool // each line names its job
	Lines []runLine
}

type runLine struct {
	Href    string
	Badge   badge
	Job     string
	JobHref string
	Cause   string
	Actor   string // empty for a schedule
	Worker  string
	Exit    string // exit code of its container, when it is not 0; empty: there is none to tell
	Took    string
	When    moment
}

func jobHref(id core.JobID) string { return "/jobs/" + string(id) }
func runHref(id core.RunID) string { return "/job-runs/" + string(id) }

func runLineOf(r jobs.Run, now time.Time, hub hubNotice) runLine {
	line := runLine{Href: runHref(r.ID), Badge: badgeOf(runBadges, r.State), JobHref: jobHref(r.Job), Cause: runCause(r), Took: runTook(r, now, hub), When: at(r.QueuedAt, now)}
	if r.Actor != "system" {
		line.Actor = r.Actor
	}
	if r.ExitCode != nil && *r.ExitCode != 0 {
		line.Exit = exitWords(r)
	}
	return line
}

// gone reports whether something is not there any more, or cannot be read: a list of other things goes on.
func gone(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.CodeOf(err) == "store.unreadable"
}

// runTook says how long a run took, or has taken so far; see tookOf.
func runTook(r jobs.Run, now time.Time, hub hubNotice) string {
	if hub.Away && !r.State.Ended() && !r.StartedAt.IsZero() {
		return notKnown
	}
	return between(r.StartedAt, r.FinishedAt, now)
}

// runLines makes lines that name their workers and, when finder is not nil, their jobs. Each is looked up once.
func runLines(ctx context.Context, finder JobFinder, names *names, all []jobs.Run, now time.Time) ([]runLine, error) {
	known := map[core.JobID]string{}
	lines := make([]runLine, len(all))
	for i, r := range all {
		lines[i] = runLineOf(r, now, hubIn(ctx))
		worker, err := names.worker(ctx, r.Worker)
		if err != nil {
			return nil, err
		}
		lines[i].Worker = worker.Name
		if _, found := known[r.Job]; !found && finder != nil {
			j, err := finder.Job(ctx, r.Job)
			if err != nil && !gone(err) {
				return nil, err
			}
			known[r.Job] = j.Name
		}
		lines[i].Job = known[r.Job]
	}
	return lines, nil
}
