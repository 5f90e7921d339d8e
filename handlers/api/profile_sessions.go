package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// OwnSessions lists and ends the sessions of whoever asks; see identity.People.
type OwnSessions interface {
	Sessions(ctx context.Context, who access.Principal) ([]identity.OpenSession, error)
	EndSession(ctx context.Context, who access.Principal, id core.SessionID) error
}

// OwnSession is a browser in which whoever asks is signed in.
type OwnSession struct {
	ID        core.SessionID `json:"id"`
	Current   bool           `json:"current"` // the one that asks
	Address   string         `json:"address"` // from which it was opened; empty: that was not kept
	Agent     string         `json:"agent"`   // what the browser called itself then
	CreatedAt time.Time      `json:"created_at"`
	ExpiresAt time.Time      `json:"expires_at"`
}

// ListSessions lists the open sessions of whoever asks, newest first: at most 50, which is as many as there are.
func ListSessions(people OwnSessions) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		who := endpoint.Principal(r.Context())
		open, err := people.Sessions(r.Context(), who)
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[identity.OpenSession]{Items: open}, func(s identity.OpenSession) OwnSession {
			return OwnSession{ID: s.ID, Current: string(s.ID) == who.Session, Address: s.Address, Agent: s.Agent, CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt}
		})
	})
}

var errNoSession = fault.New(fault.NotFound, "session.not_found", "There is no such session.")

// EndSession ends one session of whoever asks, this one or another.
func EndSession(people OwnSessions) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.SessionID](r, core.PrefixSession, errNoSession)
		if err != nil {
			return err
		}
		if err := people.EndSession(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
