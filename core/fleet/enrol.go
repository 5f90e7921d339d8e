package fleet

import (
	"context"
	"crypto/subtle"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/wire"
)

// Proof is what a worker shows to be let in.
type Proof struct {
	Token   string   // text of its worker token
	Key     seal.Pin // of the key pair whose possession TLS has proven
	Address string   // remote IP address, for the audit
}

// Enrol registers a worker, or finds the one that this token and key belong to. The
// first registration binds the token to the key. Whoever comes later with the same
// two is the same worker, and its facts are stored when they changed.
//
// Faults: Unauthenticated "worker.token_invalid" and "worker.token_expired"; Forbidden
// "worker.revoked" and "worker.key_mismatch"; Invalid "worker.invalid"; Conflict "worker.protocol".
func (d *Desk) Enrol(ctx context.Context, proof Proof, ask wire.Enrol) (Worker, error) {
	token, err := readToken(proof.Token)
	if err != nil {
		return Worker{}, err
	}
	facts, err := Facts{Hostname: ask.Hostname, Tags: ask.Tags, Version: ask.Version, OS: ask.OS, Arch: ask.Arch}.check()
	if err != nil {
		return Worker{}, err
	}
	decide := func(held Held) (Enrolment, error) { return d.decide(token, proof, facts, held) }
	// Most registrations change nothing: look first, and leave the writer alone.
	held, err := d.store.HeldWorkerToken(ctx, core.WorkerTokenID(token.ID()))
	if err != nil {
		return Worker{}, unknownToken(err)
	}
	seen, err := decide(held)
	refused := spoken(ask.Protocol, facts.Version, d.port.Version)
	switch {
	case err != nil:
		return seen.Worker, err
	case !seen.First && !seen.Changed, seen.First && refused != nil:
		return seen.Worker, refused
	}
	w, err := d.store.EnrolWorker(ctx, core.WorkerTokenID(token.ID()), decide)
	if err == nil {
		err = refused // whose release is kept, so that people see it
	}
	return w, unknownToken(err)
}

// decide judges a registration by what is known of its token.
func (d *Desk) decide(token seal.Token, proof Proof, facts Facts, held Held) (Enrolment, error) {
	if err := d.judge(token, proof.Key, held); err != nil {
		return Enrolment{}, err
	}
	if held.bound() {
		w := held.Worker
		e := Enrolment{Worker: w.with(facts), Key: held.Key, Changed: !w.facts().equal(facts)}
		e.Audit = audit(e.Worker, proof, "worker.update", "host name, tags or version changed")
		return e, nil
	}
	now := d.now()
	id := core.WorkerID(core.NewID(core.PrefixWorker, now))
	w := Worker{ID: id, TokenID: held.Token.ID, CreatedAt: now}.with(facts)
	return Enrolment{Worker: w, Key: proof.Key, First: true,
		Audit: audit(w, proof, "worker.enrol", fmt.Sprintf("token %s is bound to this worker's key", held.Token.ID))}, nil
}

// judge says whether token and key, together, may act for the worker of held.
func (d *Desk) judge(token seal.Token, key seal.Pin, held Held) error {
	switch {
	case !d.seals.VerifyToken(token, held.MAC):
		return errToken("The worker token is not known here. Make a new one under Workers and set it as WORKER_TOKEN.")
	case held.Token.Revoked || held.Worker.Revoked:
		return errRevoked
	case !held.bound() && !d.now().Before(held.Token.ExpiresAt):
		return fault.New(fault.Unauthenticated, "worker.token_expired",
			"The worker token expired before it was used. Make a new one under Workers and set it as WORKER_TOKEN.")
	case held.bound() && subtle.ConstantTimeCompare(held.Key[:], key[:]) != 1:
		return fault.New(fault.Forbidden, "worker.key_mismatch",
			"The worker token belongs to another worker's key. Use one token for each worker; if this is the same host and its key is lost, make a new token under Workers.")
	}
	return nil
}

// Authenticate returns the worker that token and key belong to, before a link is made.
// It writes nothing. Faults as Enrol, and Unauthenticated "worker.not_enrolled".
func (d *Desk) Authenticate(ctx context.Context, proof Proof) (Worker, error) {
	token, err := readToken(proof.Token)
	if err != nil {
		return Worker{}, err
	}
	held, err := d.store.HeldWorkerToken(ctx, core.WorkerTokenID(token.ID()))
	if err != nil {
		return Worker{}, unknownToken(err)
	}
	if err := d.judge(token, proof.Key, held); err != nil {
		return Worker{}, err
	}
	if !held.bound() {
		return Worker{}, fault.New(fault.Unauthenticated, "worker.not_enrolled",
			"No worker has registered with this token yet. Register first, then make the link.")
	}
	return held.Worker, nil
}

// Connected notes that a worker's link is in service and returns its epoch, which is
// higher than any before. Faults: Invalid "worker.invalid", NotFound "worker.not_found",
// Forbidden "worker.revoked".
func (d *Desk) Connected(ctx context.Context, id core.WorkerID, hello wire.Hello) (uint64, error) {
	facts, err := Facts{Hostname: hello.Hostname, Tags: hello.Tags, Version: hello.Version, OS: hello.OS, Arch: hello.Arch, Engine: hello.Engine, Runs: hello.Runs,
		Host: HostPolicy{Judges: hello.Judges, Allow: hello.Allow, Limits: hello.Limits}}.check()
	if err != nil {
		return 0, err
	}
	return d.store.WorkerConnected(ctx, id, facts)
}

// Revoked is the fault for a worker that was cut off; the store returns it too.
func Revoked() error { return errRevoked }

var errRevoked = fault.New(fault.Forbidden, "worker.revoked",
	"This worker was revoked. Make a new token under Workers if the host should come back.")

func errToken(text string) error {
	return fault.New(fault.Unauthenticated, "worker.token_invalid", "%s", text)
}

func readToken(text string) (seal.Token, error) {
	token, err := seal.ParseToken(strings.TrimSpace(text))
	if err != nil {
		return seal.Token{}, errToken("WORKER_TOKEN is " + err.Error() + ". Copy it again, whole, or make a new one under Workers.")
	}
	if token.Kind() != seal.TokenWorker || !core.ValidID(core.PrefixWorkerToken, token.ID()) {
		return seal.Token{}, errToken("WORKER_TOKEN holds another kind of token. Make one for workers under Workers; it begins with berth_wt_.")
	}
	return token, nil
}

// unknownToken hides from a stranger whether a token with this id ever existed.
func unknownToken(err error) error {
	if fault.CodeOf(err) == "worker_token.not_found" {
		return errToken("The worker token is not known here. Make a new one under Workers and set it as WORKER_TOKEN.")
	}
	return err
}

func (w Worker) with(f Facts) Worker {
	w.Hostname, w.Tags, w.Version, w.OS, w.Arch = f.Hostname, f.Tags, f.Version, f.OS, f.Arch
	return w
}

func audit(w Worker, proof Proof, action, detail string) access.AuditEvent {
	by := access.Principal{Kind: access.KindWorker, ID: string(w.ID), Name: w.Hostname, Address: proof.Address}
	return by.Audit(action, string(w.ID), detail)
}
