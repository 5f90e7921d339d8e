package api

import (
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// askFor is every operation that wishes for a deployment: 202 with the deployment that covers
// the wish; with ?wait= the answer comes when that has ended. What is wrong with the address or
// the body is said before ask is called.
func askFor[T any](read func(*http.Request) (T, error), finder DeploymentFinder, ask func(r *http.Request, id core.StackID, want T) (stacks.Deployment, error)) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		want, err := read(r)
		if err != nil {
			return err
		}
		d, err := ask(r, id, want)
		if err != nil {
			return err
		}
		return answerDeployment(w, r, finder, d)
	})
}

// nothing reads the request of an operation that takes no body.
func nothing(*http.Request) (struct{}, error) { return struct{}{}, nil }
