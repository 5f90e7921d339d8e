package api

import (
	"context"
	"net/http"
	"strconv"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// StackDeleter removes a stack; gone is false while its containers are being removed.
type StackDeleter interface {
	Delete(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error)
}

// DeleteStack removes a stack. With ?teardown=true its containers and networks go first
// (and its volumes with ?volumes=true): 202 and the stack, which is gone once its worker
// has done it. Otherwise 204, and what runs is left alone.
func DeleteStack(deleter StackDeleter, finder StackFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		teardown, err := flag(r, "teardown")
		if err != nil {
			return err
		}
		volumes, err := flag(r, "volumes")
		if err != nil {
			return err
		}
		gone, err := deleter.Delete(r.Context(), id, teardown, volumes, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		if gone {
			return endpoint.NoContent(w)
		}
		s, err := finder.Stack(r.Context(), id)
		if fault.Is(err, fault.NotFound) {
			return endpoint.NoContent(w)
		}
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, showStack(s))
	})
}

// flag reads a boolean query parameter; absent is false.
func flag(r *http.Request, name string) (bool, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return false, nil
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return false, fault.BadFields("query.invalid", []fault.Field{{Path: name, Problem: "must be true or false"}})
	}
	return v, nil
}
