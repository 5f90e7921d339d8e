package allinone

import (
	"context"
	"errors"

	"berth/core/backups"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/identity"
	"berth/core/intake"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/keys"
	"berth/core/mail"
	"berth/core/metrics"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
	"berth/hub"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/compose/render"
	"berth/hub/adapter/git"
	"berth/hub/adapter/githost"
	"berth/hub/adapter/hubclient"
	"berth/hub/adapter/notice"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/process"
	"berth/hub/adapter/promtext"
	"berth/hub/adapter/sops"
	"berth/hub/adapter/ssh"
	"berth/hub/adapter/yaml"
	shelf "berth/hub/backups"
	"berth/hub/hubport"
	"berth/hub/revisionfiles"
	"berth/hub/workerport"
)

// parts is everything that lives as long as the process. Its fields are set once.
type parts struct {
	cfg   Config
	vault *vault
	store *store.Store
	ring  *seal.Ring
	files hub.RevisionFiles
	git   *git.Remote
	hub   *hub.Hub
	board *metrics.Board

	passwords    *identity.Passwords
	repositories *repositories.Desk
	gitHosts     *repositories.GitHosts
	hooks        *repositories.Hooks
	secrets      *repositories.SecretsReader
	backends     *integrations.Backends
	integrations *integrations.Desk
	variables    *variables.Desk
	stacks       *stacks.Desk
	jobs         *jobs.Desk
	fleet        *fleet.Desk
	identity     workerport.Identity
	port         *workerport.Port

	keys    *keys.Desk
	rings   keys.Fetcher // of the ring as it is stored
	mail    *mail.Desk
	notices *notice.Carrier
	backups *backups.Desk
	shelf   *shelf.Shelf            // nil with PostgreSQL
	dumps   *shelf.Server           // nil with the embedded database
	end     context.CancelCauseFunc // ends this run; set when it begins

	side     hubSide
	key      *hubcall.Key      // nil, as the two below: there are no other hubs
	client   *hubclient.Client // of all hubs
	internal *hubport.Port
}

// open opens and joins all parts; nothing listens or ticks yet.
func open(ctx context.Context, cfg Config) (*parts, error) {
	p := &parts{cfg: cfg}
	err := git.Installed() // before anything is written
	if err != nil {
		return nil, cannotOpen(err)
	}
	p.board = metrics.NewBoard(metrics.Config{Version: cfg.Version, HubURL: p.hubURL(), Validator: promtext.Validator{}, Process: process.Read, Clock: cfg.Now, Log: cfg.Log})
	if p.vault, err = openVault(ctx, cfg, p.board.Own.Room); err != nil {
		return nil, err
	}
	p.store, p.ring = p.vault.store, p.vault.ring
	p.rings = keys.Fetcher{Store: p.store, Key: cfg.Server.SecretKey, Previous: cfg.Server.SecretKeyPrevious}
	p.rings.Follow(p.ring)
	p.keys = keys.NewDesk(p.store, p.ring, cfg.Server.SecretKey, cfg.Now)
	p.vault.db.Measure(p.board.Own)
	p.vault.db.OnDefect(func(err error) { cfg.Log.Error("a defect came up while something was stored", "error", err) })
	p.board.Own.Connections(p.vault.db.Connections)
	if err := p.join(ctx); err != nil {
		return nil, errors.Join(err, p.vault.close())
	}
	return p, nil
}

func (p *parts) join(ctx context.Context) (err error) {
	s := p.cfg.Server
	if p.files, err = p.openFiles(); err != nil {
		return cannotOpen(err)
	}
	if p.git, err = git.Open(s.ReposWorkspace, git.Options{Logger: p.cfg.Log, SSH: p.sshReach()}); err != nil {
		return cannotOpen(err)
	}
	p.backends = integrations.NewBackends(p.store, p.ring, makers()).Storing(storages(p.cfg.Now))
	gate := secrets.NewGate(variables.NewInternalProvider(p.store, p.ring), p.backends).Measured(p.board.Own, p.cfg.Now)
	p.integrations = integrations.NewDesk(p.store, p.ring, p.backends, p.cfg.Now)
	resolver := variables.NewResolver(p.store, gate, p.ring)
	late := &lateHub{board: p.board}
	p.joinHubs()
	p.side = p.reach(late)
	hosts, err := githost.New(s.GitHosts(), outbound.Options{})
	if err != nil {
		return cannotOpen(err)
	}
	p.gitHosts = repositories.NewGitHosts(p.store, p.ring, p.ring, hosts, s.AppURL, p.cfg.Now)
	p.repositories = repositories.NewDesk(p.store, p.ring, agekey.Maker{}, p.side.prober, p.side, p.cfg.Now).OverSSH(ssh.Keys{}, p.side.scanner).Renewing(p.gitHosts)
	p.hooks = repositories.NewHooks(p.store, p.ring, p.side, p.board.Own, p.cfg.Now)
	p.secrets = repositories.NewSecretsReader(p.git, repositories.NewSecretsFiles(p.repositories, sops.Files{}))
	p.side.secrets = p.secrets
	if p.client != nil {
		p.side.secrets = p.client
	}
	p.variables = variables.NewDesk(p.store, p.ring, p.integrations, p.cfg.Now)
	folders := repositories.NewFolders(p.store, p.side.browser)
	p.stacks = stacks.NewDesk(p.store, p.side, p.cfg.Now).Beside(folders)
	p.jobs = jobs.NewDesk(p.store, p.ring, p.side, p.cfg.Now).Beside(folders)
	p.mail = mail.NewDesk(p.store, p.ring, p.side, p.cfg.Now)
	p.notices = notice.New(p.backends, p.mail, s.AppURL, p.cfg.Now, outbound.Options{})
	p.backends.Telling(p.notices)
	p.passwords = identity.NewPasswords(identity.Rounds)
	if err := p.joinFleet(ctx); err != nil {
		return err
	}
	options := hub.Options{
		Store: p.store, Fleet: hubFleet{p.fleet, p.store}, Sources: p.repositories, Variables: resolver, Seals: p.ring, Files: p.files, Git: p.git, Mirrors: p.git,
		SecretsFiles: p.secrets, AgeKeys: p.repositories, Keys: keys.NewRenewal(p.store, p.ring, p.board.Own, p.cfg.Now),
		Follower: p.follower(),
		Compose:  render.New(), Drafts: render.New(), Documents: yaml.Reader{}, Rendered: yaml.Rendered{}, Snapshots: p.board.Workers, Meter: p.board.Own, Post: p.post(),
		Rotation: s.SecretsInterval, Scan: s.ScanInterval, Heartbeat: s.HeartbeatInterval, Version: p.cfg.Version, Now: p.cfg.Now, Log: p.cfg.Log,
	}
	if p.client != nil {
		options.Peers, options.Self = peers{p.store, p.client}, p.self()
	}
	if err := p.joinBackups(); err != nil {
		return err
	}
	p.hub = hub.New(options)
	late.hub = p.hub
	p.joinPort()
	p.joinInternalPort()
	return nil
}

// follower makes stacks and jobs of what comes new into repositories. It asks no hub whether folders are there: it has just seen them.
func (p *parts) follower() *intake.Follower {
	ofStacks, ofJobs := stacks.NewDesk(p.store, p.side, p.cfg.Now), jobs.NewDesk(p.store, p.ring, p.side, p.cfg.Now)
	return intake.NewFollower(intake.NewDesk(p.store, ofStacks, ofJobs), p.store, ofStacks, ofJobs, p.git)
}

// openFiles opens what keeps the files of revisions: a folder, or the database when others share it.
func (p *parts) openFiles() (hub.RevisionFiles, error) {
	if p.cfg.shared() {
		return revisionfiles.InDatabase(p.store), nil
	}
	return revisionfiles.Open(p.cfg.Server.StacksStoragePath)
}
