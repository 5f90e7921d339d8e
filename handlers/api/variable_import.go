package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableImporter takes .env text into a scope, all of it or nothing.
type VariableImporter interface {
	Import(ctx context.Context, o variables.Owner, text string, secret bool, by access.Principal) (variables.Imported, error)
}

// ImportVariablesRequest is .env text for a scope.
type ImportVariablesRequest struct {
	Scope   variables.Scope `json:"scope" required:"yes"` // global, stack or job
	ScopeID string          `json:"scope_id"`             // of the stack or job
	Text    string          `json:"text"`                 // NAME=value lines; values of several lines in single quotes
	Secret  bool            `json:"secret"`               // new names become internal secrets; default false
}

// ImportVariablesAnswer counts what was done.
type ImportVariablesAnswer struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"` // also secrets that came without a value: they keep theirs
}

// ImportVariables takes .env text into a scope; bad lines are named and nothing is stored.
func ImportVariables(importer VariableImporter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ImportVariablesRequest](r)
		if err != nil {
			return err
		}
		did, err := importer.Import(r.Context(), variables.Owner{Scope: ask.Scope, ID: ask.ScopeID}, ask.Text, ask.Secret, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, ImportVariablesAnswer{Created: did.Created, Updated: did.Updated, Unchanged: did.Unchanged})
	})
}
