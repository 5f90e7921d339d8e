package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// JobRunner runs jobs now; see jobs.Desk.
type JobRunner interface {
	RunNow(ctx context.Context, id core.JobID, overrides map[string]string, by access.Principal) (jobs.Run, error)
}

// jobRunPage asks for the variables of one run.
type jobRunPage struct {
	Head    jobHead
	Trouble string
	Known   []string // names of the variables that each run gets
	Text    input
}

var jobRunView = newView[jobRunPage]("job_run.html")

// NewRun asks which variables a run is to have in place of the job's own, or beside them.
func NewRun(finder JobFinder, lister VariableLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		return writeNewRun(w, r, http.StatusOK, j, lister, "", newOverridesText())
	})
}

// RunJob runs a job now, with the variables that were typed, and goes to watch it. What was typed is not
// sent back when something is wrong with it: some of it may be secret.
func RunJob(finder JobFinder, lister VariableLister, desk JobRunner) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		overrides, err := overridesIn(lines(form.Get("text")))
		if err == nil {
			var run jobs.Run
			if run, err = desk.RunNow(r.Context(), j.ID, overrides, endpoint.Principal(r.Context())); err == nil {
				return seeOther(w, r, runHref(run.ID))
			}
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		text := newOverridesText()
		return writeNewRun(w, r, c.Status, j, lister, c.on(&text), text)
	})
}

// overridesIn reads .env text. A name stands in it once.
func overridesIn(text string) (map[string]string, error) {
	assignments, err := variables.ParseDotenv(text)
	if err != nil {
		return nil, err
	}
	values, bad := make(map[string]string, len(assignments)), []fault.Field{}
	for _, a := range assignments {
		if _, twice := values[a.Name]; twice {
			bad = append(bad, fault.Field{Path: "text", Problem: a.Name + " is there twice"})
		}
		values[a.Name] = a.Value
	}
	return values, fault.BadFields("run.invalid", bad)
}

func newOverridesText() input {
	return input{Name: "text", Label: "Variables for this run alone", Kind: "area", Mono: true, Complete: "off", Optional: true, Sample: "LOG_LEVEL=debug",
		Hint: "One NAME=value a line; a value of several lines in single quotes. They take the place of variables of the same name, or stand beside them. Their values are kept sealed and never shown."}
}

func writeNewRun(w http.ResponseWriter, r *http.Request, status int, j jobs.Job, lister VariableLister, trouble string, text input) error {
	page := jobRunPage{Head: jobHeadOf(j, nil, ""), Trouble: trouble, Text: text}
	own, bound, err := variablesSeenBy(r.Context(), lister, j.ID)
	if err != nil {
		return err
	}
	for _, v := range append(own, bound...) {
		page.Known = append(page.Known, v.Name)
	}
	page.Known = inOrder(page.Known)
	f := newFrame(r, inJobs, "Run "+j.Name, jobTrail(j)...)
	f.Problem = status != http.StatusOK
	return jobRunView.write(w, r, status, f, page)
}
