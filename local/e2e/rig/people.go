package rig

import (
	"crypto/rand"
	"net/http"
	"path"
	"time"

	"berth/core/access"
	"berth/handlers/api"
)

const email = "admin@example.com"

// setUp makes the first administrator with BOOTSTRAP_TOKEN, signs in, and makes the key
// that everything else is asked with.
func (s *Server) setUp() {
	s.T.Helper()
	password := rand.Text()
	s.Secrets["the administrator's password"] = password
	Post[api.User](s.Client, "/api/custom/setup", api.SetupRequest{BootstrapToken: s.Secrets["BOOTSTRAP_TOKEN"], Email: email, Password: password, Name: "Admin"}, http.StatusCreated)
	s.Person = s.SignIn()
	account := Post[api.ServiceAccount](s.Person, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: "e2e", Role: access.RoleAdmin}, http.StatusCreated)
	key := Post[api.IssuedKey](s.Person, keysOf(account), api.APIKeyRequest{Name: "e2e"}, http.StatusCreated)
	s.Client.Key = key.Key
	s.Secrets["the administrator's API key"] = key.Key
}

// SignIn signs the administrator in once more, as in another browser.
func (s *Server) SignIn() Client {
	s.T.Helper()
	person := s.Client
	person.Key, person.Jar = "", newJar(s.T)
	Post[api.User](person, "/api/custom/login", api.LoginRequest{Email: email, Password: s.Secrets["the administrator's password"]}, http.StatusOK)
	return person
}

// Invited makes a user of a role, who is signed in.
func (s *Server) Invited(role access.Role) Client {
	s.T.Helper()
	address, password := Name()+"@example.com", rand.Text()
	invitation := Post[api.IssuedInvitation](s.Client, "/api/custom/users/invite", api.InvitationRequest{Email: address, Role: role}, http.StatusCreated)
	person := s.Client
	person.Key, person.Jar = "", newJar(s.T)
	Post[api.User](person, "/api/custom/invites/"+path.Base(invitation.Link)+"/accept", api.AcceptRequest{Name: "Invited", Password: password}, http.StatusCreated)
	Post[api.User](person, "/api/custom/login", api.LoginRequest{Email: address, Password: password}, http.StatusOK)
	return person
}

// Account makes a service account of a role.
func (s *Server) Account(role access.Role) api.ServiceAccount {
	s.T.Helper()
	return Post[api.ServiceAccount](s.Client, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: Name(), Role: role}, http.StatusCreated)
}

// IssueKey makes a key of a service account; a zero expiry means never.
func (s *Server) IssueKey(account api.ServiceAccount, expires time.Time) api.IssuedKey {
	s.T.Helper()
	ask := api.APIKeyRequest{Name: "e2e"}
	if !expires.IsZero() {
		ask.ExpiresAt = &expires
	}
	return Post[api.IssuedKey](s.Client, keysOf(account), ask, http.StatusCreated)
}

// RevokeKey takes a key back.
func (s *Server) RevokeKey(account api.ServiceAccount, key api.IssuedKey) {
	s.T.Helper()
	if answer := s.Ask(http.MethodDelete, keysOf(account)+"/"+string(key.ID), nil); answer.Status != http.StatusNoContent {
		s.T.Fatalf("the key was not revoked: %d %s", answer.Status, answer.Body)
	}
}

func keysOf(a api.ServiceAccount) string {
	return "/api/custom/service-accounts/" + string(a.ID) + "/keys"
}
