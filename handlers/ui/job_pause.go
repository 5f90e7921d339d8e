package ui

import (
	"net/http"

	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// HoldJob keeps a job from running by itself, or lets it go on, and goes back to its page.
func HoldJob(desk JobUpdater, paused bool) http.Handler {
	said := map[bool]string{true: "job-paused", false: "job-resumed"}[paused]
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := desk.Update(r.Context(), jobIn(r), jobs.Change{Paused: &paused}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(jobHref(j.ID), said))
	})
}
