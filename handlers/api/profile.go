package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// ProfileChanger changes what people say about themselves; see identity.People.
type ProfileChanger interface {
	ChangeProfile(ctx context.Context, who access.Principal, change identity.ProfileChange) (identity.User, error)
}

// PasswordChanger changes the password of whoever asks; see identity.People.
type PasswordChanger interface {
	ChangePassword(ctx context.Context, who access.Principal, old, fresh secrets.Value) error
}

// ProfileChange changes whoever asks; a field that is left out stays as it is.
type ProfileChange struct {
	Name     *string `json:"name"`     // 1 to 100 characters
	Email    *string `json:"email"`    // they sign in with it from then on
	Password string  `json:"password"` // the present one; another e-mail address demands it
}

// ChangeMe changes the name or e-mail address of whoever asks.
func ChangeMe(people ProfileChanger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ProfileChange](r)
		if err != nil {
			return err
		}
		user, err := people.ChangeProfile(r.Context(), endpoint.Principal(r.Context()),
			identity.ProfileChange{Name: ask.Name, Email: ask.Email, Password: secrets.NewValue(ask.Password)})
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showUser(user))
	})
}

// PasswordChange changes the password of whoever asks.
type PasswordChange struct {
	Password    string `json:"password" required:"yes"`     // the present one
	NewPassword string `json:"new_password" required:"yes"` // 12 to 256 bytes
}

// ChangePassword changes the password of whoever asks and ends their other sessions.
func ChangePassword(people PasswordChanger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[PasswordChange](r)
		if err != nil {
			return err
		}
		if err := people.ChangePassword(r.Context(), endpoint.Principal(r.Context()), secrets.NewValue(ask.Password), secrets.NewValue(ask.NewPassword)); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
