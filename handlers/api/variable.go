package api

import (
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/variables"
)

// VariableAnswer is a variable as the API shows it; the value of a secret never is.
type VariableAnswer struct {
	ID             core.VariableID `json:"id"`
	Scope          variables.Scope `json:"scope"`    // global, stack or job
	ScopeID        string          `json:"scope_id"` // "" for global
	Name           string          `json:"name"`
	Secret         bool            `json:"secret"`
	SecretProvider string          `json:"secret_provider"`     // internal, vault or manager; "" when it is no secret
	Value          *string         `json:"value,omitempty"`     // only when it is no secret
	Reference      string          `json:"reference,omitempty"` // only when an external provider keeps the value
	HasValue       bool            `json:"has_value"`           // a value that is not empty is stored
	UpdatedAt      time.Time       `json:"updated_at"`
}

func showVariable(v variables.Variable) VariableAnswer {
	answer := VariableAnswer{
		ID: v.ID, Scope: v.Owner.Scope, ScopeID: v.Owner.ID, Name: v.Name, Secret: v.Secret, SecretProvider: v.Provider,
		Reference: v.Reference, HasValue: v.HasValue, UpdatedAt: v.UpdatedAt,
	}
	if !v.Secret {
		answer.Value = &v.Value
	}
	return answer
}

func variableID(r *http.Request) (core.VariableID, error) {
	return pathID[core.VariableID](r, core.PrefixVariable, fault.New(fault.NotFound, "variable.not_found", "There is no such variable."))
}
