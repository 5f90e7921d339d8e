package configuration_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/configuration"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/policy"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
	"berth/core/wire"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	"berth/hub/adapter/ssh"
	"berth/hub/adapter/yaml"
	"berth/local/stand/pgserver"
)

// place is an installation: the use cases on a real store.
type place struct {
	t testing.TB
	configuration.Desks
	store *store.Store
	desk  *configuration.Desk
	at    time.Time
}

var ada = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleAdmin}

// databases are those on which an installation may be.
var databases = map[string]func(t testing.TB) *store.DB{
	"SQLite": func(t testing.TB) *store.DB {
		db, err := sqlite.Open(t.Context(), t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return db
	},
	"PostgreSQL": func(t testing.TB) *store.DB {
		db, err := postgres.Open(t.Context(), pgserver.URL(t), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	},
}

// install makes an installation without anything in it.
func install(t testing.TB, open func(testing.TB) *store.DB) *place {
	t.Helper()
	db := open(t)
	t.Cleanup(func() { db.Close() })
	p := &place{t: t, at: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	p.must(db.Migrate(t.Context(), p.at))
	ring, err := seal.NewRing(rand.Reader)
	p.must(err)
	s := store.New(db, p.now)
	made := integrations.NewDesk(s, ring, nil, p.now)
	port := fleet.WorkerPort{AppURL: "http://localhost:8090", Port: 8443, Pin: func(context.Context) (seal.Pin, bool, error) { return seal.Pin{7}, true, nil }}
	p.store = s
	p.Desks = configuration.Desks{Store: s, Repositories: repositories.NewDesk(s, ring, agekey.Maker{}, nil, nobody{}, p.now).OverSSH(ssh.Keys{}, nil),
		Hooks: repositories.NewHooks(s, ring, nobody{}, nil, p.now), Integrations: made, Variables: variables.NewDesk(s, ring, made, p.now),
		Stacks: stacks.NewDesk(s, nobody{}, p.now), Jobs: jobs.NewDesk(s, ring, nobody{}, p.now), Fleet: fleet.NewDesk(s, ring, nobody{}, p.now, port),
		Accounts: identity.NewAccounts(s, ring, p.now), Documents: yaml.Configuration{}}
	p.desk = configuration.NewDesk(p.Desks)
	return p
}

// nobody is a hub that is not there.
type nobody struct{}

func (nobody) Nudge()                {}
func (nobody) Revoked(core.WorkerID) {}

func (p *place) now() time.Time {
	p.at = p.at.Add(time.Millisecond)
	return p.at
}

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// enrol registers a worker, as its program would.
func (p *place) enrol(hostname string, tags ...string) fleet.Worker {
	p.t.Helper()
	issued, err := p.Fleet.Issue(p.t.Context(), ada, fleet.TokenAsk{})
	p.must(err)
	key := issued.Secret.Reveal() // another one for each worker
	w, err := p.Fleet.Enrol(p.t.Context(), fleet.Proof{Token: issued.Secret.Reveal(), Key: seal.PinOf([]byte(key))},
		wire.Enrol{Protocol: 1, Hostname: hostname, Tags: tags, Version: "1.0", OS: "linux", Arch: "amd64"})
	p.must(err)
	return w
}

// export is the file of the installation.
func (p *place) export() string {
	p.t.Helper()
	file, err := p.desk.Export(p.t.Context())
	p.must(err)
	return string(file)
}

func (p *place) plan(file string, prune bool) configuration.Plan {
	p.t.Helper()
	plan, err := p.desk.Plan(p.t.Context(), configuration.Ask{File: []byte(file), Prune: prune})
	p.must(err)
	return plan
}

// apply applies a file by its plan, and returns the steps that did something as lines.
func (p *place) apply(file string, prune bool) (lines []string, r configuration.Report) {
	p.t.Helper()
	plan := p.plan(file, prune)
	r, err := p.desk.Apply(p.t.Context(), configuration.Ask{File: []byte(file), Prune: prune, Fingerprint: plan.Fingerprint}, ada)
	p.must(err)
	for _, s := range r.Steps {
		if s.Action != configuration.ActionKeep && s.Action != configuration.ActionLeave {
			lines = append(lines, strings.TrimSpace(strings.Join([]string{string(s.Action), string(s.Section), s.Owner, s.Name, s.Problem}, " ")))
		}
	}
	return lines, r
}

const hostKeyLine = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"

// furnish puts something of everything into an installation, by its use cases. Nothing of it needs a worker.
func (p *place) furnish() {
	p.t.Helper()
	ctx := p.t.Context()
	basic, err := p.Repositories.CreateCredential(ctx, repositories.CredentialDraft{Name: "git host", Type: repositories.TypeBasic, Host: "git.example.com", Username: "bot", Password: secrets.NewValue("hunter2-token")}, ada)
	p.must(err)
	key, err := p.Repositories.CreateCredential(ctx, repositories.CredentialDraft{Name: "deploy", Type: repositories.TypeSSH, Host: "ssh.example.com", SSH: repositories.SSHSecret{Generate: true}}, ada)
	p.must(err)
	_, err = p.Repositories.AcceptHost(ctx, "ssh.example.com", 22, []repositories.HostKey{{Type: "ssh-ed25519", Key: strings.Fields(hostKeyLine)[1]}}, ada)
	p.must(err)
	shop, err := p.Repositories.Create(ctx, repositories.Draft{Name: "Shop: the one", URL: "https://git.example.com/team/shop.git", Branch: "main", Credential: basic.ID}, ada)
	p.must(err)
	tools, err := p.Repositories.Create(ctx, repositories.Draft{Name: "tools", URL: "ssh://git@ssh.example.com/tools.git", Semver: ">=1.0.0 <2.0.0", Credential: key.ID}, ada)
	p.must(err)
	_, _, err = p.Hooks.NewSecret(ctx, shop.ID, ada)
	p.must(err)
	_, err = p.Integrations.Save(ctx, "vault", integrations.Change{Enabled: true, Settings: map[string]string{"address": "https://vault.example.com:8200", "token": "hunter2-vault"}}, ada)
	p.must(err)
	_, err = p.Repositories.Update(ctx, shop.ID, repositories.Change{Statuses: new(repositories.StatusesGitHub), Following: &repositories.FollowingChange{What: new(repositories.FollowAll),
		Folders: new("apps/*"), Existing: new(true), Remove: new(true), WorkerTags: &[]string{"prod", "eu"}, AutoSync: new(false)}}, ada)
	p.must(err)
	_, err = p.Repositories.Update(ctx, tools.ID, repositories.Change{Following: &repositories.FollowingChange{What: new(repositories.FollowStacks)}}, ada)
	p.must(err)
	global := p.variable(variables.Draft{Owner: variables.Global, Name: "TZ", Value: "Europe/Zurich"})
	p.variable(variables.Draft{Owner: variables.Global, Name: "UNUSED", Value: ""})
	secret := p.variable(variables.Draft{Owner: variables.Global, Name: "TOKEN", Secret: true, Value: "hunter2-global"})
	web, _, err := p.Stacks.Create(ctx, stacks.Draft{Name: "web", Repository: shop.ID, Path: "apps/web", WorkerTags: []string{"prod", "eu"}, AutoSync: true}, ada)
	p.must(err)
	_, _, err = p.Stacks.Create(ctx, stacks.Draft{Name: "blog", Repository: shop.ID, Path: ""}, ada)
	p.must(err)
	own := variables.OfStack(web.ID)
	p.variable(variables.Draft{Owner: own, Name: "CERT", Value: "-----BEGIN CERTIFICATE-----\nMIIB\n  indented\n\n-----END CERTIFICATE-----\n"})
	p.variable(variables.Draft{Owner: own, Name: "ODD", Value: " # not a comment: 'x'\t\r\n\n"})
	p.variable(variables.Draft{Owner: own, Name: "PORT", Value: "8080"})
	p.variable(variables.Draft{Owner: own, Name: "PASSWORD", Secret: true, Value: "hunter2-stack"})
	p.variable(variables.Draft{Owner: own, Name: "DB", Secret: true, Provider: secrets.Vault, Reference: "kv/data/shop#db"})
	_, err = p.Variables.Bind(ctx, own, []core.VariableID{global.ID, secret.ID}, ada)
	p.must(err)
	_, err = p.Stacks.Pause(ctx, web.ID, ada)
	p.must(err)
	job, err := p.Jobs.Create(ctx, jobs.Draft{Name: "nightly", Repository: tools.ID, Path: "jobs/nightly"}, ada)
	p.must(err)
	p.variable(variables.Draft{Owner: variables.OfJob(job.ID), Name: "KEEP", Value: "30"})
	_, err = p.Fleet.SetPolicy(ctx, ada, "", policy.Rules{Allow: policy.Lists{Images: []string{"ghcr.io/acme/**", "nginx"}, Devices: []string{}}, Block: policy.Blocks{Privileged: true, PublishedPorts: []string{"22", "8000-8999"}}})
	p.must(err)
	account, err := p.Accounts.Create(ctx, ada, "scraper", access.RoleMonitoring)
	p.must(err)
	_, _, err = p.Accounts.IssueKey(ctx, ada, account.ID, "prometheus", time.Time{})
	p.must(err)
}

func (p *place) variable(d variables.Draft) variables.Variable {
	p.t.Helper()
	v, err := p.Variables.Create(p.t.Context(), d, ada)
	p.must(err)
	return v
}
