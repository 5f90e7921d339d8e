package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableUpdater edits variables.
type VariableUpdater interface {
	Update(ctx context.Context, id core.VariableID, change variables.Change, by access.Principal) (variables.Variable, error)
}

// UpdateVariableRequest sets what it names; everything else stays.
type UpdateVariableRequest struct {
	Name           *string `json:"name"`
	Value          *string `json:"value"`           // "" keeps the value of a secret
	Secret         *bool   `json:"secret"`          // true makes a plain variable an internal secret; there is no way back
	SecretProvider *string `json:"secret_provider"` // cannot be switched once saved
}

// UpdateVariable edits a variable.
func UpdateVariable(updater VariableUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := variableID(r)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[UpdateVariableRequest](r)
		if err != nil {
			return err
		}
		updated, err := updater.Update(r.Context(), id, variables.Change{
			Name: ask.Name, Value: ask.Value, Secret: ask.Secret, Provider: ask.SecretProvider,
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showVariable(updated))
	})
}
