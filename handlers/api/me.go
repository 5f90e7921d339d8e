package api

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// Me is whoever asks.
type Me struct {
	Kind access.PrincipalKind `json:"kind"` // "user" or "service_account"
	ID   string               `json:"id"`
	Name string               `json:"name"` // a user's e-mail address, a service account's name
	Role access.Role          `json:"role"`
}

// GetMe tells whoever asks who they are.
func GetMe() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		p := endpoint.Principal(r.Context())
		return endpoint.JSON(w, http.StatusOK, Me{Kind: p.Kind, ID: p.ID, Name: p.Name, Role: p.Role})
	})
}
