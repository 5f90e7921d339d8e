package hook

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// Receiver judges what came to a repository's webhook; *repositories.Hooks does.
type Receiver interface {
	Receive(ctx context.Context, id core.RepositoryID, a repositories.Arrival, from access.Principal) (repositories.Delivery, error)
}

// DeliveryCall is what a script of one's own may send; Git hosts send what they do. Every field may be left out, and so may the
// whole body.
type DeliveryCall struct {
	Ref      string `json:"ref"`      // branch that was pushed to, such as main or refs/heads/main
	Commit   string `json:"commit"`   // full hash that it points to now
	Delivery string `json:"delivery"` // what this call is known by: a second one of the same does nothing
}

// ReceivedAnswer is what became of a delivery.
type ReceivedAnswer struct {
	ID     core.DeliveryID             `json:"id"`
	Result repositories.DeliveryResult `json:"result"` // accepted, ignored or repeated
	Reason string                      `json:"reason"` // for people
}

var errNoRepository = fault.New(fault.NotFound, "repository.not_found", "There is no such repository.")

// Receive answers 202 to whoever proves to be a repository's Git host.
func Receive(receiver Receiver) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("repository_id")
		if !core.ValidID(core.PrefixRepository, id) {
			return errNoRepository
		}
		body, err := endpoint.Body(r)
		if err == nil {
			err = checkMediaType(r.Header, len(body))
		}
		if err != nil {
			return err
		}
		d, err := receiver.Receive(r.Context(), core.RepositoryID(id), repositories.Arrival{Header: headerOf(r.Header), Body: body}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, ReceivedAnswer{ID: d.ID, Result: d.Result, Reason: d.Reason})
	})
}

// headerOf joins what stands in several headers of one name.
func headerOf(h http.Header) func(string) string {
	return func(name string) string { return strings.Join(h.Values(name), ", ") }
}

// checkMediaType refuses what no Git host sends. A body of no bytes is of any type.
func checkMediaType(h http.Header, size int) error {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	known := err == nil && (kind == "application/json" || kind == "application/x-www-form-urlencoded")
	if size > 0 && !known || h.Get("Content-Encoding") != "" {
		return fault.New(fault.Unsupported, "request.media_type", "The body must be JSON and sent as it is: choose application/json as the content type at the Git host.")
	}
	return nil
}
