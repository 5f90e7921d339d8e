package handlers

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/sourcediff"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// StacksDeps is what stacks and deployments need.
type StacksDeps struct {
	Desk  StacksDesk
	Store StacksStore
	Files api.ComposeReader
	Live  StacksLive

	Plans   api.StackPlanner
	Linter  api.Linter
	Compare api.RevisionComparer
}

// StacksDesk is the use cases of stacks; *stacks.Desk has them.
type StacksDesk interface {
	api.StackCreator
	api.StackUpdater
	api.StackDeleter
	api.StackSyncer
	api.StackRoller
	api.StackMover
	StackPauser
	api.ActRecorder
	api.DeploymentCanceller
}

// StackPauser holds a stack's automatic deployments back, and lets them go on; see stacks.Desk.
type StackPauser interface {
	Pause(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
	Resume(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
}

// StacksStore is what is read of stacks; *store.Store has it.
type StacksStore interface {
	api.FolderTeller
	api.StackFinder
	api.StackLister
	api.RevisionReader
	api.DecisionLister
	api.DeploymentLister
	api.DeploymentLogger
	api.DeploymentReader
	api.RotationReader
}

// StacksLive reaches the containers of a stack through the hub.
type StacksLive interface {
	api.ServiceActor
	api.ServiceLogger
	api.UsageTeller
}

var waitParam = text("wait", "hold the answer back until the deployment has ended, at most this long: 0s to 300s; default 0s. A host that waits less says so: X-Host-Limit: wait=<seconds>")

func stackRoutes(d Deps) []Route {
	s := d.Stacks
	const stack = "/api/custom/stacks/{id}"
	operate := func(method, pattern string, handler http.Handler, op Operation) Route {
		op.Tag = "stacks"
		return Route{Method: method, Pattern: pattern, Capability: access.Operate, Surface: guard.API, Handler: handler, Operation: op}
	}
	view := func(pattern string, handler http.Handler, op Operation) Route {
		op.Tag, op.Status = "stacks", http.StatusOK
		return Route{Method: http.MethodGet, Pattern: pattern, Capability: access.View, Surface: guard.API, Handler: handler, Operation: op}
	}
	deployed := Operation{Response: api.DeploymentAnswer{}, Status: http.StatusAccepted, Query: []Param{waitParam}}
	with := func(op Operation, summary string, request any) Operation {
		op.Summary, op.Request = summary, request
		return op
	}
	again := with(deployed, "Deploy and recreate containers though nothing changed", api.RedeployRequest{})
	again.Optional, again.Detail = true, "It puts the head of the branch in place, unless that is in quarantine, after a rollback or a failure that was rolled back: then it is the revision that runs now, and the quarantine stays. The answer's `aim` says which; `sync` deploys the head either way."
	return []Route{
		view("/api/custom/stacks", api.ListStacks(s.Store), Operation{Summary: "List stacks", Live: true, Response: endpoint.Items[api.StackAnswer]{}, Query: append([]Param{
			text("repository_id", "only stacks of this repository"), text("worker_id", "only stacks on this worker"),
			oneOf("status", "only stacks with this status", stacks.Statuses), text("search", "only stacks whose name contains this"),
			oneOf("order", "name, or need: those first that need somebody, from errors to what is under way; default name", stacks.Orders)}, pageParams...)}),
		operate(http.MethodPost, "/api/custom/stacks", api.CreateStack(s.Desk), Operation{Summary: "Add a stack", Detail: "A folder that the newest fetched commit of the repository does not have is refused. While nothing was fetched yet, any is accepted.", Request: api.CreateStackRequest{}, Response: api.CreateStackAnswer{}, Status: http.StatusCreated}),
		view(stack, api.GetStack(s.Store), Operation{Summary: "Read a stack", Live: true, Response: api.StackAnswer{}}),
		operate(http.MethodPatch, stack, api.UpdateStack(s.Desk), Operation{Summary: "Edit a stack", Detail: "A folder that the newest fetched commit of the repository does not have is refused.", Request: api.UpdateStackRequest{}, Response: api.StackAnswer{}, Status: http.StatusOK}),
		operate(http.MethodDelete, stack, api.DeleteStack(s.Desk, s.Store), Operation{Summary: "Delete a stack; with teardown its containers too", Response: api.StackAnswer{}, Status: http.StatusAccepted, OrNoContent: true, Query: []Param{
			choice("teardown", "remove its containers and networks first; default false"), choice("volumes", "with teardown: remove its volumes too; default false")}}),
		operate(http.MethodPost, stack+"/sync", api.SyncStack(s.Desk, s.Store), with(deployed, "Deploy the head of the stack's branch", nil)),
		operate(http.MethodPost, stack+"/redeploy", api.RedeployStack(s.Desk, s.Store), again),
		operate(http.MethodPost, stack+"/rollback", api.RollbackStack(s.Desk, s.Store), with(deployed, "Put a kept revision in place again, with its files and today's secrets", api.RollbackRequest{})),
		operate(http.MethodPost, stack+"/transfer", api.TransferStack(s.Desk, s.Store), with(deployed, "Move the stack to another worker; its volumes stay behind", api.TransferRequest{})),
		operate(http.MethodPost, stack+"/pause", api.PauseOrResume(s.Desk.Pause), Operation{Summary: "Hold automatic sync, retries and repair back", Response: api.StackAnswer{}, Status: http.StatusOK}),
		operate(http.MethodPost, stack+"/resume", api.PauseOrResume(s.Desk.Resume), Operation{Summary: "End a pause and look at the repository again", Response: api.StackAnswer{}, Status: http.StatusOK}),
		view(stack+"/plan", api.PlanStack(s.Plans), Operation{Summary: "What a deployment of the head of the branch would do; nothing is changed", Response: api.PlanAnswer{},
			Problems: []int{http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}}),
		view(stack+"/services", api.ListServices(s.Store), Operation{Summary: "What runs of a stack, as last observed", Live: true, Response: api.ServicesAnswer{}}),
		{Method: http.MethodGet, Pattern: stack + "/services/{service}/logs", Capability: access.View, Surface: guard.API, Streams: true, Handler: api.ServiceLogs(s.Store, s.Live), Operation: Operation{
			Summary: "Read the log of a compose service as plain text", Detail: "With `timestamps=true` each line begins with the time at which its container wrote it, in UTC as RFC 3339 with nine digits after the second (`2026-03-14T15:09:26.535897932Z`), and a space. A worker of an earlier release does not tell them: 409 `worker.no_times`.", Tag: "stacks", ContentType: "text/plain", Status: http.StatusOK, Problems: []int{http.StatusConflict}, Query: []Param{
				number("tail", "lines from the end, 1 to 10000, default 200"), choice("follow", "go on with new lines until the client leaves; default false. A host that cannot stream ends with what there is and says so: X-Host-Limit: stream"), choice("timestamps", "begin each line with the time at which it was written; default false")}}},
		view(stack+"/usage", api.StackUsage(s.Store, s.Live), Operation{Summary: "Read what the compose services of a stack used of their host in the last 30 minutes", Live: true, Response: endpoint.Items[api.ServiceUsageAnswer]{}, Problems: []int{http.StatusConflict},
			Detail: "Its worker looks every 30 seconds and remembers; the newest sample is at most a few seconds old. A compose service is listed once two looks saw one of its containers run."}),
		operate(http.MethodPost, stack+"/services/{service}/start", api.ActOnService(s.Store, s.Desk, s.Live, wire.RequestStart), Operation{Summary: "Start a compose service", Status: http.StatusNoContent}),
		operate(http.MethodPost, stack+"/services/{service}/stop", api.ActOnService(s.Store, s.Desk, s.Live, wire.RequestStop), Operation{Summary: "Stop a compose service", Status: http.StatusNoContent}),
		operate(http.MethodPost, stack+"/services/{service}/restart", api.ActOnService(s.Store, s.Desk, s.Live, wire.RequestRestart), Operation{Summary: "Restart a compose service", Status: http.StatusNoContent}),
		view(stack+"/revisions", api.ListRevisions(s.Store, s.Store), Operation{Summary: "List revisions, newest first", Response: endpoint.Items[api.RevisionAnswer]{}, Query: pageParams}),
		view(stack+"/revisions/{number}", api.GetRevision(s.Store, s.Files), Operation{Summary: "Read a revision with its rendered Compose file", Response: api.RevisionAnswer{}}),
		view(stack+"/revisions/{number}/diff", api.DiffRevision(s.Compare, sourcediff.New(s.Store, d.Repositories.Desk, d.Repositories.Browser)), Operation{Summary: "How a revision differs from another one, text files by line", Response: api.DiffAnswer{},
			Query: []Param{number("with", "number of the revision to compare with; default the one before"), oneOf("of", "source compares the files in Git that both revisions were made of, too; default rendered", []string{"rendered", "source"})}}),
		view(stack+"/decisions", api.ListDecisions(s.Store, s.Store), Operation{Summary: "Why each trigger deployed the stack or did not, newest first", Response: endpoint.Items[api.DecisionAnswer]{}, Query: pageParams}),
		view(stack+"/deployments", api.ListDeployments(s.Store, s.Store), Operation{Summary: "List deployments, newest first", Live: true, Response: endpoint.Items[api.DeploymentAnswer]{}, Query: append([]Param{oneOf("state", "only deployments in this state", stacks.DeploymentStates)}, pageParams...)}),
	}
}

func deploymentRoutes(d Deps) []Route {
	s := d.Stacks
	const deployment = "/api/custom/deployments/{id}"
	return []Route{
		{Method: http.MethodGet, Pattern: deployment, Capability: access.View, Surface: guard.API, Handler: api.GetDeployment(s.Store),
			Operation: Operation{Summary: "Read a deployment with its phases and what became of it", Live: true, Tag: "deployments", Response: api.DeploymentDetail{}, Status: http.StatusOK, Query: []Param{waitParam}}},
		{Method: http.MethodGet, Pattern: deployment + "/log", Capability: access.View, Surface: guard.API, Handler: api.DeploymentLog(s.Store),
			Operation: Operation{Summary: "Read a deployment's log after a number", Tag: "deployments", Response: api.LogAnswer{}, Status: http.StatusOK, Query: pageParams}},
		{Method: http.MethodGet, Pattern: deployment + "/stream", Capability: access.View, Surface: guard.API, Streams: true, Handler: api.StreamDeployment(s.Store),
			Operation: Operation{Summary: "Follow a deployment's log as server-sent events", Tag: "deployments", ContentType: "text/event-stream", Status: http.StatusOK,
				Detail: "Events `log` carry a LogPiece as JSON and have its number as their id; the last, `end`, carries the deployment. A client that comes back with `Last-Event-ID` goes on where it was. A host that cannot stream ends with what there is, says so with X-Host-Limit: stream, and is asked again.",
				Query:  []Param{number("after", "number of the last piece that was seen; default 0")}}},
		{Method: http.MethodPost, Pattern: deployment + "/cancel", Capability: access.Operate, Surface: guard.API, Handler: api.CancelDeployment(s.Desk, s.Store),
			Operation: Operation{Summary: "Stop a deployment", Tag: "deployments",
				Detail:   "One that is queued ends at once. One that runs is told to stop, and ends as `cancelled` when it has. What it had begun to apply is left as it is: nothing is put back, the stack's `status` is `error` then, and `revision` stays the one that ran well last.",
				Response: api.DeploymentAnswer{}, Status: http.StatusAccepted, Query: []Param{waitParam}}},
	}
}
