package allinone

import (
	"fmt"
	"net/http"
	"net/url"

	"berth/core/identity"
	"berth/core/stacks"
	"berth/handlers"
	"berth/handlers/guard"
	"berth/handlers/ui"
	"berth/hub/adapter/yaml"
)

// mux builds the route table on the parts. The handlers see ports only; the hub's could
// as well be filled by one on another host.
func (p *parts) mux() (http.Handler, error) {
	app, err := url.Parse(p.cfg.Server.AppURL)
	if err != nil {
		return nil, fmt.Errorf("APP_URL: %w", err)
	}
	setUp := identity.NewSetUp(p.store, p.passwords, p.cfg.Server.BootstrapToken, p.cfg.Now)
	signIn := identity.NewSignIn(p.store, p.passwords, p.ring, p.cfg.Now)
	accounts := identity.NewAccounts(p.store, p.ring, p.cfg.Now)
	browser := p.side.browser
	comparer := stacks.NewComparer(p.store, p.side.files, yaml.Rendered{}).Reading(p.side.files)
	return handlers.Mux(handlers.Deps{
		Guard: guard.Config{AppURL: app, TrustedProxies: p.cfg.Server.TrustedProxies, Log: p.cfg.Log, Clock: p.cfg.Now, Meter: p.board.Own,
			Doorkeeper: identity.NewDoorkeeper(p.store, p.ring, p.cfg.Now), ErrorPage: ui.ErrorPage},
		Identity:     handlers.IdentityDeps{SetUp: setUp, SignIn: signIn, Accounts: accounts, Store: p.store},
		Metrics:      handlers.MetricsDeps{Source: p.side.metrics},
		Ops:          handlers.OpsDeps{Store: p.store, Version: p.cfg.Version},
		Repositories: handlers.RepositoriesDeps{Desk: p.repositories, Browser: browser},
		Stacks:       handlers.StacksDeps{Desk: p.stacks, Store: p.store, Files: p.side.files, Live: p.side.live, Plans: p.side.plans, Compare: comparer},
		UI: handlers.UIDeps{SetUp: setUp, SignIn: signIn, Accounts: accounts, Store: p.store, Repositories: p.repositories, Browser: browser,
			Variables: p.variables, Stacks: p.stacks, Workers: p.fleet, Live: p.side.live, Now: p.cfg.Now,
			Plans: p.side.plans, Compose: p.side.files, Compare: comparer},
		Variables: handlers.VariablesDeps{Desk: p.variables, Stacks: p.store},
		Workers:   handlers.WorkersDeps{Desk: p.fleet},
	})
}
