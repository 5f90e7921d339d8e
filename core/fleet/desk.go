package fleet

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// Desk is where workers are admitted, listed and cut off. All its fields are set once.
type Desk struct {
	store Store
	seals Seals
	hub   Hub
	now   core.Clock
	port  WorkerPort
}

// WorkerPort says where workers reach the server and how they recognise it.
type WorkerPort struct {
	AppURL string // scheme://host[:port]; only its host counts here
	Port   int    // TLS_WORKER_PORT
	// Pin returns the pin of the worker port's key; false when its certificate comes from
	// an authority that workers check instead, since such keys change with each renewal.
	Pin func(context.Context) (seal.Pin, bool, error)
	// Version is this server's, by which workers are told that are too old or too new.
	Version string
}

// NewDesk returns a Desk. hub is told after commits.
func NewDesk(store Store, seals Seals, hub Hub, now core.Clock, port WorkerPort) *Desk {
	return &Desk{store: store, seals: seals, hub: hub, now: now, port: port}
}

// Worker returns one worker. NotFound "worker.not_found".
func (d *Desk) Worker(ctx context.Context, id core.WorkerID) (Worker, error) {
	w, err := d.store.Worker(ctx, id)
	return d.advised(w), err
}

// Workers returns the workers that pass f, in order of age.
func (d *Desk) Workers(ctx context.Context, f Filter, p core.Page) (core.List[Worker], error) {
	if f.Tag != "" && !core.ValidTag(f.Tag) {
		return core.List[Worker]{}, fault.BadFields("worker.invalid_filter",
			[]fault.Field{{Path: "tag", Problem: "letters, digits, - and _"}})
	}
	list, err := d.store.Workers(ctx, f, p)
	for i, w := range list.Items {
		list.Items[i] = d.advised(w)
	}
	return list, err
}

// Revoke cuts a worker off for good: its token and key are refused from now on, its
// link is closed, and the commands that it still had are closed. Its stacks stay
// assigned and its containers go on running. NotFound "worker.not_found".
func (d *Desk) Revoke(ctx context.Context, by access.Principal, id core.WorkerID) (Worker, error) {
	w, err := d.store.RevokeWorker(ctx, id, by.Audit("worker.revoke", string(id), "token, key and link are refused from now on"))
	if err == nil {
		d.hub.Revoked(id)
	}
	return w, err
}

// Delete removes a worker that has no stacks. NotFound "worker.not_found"; Conflict
// "worker.has_stacks", which names them.
func (d *Desk) Delete(ctx context.Context, by access.Principal, id core.WorkerID) error {
	err := d.store.DeleteWorker(ctx, id, by.Audit("worker.delete", string(id), "worker and token removed"))
	if err == nil {
		d.hub.Revoked(id)
	}
	return err
}
