package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// AuditLister lists what was done, newest first.
type AuditLister interface {
	AuditEvents(ctx context.Context, f access.AuditFilter, ask core.Page) (core.List[access.AuditRecord], error)
}

// AuditEventAnswer is one thing that somebody did, or tried to do.
type AuditEventAnswer struct {
	ID        core.AuditEventID    `json:"id"`
	At        time.Time            `json:"at"`
	ActorKind access.PrincipalKind `json:"actor_kind"` // user, service_account, worker, webhook, system or anonymous
	ActorID   string               `json:"actor_id"`   // "" where the kind has none
	Actor     string               `json:"actor"`      // name at the time: e-mail address, account or host
	KeyID     string               `json:"key_id"`     // API key of a service account that was used; "" for everybody else
	Address   string               `json:"address"`    // remote address; "" when it did not come from outside
	Action    string               `json:"action"`     // noun.verb, such as stack.create
	Resource  string               `json:"resource"`   // identifier or name of what it was done to
	Detail    string               `json:"detail"`     // for people; never a value of a variable, a token or a password
	Result    access.Result        `json:"result"`     // done, refused or failed
}

// ListAuditEvents lists what was done, narrowed by actor, action, resource, result, from and to.
func ListAuditEvents(lister AuditLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		filter, err := auditFilter(r.URL.Query())
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.AuditEvents(r.Context(), filter, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showAuditEvent)
	})
}

func showAuditEvent(e access.AuditRecord) AuditEventAnswer {
	return AuditEventAnswer{ID: e.ID, At: e.At, ActorKind: e.Actor.Kind, ActorID: e.Actor.ID, Actor: e.Actor.Name, KeyID: e.Actor.Key, Address: e.Actor.Address,
		Action: e.Action, Resource: e.Resource, Detail: e.Detail, Result: e.Result}
}

// auditFilter reads the filter of a query. Invalid "query.invalid" names every bad time.
func auditFilter(q url.Values) (access.AuditFilter, error) {
	f := access.AuditFilter{Actor: q.Get("actor"), Action: q.Get("action"), Resource: q.Get("resource"), Result: access.Result(q.Get("result"))}
	var bad []fault.Field
	for name, into := range map[string]*time.Time{"from": &f.From, "to": &f.To} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			bad = append(bad, fault.Field{Path: name, Problem: "must be a time with its zone, such as 2026-01-31T15:04:05Z"})
		}
		*into = at
	}
	return f, fault.BadFields("query.invalid", bad)
}
