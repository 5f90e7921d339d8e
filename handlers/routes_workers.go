package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// WorkersDeps is what workers and their tokens need.
type WorkersDeps struct {
	Desk  WorkersDesk
	Store api.ReadingLister // *store.Store
	Plans api.PolicyPlanner
	Now   core.Clock
}

// WorkersDesk is the use cases of workers; *fleet.Desk has them.
type WorkersDesk interface {
	api.WorkerTokenIssuer
	api.WorkerLister
	api.WorkerFinder
	api.WorkerRevoker
	api.WorkerDeleter
	api.PolicyReader
	api.PolicySetter
}

func workerRoutes(d Deps) []Route {
	desk := d.Workers.Desk
	const worker = "/api/custom/workers/{id}"
	route := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "workers"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		route(http.MethodGet, "/api/custom/workers", access.View, api.ListWorkers(desk), Operation{Summary: "List workers", Live: true, Response: endpoint.Items[api.WorkerAnswer]{}, Status: http.StatusOK, Query: append([]Param{
			choice("online", "only workers that are known to be online, or only all others"), choice("revoked", "only revoked workers, or only others"),
			text("tag", "only workers with this tag"), text("search", "only workers whose host name holds this, in any case")}, pageParams...)}),
		route(http.MethodPost, "/api/custom/workers/tokens", access.Administer, api.IssueWorkerToken(desk), Operation{Summary: "Make a token for one new worker, and the command that starts it; both are shown this once",
			Request: api.WorkerTokenRequest{}, Optional: true, Response: api.IssuedWorkerToken{}, Status: http.StatusCreated}),
		route(http.MethodGet, worker, access.View, api.GetWorker(desk), Operation{Summary: "Read a worker", Live: true, Response: api.WorkerAnswer{}, Status: http.StatusOK}),
		route(http.MethodGet, worker+"/readings", access.View, api.WorkerReadings(desk, d.Workers.Store, d.Workers.Now), Operation{Summary: "How the worker's host was in the last 24 hours: processors, memory, disk and load", Response: api.ReadingsAnswer{}, Status: http.StatusOK,
			Detail: "Linked workers are read once a minute; what is read takes the place of what was read before in the same five minutes."}),
		route(http.MethodPost, worker+"/revoke", access.Administer, api.RevokeWorker(desk), Operation{Summary: "Cut a worker off for good; its containers go on running", Response: api.WorkerAnswer{}, Status: http.StatusOK}),
		route(http.MethodDelete, worker, access.Administer, api.DeleteWorker(desk), Operation{Summary: "Remove a worker that has no stacks", Status: http.StatusNoContent}),
	}
}
