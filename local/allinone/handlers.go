package allinone

import (
	"net/http"

	"berth/core/about"
	"berth/core/store"
	"berth/handlers"
	"berth/handlers/guard"
	"berth/hub/adapter/oidc"
	"berth/hub/adapter/qrcode"
	"berth/hub/adapter/yaml"
)

// mux builds the route table on the parts. The handlers see ports only; the hub's could
// as well be filled by one on another host.
func (p *parts) mux() (http.Handler, error) {
	s := p.cfg.Server
	deps, err := handlers.Join(handlers.Parts{
		AppURL: s.AppURL, BootstrapToken: s.BootstrapToken, RequireAdminTOTP: s.RequireAdminTOTP, Version: p.cfg.Version, Now: p.cfg.Now, About: p.installation(),
		SignOn: oidc.SignOn(s.OIDC(), s.AppURL, p.cfg.Now),
		Guard:  guard.Config{TrustedProxies: s.TrustedProxies, Log: p.cfg.Log, Meter: p.board.Own},
		Store:  p.store, Ring: p.ring, Passwords: p.passwords, Documents: yaml.Rendered{}, Files: yaml.Configuration{}, Codes: qrcode.Maker{},
		Desks: handlers.Desks{Backups: p.backups, Integrations: p.integrations, Repositories: p.repositories, GitHosts: p.gitHosts, Hooks: p.hooks, Variables: p.variables, Stacks: p.stacks, Jobs: p.jobs, Fleet: p.fleet, Mail: p.mail, Keys: p.keys},
		Hub:   handlers.Hub{Live: p.side.live, Plans: p.side.plans, Browser: p.side.browser, Files: p.side.files, Metrics: p.side.metrics, Secrets: p.side.secrets},
	})
	if err != nil {
		return nil, err
	}
	return handlers.Mux(deps)
}

// installation says how this process is put up.
func (p *parts) installation() about.Installation {
	a := about.Installation{Schema: store.Schema(), Database: about.SQLite, Hub: about.HubWithin, Host: about.HostServer, Began: p.cfg.Now(), Build: about.ReadBuild()}
	if p.cfg.shared() {
		a.Database, a.Hub = about.PostgreSQL, about.HubShared
	}
	return a
}
