package handlers

import (
	"fmt"
	"net/url"

	"berth/core"
	"berth/core/about"
	"berth/core/backups"
	"berth/core/configuration"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/keys"
	"berth/core/mail"
	"berth/core/metrics"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/guard"
	"berth/handlers/ops"
	"berth/handlers/ui"
)

// Parts is what a process has opened for its handlers: the one way from there to Deps, whatever
// the process is and wherever the hub runs. Every field is required.
type Parts struct {
	AppURL           string
	BootstrapToken   secrets.Value
	RequireAdminTOTP bool // administrators have to have a second factor
	Version          string
	About            about.Installation  // Join fills Version
	SignOn           identity.SSOOptions // without a provider: people sign in here alone
	Now              core.Clock
	Guard            guard.Config // Join fills AppURL, Clock, Doorkeeper and ErrorPage

	Store     Store
	Ring      *seal.Ring
	Passwords *identity.Passwords
	Documents core.DocumentReader // of rendered Compose files
	Files     core.DocumentReader // of configurations
	Codes     ui.CodeMaker
	Desks     Desks
	Hub       Hub
}

// Desks are the use cases.
type Desks struct {
	Backups      *backups.Desk
	Integrations *integrations.Desk
	Repositories *repositories.Desk
	GitHosts     *repositories.GitHosts
	Hooks        *repositories.Hooks
	Variables    *variables.Desk
	Stacks       *stacks.Desk
	Jobs         *jobs.Desk
	Fleet        *fleet.Desk
	Mail         *mail.Desk
	Keys         *keys.Desk
}

// Hub is what handlers reach of hubs, of the copies of repositories and of the files of revisions.
type Hub struct {
	Live    StacksLive
	Plans   Planner
	Browser RepositoriesBrowser
	Files   RevisionFiles
	Metrics metrics.Source
	Secrets api.SecretsFiles
}

// Planner reads what the head of a stack's branch would do, and what it makes of variables.
type Planner interface {
	api.StackPlanner
	api.PolicyPlanner
	api.Linter
	api.EnvironmentReader
}

// RevisionFiles reads what revisions are made of.
type RevisionFiles interface {
	api.ComposeReader
	stacks.Blobs
}

// Store is what handlers need of the store, beside what desks do; *store.Store has it.
type Store interface {
	identity.Founders
	identity.Sessions
	identity.AccountStore
	identity.Credentials
	identity.PeopleStore
	identity.ProviderStore
	stacks.RevisionSource
	ops.Pinger
	auditStore
	identityStore
	configuration.Store
	HubsStore
	api.ChangeAwaiter
	StacksStore
	JobsStore
	UIStore
}

// Join makes Deps of parts.
func Join(p Parts) (Deps, error) {
	app, err := url.Parse(p.AppURL)
	if err != nil {
		return Deps{}, fmt.Errorf("APP_URL: %w", err)
	}
	p.About.Version = p.Version
	p.Guard.AppURL, p.Guard.Clock, p.Guard.ErrorPage = app, p.Now, ui.ErrorPage
	p.Guard.Doorkeeper = identity.NewDoorkeeper(p.Store, p.Ring, p.Now).Demanding(p.RequireAdminTOTP)
	refusals := identity.NewRefusals(p.Store, p.Now)
	p.Guard.Refusals = refusals
	setUp := meteredSetUp{identity.NewSetUp(p.Store, p.Passwords, p.BootstrapToken, p.Now).Noting(refusals), p.Guard.Meter}
	people := identity.NewPeople(p.Store, p.Passwords, p.Ring, p.Now).Mailing(p.Desks.Mail, p.AppURL).Noting(refusals)
	signIn := meteredSignIn{identity.NewSignIn(p.Store, p.Passwords, p.Ring, p.Now).Asking(people), p.Guard.Meter}
	signOn := meteredSignOn{identity.NewSSO(p.SignOn, p.Store, signIn.SignIn), p.Guard.Meter}
	accounts := identity.NewAccounts(p.Store, p.Ring, p.Now)
	comparer := stacks.NewComparer(p.Store, p.Hub.Files, p.Documents).Reading(p.Hub.Files)
	return Deps{
		Guard: p.Guard,
		Configuration: ConfigurationDeps{Desk: configuration.NewDesk(configuration.Desks{Store: p.Store, Repositories: p.Desks.Repositories, Hooks: p.Desks.Hooks, Integrations: p.Desks.Integrations,
			Variables: p.Desks.Variables, Stacks: p.Desks.Stacks, Jobs: p.Desks.Jobs, Fleet: p.Desks.Fleet, Accounts: accounts, Documents: p.Files})},
		Backups:      BackupsDeps{Desk: p.Desks.Backups, Limit: p.Desks.Backups.Limit(), Now: p.Now},
		About:        AboutDeps{Installation: p.About, Now: p.Now},
		Events:       EventsDeps{Source: p.Store},
		Audit:        AuditDeps{Store: p.Store, Now: p.Now},
		Identity:     IdentityDeps{SetUp: setUp, SignIn: signIn, Accounts: accounts, People: people, SignOn: signOn, Store: p.Store},
		Integrations: IntegrationsDeps{Desk: p.Desks.Integrations},
		Hubs:         HubsDeps{Store: p.Store},
		GitHosts:     GitHostsDeps{Desk: p.Desks.GitHosts},
		Keys:         KeysDeps{Desk: p.Desks.Keys, Now: p.Now},
		Mail:         MailDeps{Desk: p.Desks.Mail, Now: p.Now},
		Jobs:         JobsDeps{Desk: p.Desks.Jobs, Store: p.Store, Now: p.Now},
		Metrics:      MetricsDeps{Source: p.Hub.Metrics},
		Ops:          OpsDeps{Store: p.Store, Version: p.Version},
		Repositories: RepositoriesDeps{Desk: p.Desks.Repositories, Browser: p.Hub.Browser},
		Sops:         SopsDeps{Keys: p.Desks.Repositories, Files: p.Hub.Secrets, Stacks: p.Store, Repositories: p.Desks.Repositories},
		Stacks:       StacksDeps{Desk: p.Desks.Stacks, Store: p.Store, Files: p.Hub.Files, Live: p.Hub.Live, Plans: p.Hub.Plans, Linter: p.Hub.Plans, Compare: comparer},
		UI: UIDeps{Secrets: p.Hub.Secrets, SetUp: setUp, SignIn: signIn, Accounts: accounts, Store: p.Store, Repositories: p.Desks.Repositories, GitHosts: p.Desks.GitHosts, Hooks: p.Desks.Hooks, Browser: p.Hub.Browser,
			Variables: p.Desks.Variables, Stacks: p.Desks.Stacks, Jobs: p.Desks.Jobs, Workers: p.Desks.Fleet, Live: p.Hub.Live, Now: p.Now,
			Plans: p.Hub.Plans, Environment: p.Hub.Plans, Integrations: p.Desks.Integrations, Compose: p.Hub.Files, Compare: comparer, Codes: p.Codes},
		Variables: VariablesDeps{Desk: p.Desks.Variables, Stacks: p.Store, Jobs: p.Store, Environment: p.Hub.Plans, Rotations: p.Store},
		Webhooks:  WebhooksDeps{Desk: p.Desks.Hooks},
		Workers:   WorkersDeps{Desk: p.Desks.Fleet, Store: p.Store, Plans: p.Hub.Plans, Now: p.Now},
	}, nil
}
