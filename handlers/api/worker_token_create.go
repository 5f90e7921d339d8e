package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// WorkerTokenIssuer makes worker tokens.
type WorkerTokenIssuer interface {
	// Issue makes a token for one worker; see fleet.Desk.
	Issue(ctx context.Context, by access.Principal, ask fleet.TokenAsk) (fleet.Issued, error)
}

// WorkerTokenRequest makes a token for one worker.
type WorkerTokenRequest struct {
	Name      string `json:"name"`       // for people, at most 100 bytes; may be left out
	ExpiresIn int64  `json:"expires_in"` // seconds until the first registration, 60 to 31536000; 0 or left out: 604800
}

// IssuedWorkerToken is the only answer that ever shows a worker token.
type IssuedWorkerToken struct {
	ID        core.WorkerTokenID `json:"id"`
	Token     string             `json:"token"`      // WORKER_TOKEN
	ServerURL string             `json:"server_url"` // SERVER_URL
	Command   string             `json:"command"`    // starts the worker on a host that has the program
	Compose   string             `json:"compose"`    // a Compose file that runs it in a container
	ExpiresAt time.Time          `json:"expires_at"` // of the first registration; once used, the token does not expire
}

// IssueWorkerToken makes a worker token and shows it, this once.
func IssueWorkerToken(issuer WorkerTokenIssuer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.DecodeOptional[WorkerTokenRequest](r)
		if err != nil {
			return err
		}
		issued, err := issuer.Issue(r.Context(), endpoint.Principal(r.Context()), fleet.TokenAsk{Name: ask.Name, ExpiresIn: seconds(ask.ExpiresIn)})
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, IssuedWorkerToken{ID: issued.Token.ID, Token: issued.Secret.Reveal(),
			ServerURL: issued.ServerURL, Command: issued.Command(), Compose: issued.Compose(), ExpiresAt: issued.Token.ExpiresAt})
	})
}

// seconds turns a number from outside into a duration; what would overflow stays far out
// of every range.
func seconds(n int64) time.Duration {
	const century = 100 * 365 * 86400
	return time.Duration(min(max(n, -century), century)) * time.Second
}
