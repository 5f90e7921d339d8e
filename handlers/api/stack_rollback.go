package api

import (
	"context"
	"encoding/json"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackRoller puts kept revisions of a stack in place again. Invalid "revision.number" for
// what is no number from 1; NotFound "revision.not_found".
type StackRoller interface {
	Rollback(ctx context.Context, id core.StackID, revision int, by access.Principal) (stacks.Deployment, error)
}

// RollbackRequest names the revision that is put in place.
type RollbackRequest struct {
	Revision RevisionNumber `json:"revision" required:"yes"` // a kept one of this stack, from 1
}

// RevisionNumber is the number of a revision. Whatever else is sent in its place, such as a
// commit, is a bad value and no broken body, so it reads as 0, which no revision has.
type RevisionNumber int

// UnmarshalJSON reads a whole number, and anything else as 0.
func (n *RevisionNumber) UnmarshalJSON(text []byte) error {
	var number int
	if json.Unmarshal(text, &number) != nil {
		number = 0
	}
	*n = RevisionNumber(number)
	return nil
}

// RollbackStack puts a kept revision in place with its files, its manifest and today's secrets.
func RollbackStack(roller StackRoller, finder DeploymentFinder) http.Handler {
	return askFor(endpoint.Decode[RollbackRequest], finder, func(r *http.Request, id core.StackID, want RollbackRequest) (stacks.Deployment, error) {
		return roller.Rollback(r.Context(), id, int(want.Revision), endpoint.Principal(r.Context()))
	})
}
