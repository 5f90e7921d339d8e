package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// WebhookFinder finds a repository's webhook.
type WebhookFinder interface {
	Webhook(ctx context.Context, id core.RepositoryID) (repositories.Webhook, error)
}

// WebhookSecretMaker gives webhooks new secrets.
type WebhookSecretMaker interface {
	NewSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, secrets.Value, error)
}

// WebhookSecretDropper ends secrets that were replaced.
type WebhookSecretDropper interface {
	DropPreviousSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error)
}

// WebhookCloser turns webhooks off.
type WebhookCloser interface {
	TurnOff(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error)
}

// WebhookAnswer is how a repository is told of pushes.
type WebhookAnswer struct {
	URL            string                `json:"url"`              // what the Git host is to call; made from APP_URL
	Enabled        bool                  `json:"enabled"`          // it has a secret
	Secrets        []WebhookSecretAnswer `json:"secrets"`          // newest first; the values are never shown again
	LastDeliveryAt *time.Time            `json:"last_delivery_at"` // when one last came, whatever it did; null: never
	LastAcceptedAt *time.Time            `json:"last_accepted_at"` // when one last asked for a look; null: never
	LastRefusedAt  *time.Time            `json:"last_refused_at"`  // when one last came with a wrong secret, to the nearest ten seconds; null: never
	MissedAt       *time.Time            `json:"missed_at"`        // polling found a commit that no delivery told of, and none came since; null: it did not
}

// WebhookSecretAnswer is a secret without its value.
type WebhookSecretAnswer struct {
	MadeAt time.Time `json:"made_at"`
	MadeBy string    `json:"made_by"`
}

// NewWebhookSecretAnswer is a new secret, the only time that it is shown.
type NewWebhookSecretAnswer struct {
	WebhookAnswer
	Secret string `json:"secret"` // what the Git host signs with, or sends as its token
}

// WebhookURL is where a repository's Git host reaches it; app is APP_URL.
func WebhookURL(app string, id core.RepositoryID) string {
	return app + "/api/custom/webhooks/" + string(id)
}

func showWebhook(app string, w repositories.Webhook) WebhookAnswer {
	answer := WebhookAnswer{URL: WebhookURL(app, w.Repository.ID), Enabled: len(w.Secrets) > 0, Secrets: []WebhookSecretAnswer{}, LastDeliveryAt: optionalTime(w.LastAt),
		LastAcceptedAt: optionalTime(w.Repository.HookedAt), LastRefusedAt: optionalTime(w.RefusedAt)}
	for _, s := range w.Secrets {
		answer.Secrets = append(answer.Secrets, WebhookSecretAnswer{s.MadeAt, s.MadeBy})
	}
	if w.Repository.Unannounced() {
		answer.MissedAt = optionalTime(w.Repository.UnannouncedAt)
	}
	return answer
}

// GetWebhook shows how a repository is told of pushes.
func GetWebhook(finder WebhookFinder, app string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		known, err := finder.Webhook(r.Context(), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showWebhook(app, known))
	})
}

// CreateWebhookSecret makes a webhook's next secret.
func CreateWebhookSecret(maker WebhookSecretMaker, app string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		known, secret, err := maker.NewSecret(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, NewWebhookSecretAnswer{showWebhook(app, known), secret.Reveal()})
	})
}

// DeletePreviousWebhookSecret ends what the secret before the newest is good for.
func DeletePreviousWebhookSecret(dropper WebhookSecretDropper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		if _, err := dropper.DropPreviousSecret(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}

// DeleteWebhookSecrets turns a webhook off: no secret is good any more, so that every call is refused.
func DeleteWebhookSecrets(closer WebhookCloser) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		if _, err := closer.TurnOff(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
