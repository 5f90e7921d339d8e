package rig

import (
	"net/http"

	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// Last returns the newest deployment.
func (s *Stack) Last() api.DeploymentAnswer {
	s.T.Helper()
	all := Get[endpoint.Items[api.DeploymentAnswer]](s.Client, s.path("/deployments?limit=1")).Items
	if len(all) != 1 {
		s.T.Fatal("the stack has no deployment")
	}
	return all[0]
}

// Decisions returns why triggers deployed the stack or did not, newest first.
func (s *Stack) Decisions() []api.DecisionAnswer {
	s.T.Helper()
	return Get[endpoint.Items[api.DecisionAnswer]](s.Client, s.path("/decisions")).Items
}

// Set gives the stack a variable.
func (s *Stack) Set(name, value string) {
	s.T.Helper()
	Post[api.VariableAnswer](s.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeStack, ScopeID: string(s.ID), Name: name, Value: value}, http.StatusCreated)
}

// SetSecret gives the stack an internal secret.
func (s *Stack) SetSecret(name, value string) {
	s.T.Helper()
	Post[api.VariableAnswer](s.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeStack, ScopeID: string(s.ID), Name: name, Value: value, Secret: true}, http.StatusCreated)
}

// Act starts, stops or restarts a compose service, which must work.
func (s *Stack) Act(service, what string) {
	s.T.Helper()
	if answer := s.Ask(http.MethodPost, s.path("/services/"+service+"/"+what), nil); answer.Status != http.StatusNoContent {
		s.T.Fatalf("%s of %s: %d %s", what, service, answer.Status, answer.Body)
	}
}

// Logs returns the log of a compose service as the server gives it.
func (s *Stack) Logs(service string, tail string) Answer {
	s.T.Helper()
	return s.Ask(http.MethodGet, s.path("/services/"+service+"/logs?tail="+tail), nil)
}

// Services returns what runs, as last observed.
func (s *Stack) Services() api.ServicesAnswer {
	s.T.Helper()
	return Get[api.ServicesAnswer](s.Client, s.path("/services"))
}

// Delete removes the stack and waits until it is gone.
func (s *Stack) Delete(query string) {
	s.T.Helper()
	answer := s.Ask(http.MethodDelete, s.path(query), nil)
	if answer.Status != http.StatusAccepted && answer.Status != http.StatusNoContent {
		s.T.Fatalf("delete: %d %s", answer.Status, answer.Body)
	}
	Until(s.T, Soon, "the stack is gone", func() (bool, string) {
		answer := s.Ask(http.MethodGet, s.path(""), nil)
		return answer.Status == http.StatusNotFound, string(answer.Body)
	})
}
