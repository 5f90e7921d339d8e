package allinone

import (
	"context"
	"io"
	"net/url"

	"berth/core"
	"berth/core/fleet"
	"berth/core/lint"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/wire"
	"berth/hub"
	"berth/hub/workerport"
)

// joinFleet makes the use cases of workers and the key that the worker port shows.
func (p *parts) joinFleet(ctx context.Context) (err error) {
	if p.identity, err = p.portIdentity(ctx); err != nil {
		return err
	}
	p.fleet = fleet.NewDesk(p.store, p.ring, p.side, p.cfg.Now, fleet.WorkerPort{AppURL: p.cfg.Server.AppURL, Port: p.cfg.Server.TLSWorkerPort, Pin: p.identity.KeyPin, Version: p.cfg.Version})
	known, err := p.store.UsableWorkers(ctx)
	for _, w := range known {
		p.board.Workers.Know(w.ID, w.Hostname)
	}
	return err
}

func (p *parts) portIdentity(ctx context.Context) (workerport.Identity, error) {
	s := p.cfg.Server
	app, err := url.Parse(s.AppURL)
	if err != nil {
		return workerport.Identity{}, err
	}
	if s.TLSCertFile != "" {
		return workerport.GivenIdentity(s.TLSCertFile, s.TLSKeyFile, app.Hostname(), p.cfg.Now())
	}
	return workerport.KeptIdentity(ctx, p.store, p.ring, []string{app.Hostname(), "localhost", "127.0.0.1"}, p.cfg.Now())
}

// joinPort makes the worker port; it listens once it runs.
func (p *parts) joinPort() {
	p.port = workerport.New(workerport.Options{Desk: p.fleet, Hub: p.hub, Meter: p.board.Own, Certificate: p.identity.Certificate,
		Heartbeat: p.cfg.Server.HeartbeatInterval, Now: p.cfg.Now, Log: p.cfg.Log})
}

// lateHub passes words to a hub that is made after those who speak to it.
type lateHub struct {
	hub   *hub.Hub
	board *metrics.Board
}

// Act implements api.ServiceActor.
func (l *lateHub) Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error {
	return l.hub.Act(ctx, s, service, kind)
}

// Logs implements api.ServiceLogger.
func (l *lateHub) Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error {
	return l.hub.Logs(ctx, s, service, ask, w)
}

// Usage implements api.UsageTeller.
func (l *lateHub) Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error) {
	return l.hub.Usage(ctx, s)
}

// Plan implements api.StackPlanner.
func (l *lateHub) Plan(ctx context.Context, id core.StackID) (stacks.Plan, error) {
	return l.hub.Plan(ctx, id)
}

// Lint implements api.Linter.
func (l *lateHub) Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error) {
	return l.hub.Lint(ctx, ask)
}

// PolicyPlan implements api.PolicyPlanner.
func (l *lateHub) PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error) {
	return l.hub.PolicyPlan(ctx, worker, rules)
}

// Environment implements api.EnvironmentReader.
func (l *lateHub) Environment(ctx context.Context, id core.StackID) (stacks.Environment, error) {
	return l.hub.Environment(ctx, id)
}

// Nudge implements core.Nudger.
func (l *lateHub) Nudge() { l.hub.Nudge() }

// Revoked implements fleet.Hub.
func (l *lateHub) Revoked(id core.WorkerID) {
	l.hub.Revoked(id)
	l.board.Workers.Forget(id)
}

// hubFleet is the workers as the hub needs them.
type hubFleet struct {
	desk *fleet.Desk
	*store.Store
}

// Connected implements hub.Fleet.
func (f hubFleet) Connected(ctx context.Context, id core.WorkerID, hello wire.Hello) (uint64, error) {
	return f.desk.Connected(ctx, id, hello)
}
