package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableCreator adds variables.
type VariableCreator interface {
	Create(ctx context.Context, draft variables.Draft, by access.Principal) (variables.Variable, error)
}

// CreateVariableRequest describes a variable to be added.
type CreateVariableRequest struct {
	Scope          variables.Scope `json:"scope" required:"yes"` // global, stack or job
	ScopeID        string          `json:"scope_id"`             // of the stack or job
	Name           string          `json:"name" required:"yes"`
	Value          string          `json:"value"` // kept byte for byte; required for an internal secret
	Secret         bool            `json:"secret"`
	SecretProvider string          `json:"secret_provider"` // of a secret: internal (default), vault or manager
	Reference      string          `json:"reference"`       // of a secret that vault keeps, <mount>/data/<path>#<field>, or manager, <project_id>/<environment>/<secret_path>#<SECRET_NAME>
}

// CreateVariable adds a variable.
func CreateVariable(creator VariableCreator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[CreateVariableRequest](r)
		if err != nil {
			return err
		}
		created, err := creator.Create(r.Context(), variables.Draft{
			Owner: variables.Owner{Scope: ask.Scope, ID: ask.ScopeID}, Name: ask.Name, Value: ask.Value,
			Secret: ask.Secret, Provider: ask.SecretProvider, Reference: ask.Reference,
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showVariable(created))
	})
}
