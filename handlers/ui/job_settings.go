package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobUpdater edits jobs; see jobs.Desk.
type JobUpdater interface {
	Update(ctx context.Context, id core.JobID, change jobs.Change, by access.Principal) (jobs.Job, error)
}

type jobSettingsPage struct {
	Head jobHead
	Form jobForm
}

var jobSettingsView = newView[jobSettingsPage]("job_settings.html")

// JobSettings shows a job to be edited.
func JobSettings(finder JobFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		return writeJobSettings(w, r, http.StatusOK, j, newJobForm(jobWords{name: j.Name, path: j.Path}))
	})
}

// ChangeJob saves what was typed about a job.
func ChangeJob(finder JobFinder, desk JobUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		values, err := typed(r)
		if err != nil {
			return err
		}
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		ask := jobWordsOf(values)
		_, err = desk.Update(r.Context(), j.ID, jobs.Change{Name: differing(ask.name, j.Name), Path: differing(ask.path, j.Path)}, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(jobHref(j.ID)+"/settings", "job-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		form := newJobForm(ask)
		form.refuse(c, fault.CodeOf(err))
		return writeJobSettings(w, r, c.Status, j, form)
	})
}

// differing returns what was typed where it differs from what is; nil asks for no change.
func differing(typed, is string) *string {
	if typed == is {
		return nil
	}
	return &typed
}

func writeJobSettings(w http.ResponseWriter, r *http.Request, status int, j jobs.Job, form jobForm) error {
	f := newFrame(r, inJobs, "Settings of "+j.Name, jobTrail(j)...)
	f.Problem = status != http.StatusOK
	return jobSettingsView.write(w, r, status, f, jobSettingsPage{Head: jobHeadOf(j, nil, tabSettings), Form: form})
}
