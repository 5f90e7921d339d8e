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

// JobDeleter removes jobs; see jobs.Desk.
type JobDeleter interface {
	Delete(ctx context.Context, id core.JobID, by access.Principal) error
}

type jobDeletePage struct {
	Head    jobHead
	Trouble string
}

var jobDeleteView = newView[jobDeletePage]("job_delete.html")

// ConfirmDeleteJob asks whether a job is to be removed.
func ConfirmDeleteJob(finder JobFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		return writeDeleteJob(w, r, http.StatusOK, j, "")
	})
}

// DeleteJob removes a job that nothing runs of.
func DeleteJob(finder JobFinder, desk JobDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		err = desk.Delete(r.Context(), j.ID, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/jobs", "job-gone"))
		}
		if c, ours := complain(r, err); ours && fault.Is(err, fault.Conflict) {
			return writeDeleteJob(w, r, c.Status, j, c.general())
		}
		return err
	})
}

func writeDeleteJob(w http.ResponseWriter, r *http.Request, status int, j jobs.Job, trouble string) error {
	f := newFrame(r, inJobs, "Delete "+j.Name, jobTrail(j)...)
	f.Problem = status != http.StatusOK
	return jobDeleteView.write(w, r, status, f, jobDeletePage{Head: jobHeadOf(j, nil, ""), Trouble: trouble})
}
