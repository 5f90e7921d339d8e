package allinone

import (
	"context"

	"berth/core"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/metrics"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/store"
	"berth/handlers"
	"berth/handlers/api"
	"berth/hub"
	"berth/hub/adapter/hubclient"
	"berth/hub/adapter/ssh"
	"berth/hub/hubport"
)

// hubSide is what handlers reach of hubs, of the copies of repositories and of rendered files: in
// this process, or through calls when other hubs may have them.
type hubSide struct {
	core.Nudger
	fleet.Hub
	live    handlers.StacksLive
	plans   handlers.Planner
	browser handlers.RepositoriesBrowser
	files   revisionReader
	prober  repositories.Prober
	scanner repositories.HostScanner
	secrets api.SecretsFiles // set once the desk of repositories is there
	metrics metrics.Source
}

// revisionReader reads what revisions are made of.
type revisionReader interface {
	api.ComposeReader
	stacks.Blobs
}

// shared reports whether other hubs may work on the same database.
func (c Config) shared() bool { return !c.Server.DatabaseURL.Empty() }

// reach says how the handlers of this process reach what hubs have.
func (p *parts) reach(late *lateHub) hubSide {
	if p.client != nil {
		return hubSide{Nudger: p.client, Hub: p.client, live: p.client, plans: p.client, browser: p.client, files: p.files, prober: p.client, scanner: p.client, metrics: p.client}
	}
	return hubSide{Nudger: late, Hub: late, live: late, plans: late, browser: repositories.NewBrowser(p.git), files: p.files, prober: repositories.HeadProber{Git: p.git}, scanner: p.sshReach(), metrics: p.board}
}

// sshReach is where SSH hosts may be.
func (p *parts) sshReach() ssh.Reach { return ssh.Reach{Allowed: p.cfg.Server.AllowedPrivateIPRanges} }

// joinHubs makes what hubs say to each other, when there may be others.
func (p *parts) joinHubs() {
	if p.cfg.shared() {
		p.key = hubcall.NewKey(p.ring.Subkey(seal.PurposeHub), p.cfg.Now)
		p.client = hubclient.New(hubclient.Options{Key: p.key, Directory: p.store, Seals: p.ring, Version: p.cfg.Version, Now: p.cfg.Now})
	}
}

// joinInternalPort makes the port on which handlers elsewhere and other hubs are heard.
func (p *parts) joinInternalPort() {
	if p.client != nil {
		p.internal = hubport.New(hubport.Options{Key: p.key, Hub: calledHub{p.hub, p.board}, Find: p.store, Browser: repositories.NewBrowser(p.git),
			Prober: repositories.HeadProber{Git: p.git}, Scanner: p.sshReach(), Seals: p.ring, Backends: p.backends, Secrets: p.secrets, Metrics: p.board, Certificate: p.identity.Certificate, Version: p.cfg.Version, Log: p.cfg.Log})
	}
}

// calledHub is the hub as others reach it.
type calledHub struct {
	*hub.Hub
	board *metrics.Board
}

// Revoked implements fleet.Hub.
func (c calledHub) Revoked(id core.WorkerID) {
	c.Hub.Revoked(id)
	c.board.Workers.Forget(id)
}

// hubURL is where other hubs and handlers reach this process; empty when there are none.
func (p *parts) hubURL() string {
	if !p.cfg.shared() {
		return ""
	}
	return p.cfg.Server.InternalURL()
}

// self is what this hub's row tells the others.
func (p *parts) self() hubs.Hub {
	return hubs.Hub{URL: p.cfg.Server.InternalURL(), Pin: p.identity.Pin, Pinned: p.identity.Pinned, Version: p.cfg.Version}
}

// peers is the other hubs: their rows, and a word to them.
type peers struct {
	*store.Store
	client *hubclient.Client
}

// Wake implements hub.Peers.
func (p peers) Wake(ctx context.Context, id core.WorkerID) { p.client.Wake(ctx, id) }

// Arrived implements hub.Peers.
func (p peers) Arrived(ctx context.Context, tags []string) { p.client.Arrived(ctx, tags) }

// RunEnded implements hub.Peers.
func (p peers) RunEnded(ctx context.Context) { p.client.RunEnded(ctx) }

// startInternalPort opens HUB_LISTEN, when there may be others who call.
func (p *parts) startInternalPort(crew *crew) error {
	if p.internal == nil {
		return nil
	}
	l, err := listenAt("HUB_LISTEN", p.cfg.Server.HubListen)
	if err == nil {
		crew.start("internal port", func(ctx context.Context) error { return p.internal.Run(ctx, l) })
	}
	return err
}
