package handlers_test

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/metrics"
	"berth/core/seal"
	"berth/core/wire"
	"berth/handlers"
	"berth/hub/adapter/process"
	"berth/hub/adapter/promtext"
)

// workersDeps is what workers and metrics need: the real use cases on the stand's store, a
// real board, and no worker anywhere.
func (s *stand) workersDeps() (handlers.WorkersDeps, handlers.MetricsDeps) {
	port := fleet.WorkerPort{AppURL: origin, Port: 8443, Pin: func(context.Context) (seal.Pin, bool, error) { return seal.Pin{7}, true, nil }}
	s.measured = metrics.NewBoard(metrics.Config{Version: "test", Validator: promtext.Validator{}, Process: process.Read, Clock: s.now})
	return handlers.WorkersDeps{Desk: fleet.NewDesk(s.store, s.ring, noHub{}, s.now, port), Store: s.store, Plans: s.plans(), Now: s.now}, handlers.MetricsDeps{Source: s.measured}
}

func (noHub) Revoked(core.WorkerID) {}

func (s *stand) desk() *fleet.Desk { return s.deps.Workers.Desk.(*fleet.Desk) }

func (s *stand) board() *metrics.Board { return s.measured }

// worker registers a worker, as its program would.
func (s *stand) worker(hostname string, tags ...string) fleet.Worker {
	s.t.Helper()
	issued, err := s.desk().Issue(s.t.Context(), access.System, fleet.TokenAsk{})
	s.must(err)
	return s.enrolled(issued.Secret.Reveal(), hostname, tags...)
}

// enrolled registers a worker with a token.
func (s *stand) enrolled(token, hostname string, tags ...string) fleet.Worker {
	s.t.Helper()
	w, err := s.desk().Enrol(s.t.Context(), fleet.Proof{Token: token, Key: seal.PinOf([]byte(hostname))},
		wire.Enrol{Protocol: 1, Hostname: hostname, Tags: tags, Version: "1.0", OS: "linux", Arch: "amd64"})
	s.must(err)
	s.exec(`UPDATE workers SET engine = id WHERE id = ?`, string(w.ID)) // each has its own
	s.later(time.Millisecond)                                           // identifiers sort by age
	return w
}

// admin returns the API key of an administrator.
func (s *stand) admin() string {
	s.t.Helper()
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	return key
}
