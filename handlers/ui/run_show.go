package ui

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunReader reads one run, its log, and the other runs of its job.
type RunReader interface {
	JobFinder
	NameTeller
	RunLister
	// Run returns one run. NotFound "run.not_found".
	Run(ctx context.Context, id core.RunID) (jobs.Run, error)
	// RunLog returns at most limit pieces of a log that come after the numbered one.
	RunLog(ctx context.Context, id core.RunID, after uint64, limit int) ([]jobs.LogPiece, error)
}

type runPage struct {
	Job         string
	JobHref     string
	Badge       badge
	Trouble     told   // why it failed, was skipped or is lost
	Note        string // what else there is to know
	Stopped     bool   // the note is about a run that was cancelled
	Waits       string // what a run waits for that has not begun; empty: nothing, or it has begun
	Until       moment // a retry does not begin earlier; empty: it may begin now
	Away        string // the worker that it runs on, which is offline; empty: none
	Open        bool
	Again       bool // it did not end well: asking for another is the thing to do
	Cancelling  bool
	CancelHref  string
	CancelledBy string // who asked to stop it; empty: nobody did
	BeforeHref  string // the attempt before; empty: it is no retry
	NextHref    string // the attempt that follows; empty: there is none
	Cause       string
	Actor       string
	Attempt     int
	Worker      string
	Exit        string
	Commit      string
	Image       string
	Scheduled   moment
	Started     moment
	Finished    moment
	Took        string
	Overrides   []string
	Others      runTable // runs of the same fire on other workers, of a job that runs on all
	Log         logView
}

var runView = newView[runPage]("run_show.html")

// Run shows one run: how it ended or stands, and its log, which the script follows.
func Run(reader RunReader, workers WorkerFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		look, err := lookIn(r)
		if err != nil {
			return err
		}
		run, err := reader.Run(r.Context(), core.RunID(r.PathValue("id")))
		if err != nil {
			return err
		}
		j, err := reader.Job(r.Context(), run.Job)
		if err != nil {
			return err
		}
		page, err := showRun(r.Context(), reader, newNames(nil, workers), run, j, now())
		if err != nil {
			return err
		}
		// The state was read first: the log of a run that had ended is whole.
		pieces, err := reader.RunLog(r.Context(), run.ID, look.after, logPageSize)
		if err != nil {
			return err
		}
		page.Log = logOf(r.Context(), loggedRun(run), pieces, runPiece, look)
		f := newFrame(r, inJobs, "Run of "+j.Name, jobTrail(j)...)
		if !page.Log.Whole {
			f = f.following(true)
		}
		if page.Open {
			f.Reload = 5
		}
		return runView.write(w, r, http.StatusOK, f, page)
	})
}

func showRun(ctx context.Context, reader RunReader, names *names, r jobs.Run, j jobs.Job, now time.Time) (runPage, error) {
	p := runPage{Job: j.Name, JobHref: jobHref(j.ID), Badge: badgeOf(runBadges, r.State), Note: runNote(r), Stopped: r.State == jobs.RunCancelled, Open: !r.State.Ended(),
		Cancelling: r.Cancelling, CancelHref: runHref(r.ID) + "/cancel", CancelledBy: r.CancelledBy, Cause: runCause(r), Attempt: max(1, r.Attempt), Commit: r.Commit.Short(), Image: r.Definition.Image,
		Scheduled: at(r.ScheduledAt, now), Started: at(r.StartedAt, now), Finished: at(r.FinishedAt, now), Took: runTook(r, now, hubIn(ctx)), Overrides: r.Overrides}
	switch r.State {
	case jobs.RunFailed, jobs.RunLost, jobs.RunSkipped:
		p.Trouble, p.Again = tellingOf(r.Error), true
	}
	if r.Actor != "system" {
		p.Actor = r.Actor
	}
	if r.ExitCode != nil {
		p.Exit = exitWords(r)
	}
	if r.RetryOf != "" {
		p.BeforeHref = runHref(r.RetryOf)
	}
	worker, err := names.worker(ctx, r.Worker)
	if err != nil {
		return p, err
	}
	p.Worker = worker.Name
	if p.Open && worker.Away && !hubIn(ctx).Away { // otherwise nobody knows whether it is there
		p.Away = worker.Name
	}
	return p, p.putNeighbours(ctx, reader, r, now)
}

// neighbours is among how many of a job's newest runs the others are looked for that a run has to do with.
const neighbours = 100

// putNeighbours finds the attempt that follows a run, the runs beside it on other workers, and what a run that waits
// waits for.
func (p *runPage) putNeighbours(ctx context.Context, reader RunReader, r jobs.Run, now time.Time) error {
	everywhere := r.Definition.Mode == jobs.ModeOnceAll
	if r.State != jobs.RunFailed && r.State != jobs.RunQueued && !everywhere {
		return nil
	}
	list, err := reader.Runs(ctx, jobs.RunFilter{Job: r.Job}, core.Page{Limit: neighbours})
	if err != nil {
		return err
	}
	ahead, beside := 0, []jobs.Run{}
	for _, other := range list.Items {
		if everywhere && other.Fire == r.Fire && other.ID != r.ID && other.Worker != r.Worker {
			beside = append(beside, other)
		}
		if other.RetryOf == r.ID {
			p.NextHref = runHref(other.ID)
		}
		if other.Fire != r.Fire && !other.State.Ended() && (other.Command != "" || other.Fire < r.Fire) { // identifiers are in order of age
			ahead++
		}
	}
	if r.State == jobs.RunQueued {
		p.Waits = waitWords(r, ahead, now)
		if r.NotBefore.After(now) {
			p.Until = at(r.NotBefore, now)
		}
	}
	p.Others.Lines, err = runLines(ctx, reader, false, beside, now)
	return err
}

// waitWords says what a run waits for that has not begun; ahead is how many runs of its job are open before it.
func waitWords(r jobs.Run, ahead int, now time.Time) string {
	switch {
	case r.Command != "":
		return "It was given to its worker, and begins when that has taken it."
	case r.NotBefore.After(now):
		return "The attempt before failed."
	case ahead == 1:
		return "It waits for its turn: another run of the job is open."
	case ahead > 1:
		return fmt.Sprintf("It waits for its turn: %d other runs of the job are open.", ahead)
	case len(r.Definition.Tags) > 0:
		return "It waits for a worker that is online and has all the job's tags."
	}
	return "It waits for a worker that is online."
}

// runNote says what the state alone does not.
func runNote(r jobs.Run) string {
	switch r.State {
	case jobs.RunLost:
		return "It is not known how this ended: its container was not there any more when its worker looked for it. It is not tried again by itself, because it may have done its work."
	case jobs.RunCancelled:
		if r.StartedAt.IsZero() {
			return "It was cancelled before it began. Nothing ran."
		}
		return "Its container was stopped. What it had done by then stays done."
	case jobs.RunSkipped:
		return "It never began. Nothing ran."
	}
	return ""
}

// exitWords says the exit code of a run's container, and what those mean that engines and shells make.
func exitWords(r jobs.Run) string {
	words := map[int]string{125: "the engine could not start it", 126: "the command cannot be executed", 127: "the command was not found", 137: "killed", 143: "told to stop"}
	if word := words[*r.ExitCode]; word != "" {
		return fmt.Sprintf("%d, %s", *r.ExitCode, word)
	}
	return fmt.Sprint(*r.ExitCode)
}
