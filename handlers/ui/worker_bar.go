package ui

import (
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// workerConfirmPage asks before a worker is cut off or removed.
type workerConfirmPage struct {
	Worker  workerLine
	Trouble string
}

var (
	workerRevokeView = newView[workerConfirmPage]("worker_revoke.html")
	workerDeleteView = newView[workerConfirmPage]("worker_delete.html")
)

// ConfirmRevokeWorker asks whether a worker is to be cut off.
func ConfirmRevokeWorker(finder WorkerFinder, now core.Clock) http.Handler {
	return confirmWorker(finder, workerRevokeView, "Revoke ", now)
}

// ConfirmDeleteWorker asks whether a worker is to be removed.
func ConfirmDeleteWorker(finder WorkerFinder, now core.Clock) http.Handler {
	return confirmWorker(finder, workerDeleteView, "Remove ", now)
}

func confirmWorker(finder WorkerFinder, page view[workerConfirmPage], title string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		worker, err := finder.Worker(r.Context(), core.WorkerID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeWorker(w, r, http.StatusOK, page, title, worker, "", now)
	})
}

func writeWorker(w http.ResponseWriter, r *http.Request, status int, page view[workerConfirmPage], title string, worker fleet.Worker, trouble string, now core.Clock) error {
	f := newFrame(r, inWorkers, title+worker.Label(), crumb{"Workers", "/workers"})
	f.Problem = status != http.StatusOK
	return page.write(w, r, status, f, workerConfirmPage{workerOf(worker, now()), trouble})
}

// RevokeWorker cuts a worker off for good.
func RevokeWorker(desk WorkerBarrer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if _, err := desk.Revoke(r.Context(), endpoint.Principal(r.Context()), core.WorkerID(r.PathValue("id"))); err != nil {
			return err
		}
		return seeOther(w, r, saying("/workers", "worker-revoked"))
	})
}

// DeleteWorker removes a worker that has no stacks.
func DeleteWorker(desk WorkerBarrer, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		worker, err := desk.Worker(r.Context(), core.WorkerID(r.PathValue("id")))
		if err != nil {
			return err
		}
		err = desk.Delete(r.Context(), endpoint.Principal(r.Context()), worker.ID)
		if err == nil {
			return seeOther(w, r, saying("/workers", "worker-gone"))
		}
		if c, ours := complain(r, err); ours && fault.Is(err, fault.Conflict) {
			return writeWorker(w, r, c.Status, workerDeleteView, "Remove ", worker, c.general(), now)
		}
		return err
	})
}
