package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"berth/core/about"
	"berth/core/backups"
	"berth/core/config"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/keys"
	"berth/core/mail"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
	"berth/handlers"
	"berth/handlers/guard"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/githost"
	"berth/hub/adapter/hubclient"
	"berth/hub/adapter/lambda"
	"berth/hub/adapter/oidc"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/qrcode"
	"berth/hub/adapter/ssh"
	"berth/hub/adapter/yaml"
	"berth/hub/revisionfiles"
)

// open opens the database with its keys and builds the route table on it. What only a hub can do
// goes to it; that it is away is found out when it is needed.
func open(ctx context.Context, cfg config.Function, log *slog.Logger) (http.Handler, error) {
	db, err := postgres.Open(ctx, cfg.DatabaseURL.Reveal(), postgres.Function())
	if err != nil {
		return nil, err
	}
	handler, err := join(ctx, cfg, log, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return handler, nil
}

func join(ctx context.Context, cfg config.Function, log *slog.Logger, db *store.DB) (http.Handler, error) {
	if err := db.Current(ctx); err != nil {
		return nil, err
	}
	kept := store.New(db, time.Now)
	ring, err := unlock(ctx, cfg, kept)
	if err != nil {
		return nil, err
	}
	keys.Fetcher{Store: kept, Key: cfg.SecretKey, Previous: cfg.SecretKeyPrevious}.Follow(ring)
	key := hubcall.NewKey(ring.Subkey(seal.PurposeHub), time.Now)
	hub := hubclient.New(hubclient.Options{Key: key, Directory: kept, Seals: ring, Version: version, URL: cfg.HubURL, Now: time.Now})
	port := fleet.WorkerPort{AppURL: cfg.AppURL, Port: cfg.TLSWorkerPort, Pin: kept.WorkerPortPin, Version: version}
	integrated := integrations.NewDesk(kept, ring, hub, time.Now)
	folders := repositories.NewFolders(kept, hub)
	hosts, err := githost.New(cfg.GitHosts(), outbound.Options{})
	if err != nil {
		return nil, err
	}
	connected := repositories.NewGitHosts(kept, ring, ring, hosts, cfg.AppURL, time.Now)
	deps, err := handlers.Join(handlers.Parts{
		AppURL: cfg.AppURL, BootstrapToken: cfg.BootstrapToken, RequireAdminTOTP: cfg.RequireAdminTOTP, Version: version, Now: time.Now,
		About:  about.Installation{Schema: store.Schema(), Database: about.PostgreSQL, Hub: about.HubApart, Host: about.HostFunction, Began: time.Now(), Build: about.ReadBuild()},
		SignOn: oidc.SignOn(cfg.OIDC(), cfg.AppURL, time.Now),
		Guard:  guard.Config{TrustedProxies: cfg.TrustedProxies, Log: log, Room: lambda.Room(cfg.Event)},
		Store:  kept, Ring: ring, Passwords: identity.NewPasswords(identity.Rounds), Documents: yaml.Rendered{}, Files: yaml.Configuration{}, Codes: qrcode.Maker{},
		Desks: handlers.Desks{
			Backups:      backups.NewDesk(nil, kept, 0, nil).Seeing(store.Archiver{Store: kept}), // the function runs on PostgreSQL alone
			Integrations: integrated,
			Repositories: repositories.NewDesk(kept, ring, agekey.Maker{}, hub, hub, time.Now).OverSSH(ssh.Keys{}, hub).Renewing(connected),
			GitHosts:     connected,
			Hooks:        repositories.NewHooks(kept, ring, hub, nil, time.Now),
			Variables:    variables.NewDesk(kept, ring, integrated, time.Now),
			Stacks:       stacks.NewDesk(kept, hub, time.Now).Beside(folders),
			Jobs:         jobs.NewDesk(kept, ring, hub, time.Now).Beside(folders),
			Fleet:        fleet.NewDesk(kept, ring, hub, time.Now, port),
			Mail:         mail.NewDesk(kept, ring, hub, time.Now),
			Keys:         keys.NewDesk(kept, ring, cfg.SecretKey, time.Now),
		},
		Hub: handlers.Hub{Live: hub, Plans: hub, Browser: hub, Files: revisionfiles.InDatabase(kept), Metrics: hub, Secrets: hub},
	})
	if err != nil {
		return nil, err
	}
	return handlers.Mux(deps)
}

var errNotSetUp = fault.New(fault.Unavailable, "key.check_missing", "The database has no keys yet. Start the hub on it, which makes them from SECRET_KEY.")

// unlock opens the key ring and proves it on the check row. It changes nothing: making a ring, and
// wrapping it anew when SECRET_KEY has changed, is the hub's, before or after which both keys do here.
func unlock(ctx context.Context, cfg config.Function, kept *store.Store) (*seal.Ring, error) {
	rows, err := kept.KeyRing(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNotSetUp
	}
	check, err := kept.KeyCheck(ctx)
	if err != nil {
		return nil, err
	}
	ring, _, err := seal.Unlock(cfg.SecretKey, cfg.SecretKeyPrevious, rows)
	if err == nil {
		err = ring.OpenCheck(check)
	}
	var wrong *seal.WrongKeyError
	if errors.As(err, &wrong) {
		err = fault.New(fault.Unavailable, "key.wrong", "This function has another SECRET_KEY than the hub, so it cannot open the database's keys. Give it the hub's.").
			Because(fmt.Errorf("its check value is %s, that of the hub's is %s", wrong.Given, wrong.Stored))
	}
	return ring, err
}
