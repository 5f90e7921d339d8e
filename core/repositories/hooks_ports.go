package repositories

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// HookStore keeps webhooks' secrets and deliveries. Each method is one transaction; all but NoteRefused return
// NotFound "repository.not_found".
type HookStore interface {
	// Webhook returns a repository's webhook, and its secrets sealed, in the order of Webhook.Secrets.
	Webhook(ctx context.Context, id core.RepositoryID) (Webhook, []seal.Sealed, error)
	// AddWebhookSecret keeps a new secret and of the others the newest one.
	AddWebhookSecret(ctx context.Context, id core.RepositoryID, secret WebhookSecret, sealed seal.Sealed, by access.Principal) (Webhook, error)
	// DropPreviousSecret keeps the newest secret alone. Conflict "webhook.no_previous".
	DropPreviousSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (Webhook, error)
	// DropSecrets keeps no secret, and forgets that deliveries ever came. Without any it changes nothing.
	DropSecrets(ctx context.Context, id core.RepositoryID, by access.Principal) (Webhook, error)
	// AddDelivery keeps a delivery and, when it was accepted, asks for a look at its repository. One that came before
	// is counted, and returned as DeliveryRepeated; nothing else is done for it.
	AddDelivery(ctx context.Context, d Delivery) (Delivery, error)
	// AddReplay is AddDelivery for one that a person replays.
	AddReplay(ctx context.Context, d Delivery, by access.Principal) (Delivery, error)
	// Delivery returns one delivery of a repository. NotFound "webhook.delivery_not_found".
	Delivery(ctx context.Context, repository core.RepositoryID, id core.DeliveryID) (Delivery, error)
	// DeliveryList returns a repository's deliveries, newest first; the cursor is the last identifier.
	DeliveryList(ctx context.Context, repository core.RepositoryID, p core.Page) (core.List[Delivery], error)
	// NoteRefused notes that a delivery was refused.
	NoteRefused(ctx context.Context, id core.RepositoryID, at time.Time) error
}

// HookMeter counts deliveries; *metrics.Own does.
type HookMeter interface {
	// Delivered counts a delivery.
	Delivered(provider Provider, result DeliveryResult)
	// AuthenticationFailed counts a credential that was shown and refused.
	AuthenticationFailed(kind string)
}

// unmetered counts nothing.
type unmetered struct{}

// Delivered implements HookMeter.
func (unmetered) Delivered(Provider, DeliveryResult) {}

// AuthenticationFailed implements HookMeter.
func (unmetered) AuthenticationFailed(string) {}
