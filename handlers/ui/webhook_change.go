package ui

import (
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// CreateWebhookSecret makes a webhook's next secret. The answer is the only page that ever shows it, so it is no redirect.
func CreateWebhookSecret(desk WebhookDesk, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, secret, err := desk.NewSecret(r.Context(), core.RepositoryID(r.PathValue("id")), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		page := newWebhookPage(known, app, now())
		page.Issued, page.Secret = true, copyable{"hook-secret", "secret of the webhook", secret.Reveal()}
		return writeWebhook(w, r, http.StatusCreated, desk, page, known, now())
	})
}

// DropWebhookSecret ends what the secret before the newest is good for.
func DropWebhookSecret(desk WebhookDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.RepositoryID(r.PathValue("id"))
		_, err := desk.DropPreviousSecret(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil && fault.CodeOf(err) != "webhook.no_previous" { // somebody else was faster
			return err
		}
		return seeOther(w, r, saying(repositoryHref(id)+"/webhook", "secret-dropped"))
	})
}

// TurnWebhookOff ends what all secrets of a webhook are good for.
func TurnWebhookOff(desk WebhookDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.RepositoryID(r.PathValue("id"))
		if _, err := desk.TurnOff(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(repositoryHref(id)+"/webhook", "webhook-off"))
	})
}

// ReplayDelivery does once more what a delivery said.
func ReplayDelivery(desk WebhookDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.RepositoryID(r.PathValue("id"))
		if _, err := desk.Replay(r.Context(), id, core.DeliveryID(r.PathValue("delivery")), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(repositoryHref(id)+"/webhook", "delivery-replayed"))
	})
}
