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

// runLines makes lines that name their workers and, when they are of several jobs, those.
func runLines(ctx context.Context, teller NameTeller, several bool, all []jobs.Run, now time.Time) ([]runLine, error) {
	of, on, lines := []core.JobID{}, []core.WorkerID{}, make([]runLine, len(all))
	for _, r := range all {
		of, on = append(of, r.Job), append(on, r.Worker)
	}
	names := newNames(nil, nil)
	if err := names.learnWorkers(ctx, teller, on); err != nil {
		return nil, err
	}
	if !several {
		of = nil
	}
	known, err := teller.JobNames(ctx, of)
	for i, r := range all {
		lines[i] = runLineOf(r, now, hubIn(ctx))
		lines[i].Worker, lines[i].Job = names.known[string(r.Worker)].Name, known[r.Job]
	}
	return lines, err
}
