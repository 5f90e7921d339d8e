package repositories

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/pace"
	"berth/core/seal"
	"berth/core/secrets"
)

// The pace of deliveries that are refused. One with a right secret is never held up by those of others.
var (
	refusedRule = pace.Rule{Burst: 30, Every: 2 * time.Second} // of one address, beyond which it is told to wait
	notedRule   = pace.Rule{Burst: 1, Every: 10 * time.Second} // of one repository, of which the store hears
)

const maxPaced = 10_000 // addresses and repositories that are counted apart

var errRefused = fault.New(fault.Unauthenticated, "webhook.refused",
	"The delivery does not prove that it comes from the repository's Git host: its signature or token fits none of the webhook's secrets. Copy the secret to the Git host again, or make a new one.")

// Hooks holds the use cases of webhooks. What a delivery asks for is committed before anybody is nudged, so that
// it is done even when no hub is there to be told.
type Hooks struct {
	store   HookStore
	seals   Seals
	nudge   core.Nudger
	now     core.Clock
	meter   HookMeter
	refused *pace.Buckets
	noted   *pace.Buckets
}

// NewHooks returns the use cases on a store; a meter that is nil counts nothing.
func NewHooks(store HookStore, seals Seals, nudge core.Nudger, meter HookMeter, now core.Clock) *Hooks {
	if meter == nil {
		meter = unmetered{}
	}
	return &Hooks{store: store, seals: seals, nudge: nudge, now: now, meter: meter,
		refused: pace.New(refusedRule, maxPaced, now), noted: pace.New(notedRule, maxPaced, now)}
}

// Receive takes what was sent to a repository's webhook. Nothing in it is read before it is proven.
// Unauthenticated "webhook.refused", NotFound "repository.not_found", TooMany "auth.too_many" when an address
// had too many refused; Malformed "webhook.unreadable" for one that was proven and is kept as such.
func (h *Hooks) Receive(ctx context.Context, id core.RepositoryID, a Arrival, from access.Principal) (Delivery, error) {
	known, sealed, missing := h.store.Webhook(ctx, id)
	if missing != nil && !fault.Is(missing, fault.NotFound) {
		return Delivery{}, missing
	}
	good, err := h.open(known, sealed)
	if err != nil {
		return Delivery{}, err
	}
	if !a.ProvenBy(good) {
		return Delivery{}, h.refuse(ctx, id, a, from, missing)
	}
	d := Delivery{ID: h.newID(), Repository: id, Provider: a.Provider(), ReceivedAt: h.now()}
	if d.Provider.Signed() {
		sum := sha256.Sum256(a.Body)
		d.Digest = hex.EncodeToString(sum[:])
	}
	said, unreadable := a.tells()
	if d = d.judge(known.Repository, said); unreadable != nil {
		d.Result, d.Reason = DeliveryUnreadable, unreadable.Error()
	}
	if d, err = h.store.AddDelivery(ctx, d); err != nil {
		return Delivery{}, err
	}
	h.meter.Delivered(d.Provider, d.Result)
	h.follow(d)
	if d.Result == DeliveryUnreadable {
		return d, fault.New(fault.Malformed, "webhook.unreadable", "The delivery is signed as it should be, but %s. Nothing was done.", d.Reason)
	}
	return d, nil
}

func (h *Hooks) newID() core.DeliveryID {
	return core.DeliveryID(core.NewID(core.PrefixDelivery, h.now()))
}

// follow nudges the hub when there is something to do.
func (h *Hooks) follow(d Delivery) {
	if d.Result == DeliveryAccepted {
		h.nudge.Nudge()
	}
}

// refuse counts what could not prove where it comes from, and returns why it is refused. For a repository that there is none
// of, missing says so.
func (h *Hooks) refuse(ctx context.Context, id core.RepositoryID, a Arrival, from access.Principal, missing error) error {
	h.meter.Delivered(a.Provider(), DeliveryRefused)
	h.meter.AuthenticationFailed("webhook")
	if wait := h.refused.Take(access.Network(from.Address)); wait > 0 {
		return fault.New(fault.TooMany, "auth.too_many", "There were too many tries. Wait before trying again.").After(wait)
	}
	if missing != nil {
		return missing
	}
	if h.noted.Take(string(id)) == 0 {
		if err := h.store.NoteRefused(ctx, id, h.now()); err != nil {
			return err
		}
	}
	return errRefused
}

// place is where a secret is sealed.
func (s WebhookSecret) place() seal.Place {
	return seal.Place{Table: "webhook_secrets", Row: string(s.ID), Column: "sealed"}
}

// open opens a webhook's secrets. One that cannot be opened is as good as none while there is another.
func (h *Hooks) open(known Webhook, sealed []seal.Sealed) ([]secrets.Value, error) {
	good := make([]secrets.Value, 0, MaxSecrets)
	var failed error
	for i, s := range sealed {
		secret, err := h.seals.Open(known.Secrets[i].place(), s)
		if err != nil {
			failed = err
			continue
		}
		good = append(good, secrets.NewValue(string(secret)))
	}
	if failed != nil && len(good) == 0 {
		return nil, fault.New(fault.Unavailable, "webhook.secret_unreadable", "The webhook's secret cannot be opened. Make a new one and copy it to the Git host.").Because(failed)
	}
	return good, nil
}

// Webhook returns how a repository is told of pushes. NotFound "repository.not_found".
func (h *Hooks) Webhook(ctx context.Context, id core.RepositoryID) (Webhook, error) {
	known, _, err := h.store.Webhook(ctx, id)
	return known, err
}

// NewSecret gives a repository's webhook a new secret, which is returned and never shown again. The one before
// stays good until it is dropped or yet another one is made; those before that are gone.
func (h *Hooks) NewSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (Webhook, secrets.Value, error) {
	made := WebhookSecret{ID: core.WebhookSecretID(core.NewID(core.PrefixWebhookSecret, h.now())), MadeAt: h.now(), MadeBy: by.Name}
	secret := "berth_wh_" + rand.Text() + rand.Text() // 260 bits, which nobody can guess
	sealed, err := h.seals.Seal(made.place(), []byte(secret))
	if err != nil {
		return Webhook{}, secrets.Value{}, err
	}
	known, err := h.store.AddWebhookSecret(ctx, id, made, sealed, by)
	return known, secrets.NewValue(secret), err
}

// DropPreviousSecret ends what the secret before the newest one is good for. Conflict "webhook.no_previous".
func (h *Hooks) DropPreviousSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (Webhook, error) {
	return h.store.DropPreviousSecret(ctx, id, by)
}

// TurnOff ends what every secret of a repository's webhook is good for, so that nothing is taken any more. Polling is as often
// as without a webhook at once. One that is off stays so.
func (h *Hooks) TurnOff(ctx context.Context, id core.RepositoryID, by access.Principal) (Webhook, error) {
	return h.store.DropSecrets(ctx, id, by)
}

// Deliveries lists a repository's deliveries, newest first.
func (h *Hooks) Deliveries(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[Delivery], error) {
	return h.store.DeliveryList(ctx, id, p)
}

// Replay does once more what a delivery said. NotFound "webhook.delivery_not_found".
func (h *Hooks) Replay(ctx context.Context, repository core.RepositoryID, id core.DeliveryID, by access.Principal) (Delivery, error) {
	known, _, err := h.store.Webhook(ctx, repository)
	if err != nil {
		return Delivery{}, err
	}
	before, err := h.store.Delivery(ctx, repository, id)
	if err != nil {
		return Delivery{}, err
	}
	d := before.again(known.Repository, by.Name)
	d.ID, d.ReceivedAt = h.newID(), h.now()
	if d, err = h.store.AddReplay(ctx, d, by); err == nil {
		h.follow(d)
	}
	return d, err
}
