package fleet

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// Store keeps workers and their tokens. Each method is one transaction; what it is told
// to audit is written in the same one.
type Store interface {
	// AddWorkerToken stores a token and what recognises it, and drops tokens that
	// expired long ago without having been used.
	AddWorkerToken(ctx context.Context, token Token, mac []byte, e access.AuditEvent) error
	// HeldWorkerToken returns what is known of a token. NotFound "worker_token.not_found".
	HeldWorkerToken(ctx context.Context, id core.WorkerTokenID) (Held, error)
	// EnrolWorker shows decide what is known of a token and stores what it decides. decide
	// may be called again, so it has no effect of its own; its error is returned as it
	// is and nothing is stored. NotFound as HeldWorkerToken.
	EnrolWorker(ctx context.Context, id core.WorkerTokenID, decide func(Held) (Enrolment, error)) (Worker, error)
	// WorkerConnected raises the epoch, marks the worker online and stores its facts. It
	// returns the new epoch. NotFound "worker.not_found"; Forbidden "worker.revoked".
	WorkerConnected(ctx context.Context, id core.WorkerID, facts Facts) (uint64, error)
	// Worker returns one worker. NotFound "worker.not_found".
	Worker(ctx context.Context, id core.WorkerID) (Worker, error)
	// Workers returns workers in order of age.
	Workers(ctx context.Context, f Filter, p core.Page) (core.List[Worker], error)
	// RevokeWorker marks worker and token, raises the epoch and closes the commands that
	// are open. Revoking again changes nothing. NotFound "worker.not_found".
	RevokeWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) (Worker, error)
	// DeleteWorker removes a worker and its token and closes its open commands. NotFound
	// "worker.not_found"; Conflict "worker.has_stacks" naming the stacks assigned to it.
	DeleteWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) error
	// Policy returns the rules of a worker, or with no worker those for all; without rules when nobody made any.
	Policy(ctx context.Context, worker core.WorkerID) (Policy, error)
	// EditPolicy shows edit the rules and stores those that it returns, or removes them when their UpdatedAt is zero. An
	// event without action stores nothing. edit may be called again. NotFound "worker.not_found".
	EditPolicy(ctx context.Context, worker core.WorkerID, edit func(before Policy) (after Policy, e access.AuditEvent)) (Policy, error)
}

// Seals makes and recognises what is stored of a token; *seal.Ring does.
type Seals interface {
	MACToken(seal.Token) []byte
	VerifyToken(token seal.Token, mac []byte) bool
}

// Hub holds the links. What it is told is a hint that makes things fast: the epoch is
// raised already, so a link that outlives its worker changes nothing.
type Hub interface {
	// Revoked ends the link of a worker that was revoked or deleted, if it has one.
	Revoked(id core.WorkerID)
}

// Held is what the store knows of a token when somebody shows it.
type Held struct {
	Token  Token
	MAC    []byte
	Worker Worker   // zero while the token is not bound
	Key    seal.Pin // of the worker's own key; zero while the token is not bound
}

// bound reports whether a worker has registered with the token.
func (h Held) bound() bool { return h.Token.Worker != "" }

// Enrolment is what a registration changes. At most one of First and Changed is set;
// with neither nothing is stored.
type Enrolment struct {
	Worker  Worker
	Key     seal.Pin
	First   bool // bind the token to Worker and Key, and add the worker
	Changed bool // store the worker's facts
	Audit   access.AuditEvent
}
