package ui

import (
	"context"
	"net/http"
	"net/url"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers/endpoint"
)

// ServiceActor reaches the containers of a stack on its worker; Unavailable
// "worker.offline" when that is away.
type ServiceActor interface {
	// Act starts, stops or restarts a compose service and returns when that is done.
	Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error
}

// ActRecorder keeps who acts on compose services; see stacks.Desk.
type ActRecorder interface {
	RecordAct(ctx context.Context, id core.StackID, service string, act stacks.Act, by access.Principal) error
}

// acts are what can be done to a compose service, with what is said afterwards.
var acts = map[wire.RequestKind]string{wire.RequestStart: "service-started", wire.RequestStop: "service-stopped", wire.RequestRestart: "service-restarted"}

// ActOnService starts, stops or restarts a compose service and goes back to its stack.
func ActOnService(reader StackReader, recorder ActRecorder, actor ServiceActor, kind wire.RequestKind) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := serviceIn(r, reader)
		if err != nil {
			return err
		}
		if err := recorder.RecordAct(r.Context(), s.ID, service, stacks.Act(kind), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		if err := actor.Act(r.Context(), s, service, kind); err != nil {
			return err
		}
		return seeOther(w, r, saying(stackHref(s.ID), acts[kind]))
	})
}

var errNoService = fault.New(fault.NotFound, "service.not_found",
	"The stack has no compose service of this name. It may have been renamed in the repository.")

// serviceIn finds the stack and the compose service that the path names.
func serviceIn(r *http.Request, reader StackReader) (stacks.Stack, string, error) {
	s, err := reader.Stack(r.Context(), stackIn(r))
	if err != nil {
		return s, "", err
	}
	service := r.PathValue("service")
	found, err := hasService(r.Context(), reader, s, service)
	if err == nil && !found {
		err = errNoService
	}
	return s, service, err
}

func serviceHref(s stacks.Stack, service string) string {
	return stackHref(s.ID) + "/services/" + url.PathEscape(service)
}
