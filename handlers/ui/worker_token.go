package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// TokenReader reads a worker token, and the worker that it is bound to; the zero worker while none is.
// NotFound "worker_token.not_found".
type TokenReader interface {
	WorkerToken(ctx context.Context, id core.WorkerTokenID) (fleet.Token, fleet.Worker, error)
}

// workerJoined says whether the worker that a token was made for has come.
type workerJoined struct {
	Name       string // of the token, for people; may be empty
	Badge      badge
	Worker     string // empty: none has registered with it
	WorkerHref string
	Expired    bool
	Expires    moment // when it does, while it waits
	Href       string // the page that says the same
}

var workerTokenView = newView[workerJoined]("worker_token.html")

// WorkerToken says whether the worker has connected that a token was made for. The page that shows the token follows this
// one, because it cannot be asked for again itself.
func WorkerToken(reader TokenReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		token, worker, err := reader.WorkerToken(r.Context(), core.WorkerTokenID(r.PathValue("id")))
		if err != nil {
			return err
		}
		page := joinedOf(token, worker, now())
		f := startFrame(r).following(page.Waits())
		if page.Waits() {
			f.Reload = 5
		}
		return workerTokenView.write(w, r, http.StatusOK, f, page)
	})
}

// startFrame is the frame of the pages that wait for a new worker.
func startFrame(r *http.Request) frame {
	return newFrame(r, inWorkers, "Start the worker", crumb{"Workers", "/workers"})
}

func joinedOf(token fleet.Token, worker fleet.Worker, now time.Time) workerJoined {
	j := workerJoined{Name: token.Name, Href: workerTokenHref(token.ID)}
	switch {
	case token.Worker != "":
		j.Badge, j.Worker, j.WorkerHref = workerBadge(worker), worker.Label(), workerHref(worker.ID)
	case !now.Before(token.ExpiresAt):
		j.Badge, j.Expired = badge{"bad", "cross", "Expired"}, true
	default:
		j.Badge, j.Expires = badge{"busy", "ring", "Waiting"}, at(token.ExpiresAt, now)
	}
	if worker.Online {
		j.Badge.Word = "Connected"
	}
	return j
}

// Waits reports whether the worker may still come for the first time.
func (j workerJoined) Waits() bool {
	return !j.Expired && (j.Worker == "" || j.Badge == presenceBadges[fleet.IsNever])
}

func workerTokenHref(id core.WorkerTokenID) string { return "/worker-tokens/" + string(id) }
