package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// DeliveryLister lists what came to a repository's webhook.
type DeliveryLister interface {
	Deliveries(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[repositories.Delivery], error)
}

// DeliveryReplayer does once more what a delivery said.
type DeliveryReplayer interface {
	Replay(ctx context.Context, repository core.RepositoryID, id core.DeliveryID, by access.Principal) (repositories.Delivery, error)
}

// DeliveryAnswer is one call of a webhook that proved where it comes from.
type DeliveryAnswer struct {
	ID           core.DeliveryID             `json:"id"`
	RepositoryID core.RepositoryID           `json:"repository_id"`
	Provider     repositories.Provider       `json:"provider"` // github, gitlab, gitea (and Forgejo), bitbucket or generic
	HostID       string                      `json:"host_id"`  // the Git host's own identifier of it; "": it gave none
	Event        string                      `json:"event"`    // as the Git host names it
	Ref          string                      `json:"ref"`      // such as refs/heads/main; "": it is about none
	Commit       core.Commit                 `json:"commit"`   // "": it named none
	Result       repositories.DeliveryResult `json:"result"`   // accepted, ignored or unreadable
	Reason       string                      `json:"reason"`
	ReceivedAt   time.Time                   `json:"received_at"`
	ReplayOf     core.DeliveryID             `json:"replay_of"`   // the delivery that a person replayed; "": the Git host sent it
	Repeats      int                         `json:"repeats"`     // how often it came again, which did nothing
	RepeatedAt   *time.Time                  `json:"repeated_at"` // when last; null: never
	LookedAt     *time.Time                  `json:"looked_at"`   // when the look that it asked for had ended; null: it has not, or none was asked for
	Outcome      string                      `json:"outcome"`     // what came of that look
}

func showDelivery(d repositories.Delivery) DeliveryAnswer {
	return DeliveryAnswer{ID: d.ID, RepositoryID: d.Repository, Provider: d.Provider, HostID: d.HostID, Event: d.Event, Ref: d.Ref, Commit: d.Commit, Result: d.Result,
		Reason: d.Reason, ReceivedAt: d.ReceivedAt, ReplayOf: d.ReplayOf, Repeats: d.Repeats, RepeatedAt: optionalTime(d.RepeatedAt), LookedAt: optionalTime(d.LookedAt), Outcome: d.Outcome}
}

func hookedRepository(r *http.Request) (core.RepositoryID, error) {
	id := r.PathValue("repository_id")
	if !core.ValidID(core.PrefixRepository, id) {
		return "", fault.New(fault.NotFound, "repository.not_found", "There is no such repository.")
	}
	return core.RepositoryID(id), nil
}

// ListDeliveries lists what came to a repository's webhook, newest first.
func ListDeliveries(lister DeliveryLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := hookedRepository(r)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Deliveries(r.Context(), id, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showDelivery)
	})
}

// ReplayDelivery does once more what a delivery said, and answers with the delivery that this is.
func ReplayDelivery(replayer DeliveryReplayer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		repository, err := hookedRepository(r)
		if err != nil {
			return err
		}
		id, err := pathID[core.DeliveryID](r, core.PrefixDelivery, fault.New(fault.NotFound, "webhook.delivery_not_found", "The webhook has no such delivery; the newest 500 are kept."))
		if err != nil {
			return err
		}
		d, err := replayer.Replay(r.Context(), repository, id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, showDelivery(d))
	})
}
