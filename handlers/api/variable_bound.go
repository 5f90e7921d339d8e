package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableBinder says which global variables reach a stack or a job.
type VariableBinder interface {
	// Bind makes exactly these reach it, and returns them by name.
	Bind(ctx context.Context, o variables.Owner, ids []core.VariableID, by access.Principal) ([]variables.Variable, error)
	// Bound returns those that reach it, by name.
	Bound(ctx context.Context, o variables.Owner) ([]variables.Variable, error)
}

// BindVariablesRequest names global variables.
type BindVariablesRequest struct {
	IDs []core.VariableID `json:"ids"` // all that reach the stack or the job from now on
}

// ListStackGlobals answers with the global variables that reach a stack, all on one page.
func ListStackGlobals(finder StackFinder, binder VariableBinder) http.Handler {
	return listGlobals(ownerStack(finder), binder)
}

// BindStackGlobals makes exactly the named global variables reach a stack and answers as ListStackGlobals.
func BindStackGlobals(finder StackFinder, binder VariableBinder) http.Handler {
	return bindGlobals(ownerStack(finder), binder)
}

// ListJobGlobals answers with the global variables that reach a job, all on one page.
func ListJobGlobals(finder JobFinder, binder VariableBinder) http.Handler {
	return listGlobals(ownerJob(finder), binder)
}

// BindJobGlobals makes exactly the named global variables reach a job and answers as ListJobGlobals.
func BindJobGlobals(finder JobFinder, binder VariableBinder) http.Handler {
	return bindGlobals(ownerJob(finder), binder)
}

// ownerIn finds whose variables a path is about.
type ownerIn func(*http.Request) (variables.Owner, error)

func ownerStack(finder StackFinder) ownerIn {
	return func(r *http.Request) (variables.Owner, error) {
		s, err := namedStack(r, finder)
		return variables.OfStack(s.ID), err
	}
}

func ownerJob(finder JobFinder) ownerIn {
	return func(r *http.Request) (variables.Owner, error) {
		j, err := namedJob(r, finder)
		return variables.OfJob(j.ID), err
	}
}

func listGlobals(owner ownerIn, binder VariableBinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		o, err := owner(r)
		if err != nil {
			return err
		}
		bound, err := binder.Bound(r.Context(), o)
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[variables.Variable]{Items: bound}, showVariable)
	})
}

func bindGlobals(owner ownerIn, binder VariableBinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[BindVariablesRequest](r)
		if err != nil {
			return err
		}
		o, err := owner(r)
		if err != nil {
			return err
		}
		bound, err := binder.Bind(r.Context(), o, ask.IDs, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[variables.Variable]{Items: bound}, showVariable)
	})
}
