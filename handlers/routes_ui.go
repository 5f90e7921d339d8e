package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/intake"
	"berth/core/sourcediff"
	"berth/core/wire"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// UIDeps is what the pages need.
type UIDeps struct {
	SetUp        ui.Founder          // *identity.SetUp
	SignIn       UISessions          // *identity.SignIn
	Accounts     UIAccounts          // *identity.Accounts
	Store        UIStore             // *store.Store
	Repositories UIRepository        // *repositories.Desk
	GitHosts     ui.GitHostDesk      // *repositories.GitHosts
	Hooks        ui.WebhookDesk      // *repositories.Hooks
	Browser      UIBrowser           // repositories.Browser
	Secrets      ui.SecretsEncrypter // *repositories.SecretsReader
	Variables    UIVariables         // *variables.Desk
	Integrations UIIntegrations      // *integrations.Desk
	Stacks       UIStacks            // *stacks.Desk
	Jobs         UIJobs              // *jobs.Desk
	Workers      UIWorkers           // *fleet.Desk
	Live         UIConnections       // *hub.Hub
	Plans        UIPlanner
	Environment  ui.EnvironmentReader
	Compose      ui.ComposeReader    // *revisionfiles.Files
	Compare      ui.RevisionComparer // *stacks.Comparer
	Codes        ui.CodeMaker        // qrcode.Maker
	Now          core.Clock
}

// UIPlanner says what would become of a stack, and what rules would refuse.
type UIPlanner interface {
	ui.Planner
	ui.PolicyPlanner
	ui.Linter
}

// UISessions opens and ends the sessions of people.
type UISessions interface {
	ui.SessionOpener
	ui.SessionCloser
}

// UIAccounts makes service accounts and their keys.
type UIAccounts interface {
	ui.ServiceAccountCreator
	ui.KeyIssuer
}

// UIStore is what pages read, and the few things that need no decision.
type UIStore interface {
	ui.WorkersReader
	ui.NameTeller
	ui.FollowedLister
	ui.OverviewReader
	ui.StackReader
	ui.RevisionReader
	ui.DeploymentReader
	ui.ReadingReader
	ui.WorkerHistory
	ui.TokenReader
	UIJobStore
	ui.ServiceAccountKeeper
	ui.UserKeeper
}

// UIRepository is the use cases of repositories and their keys.
type UIRepository interface {
	ui.RepositoryLister
	ui.RepositoryCreator
	ui.RepositoryEditor
	ui.RepositoryTeller
	ui.KeyKeeper
	ui.SSHHostKeeper
	ui.KeyRotator
}

// UIBrowser reads what was fetched of repositories.
type UIBrowser interface {
	ui.RepositoryBrowser
	ui.FileShower
}

// UIStacks is the use cases of stacks.
type UIStacks interface {
	ui.StackCreator
	ui.StackUpdater
	ui.StackDeleter
	ui.StackSyncer
	ui.StackRoller
	ui.StackMover
	StackPauser
	ui.ActRecorder
	ui.DeploymentCanceller
}

// UIWorkers is the use cases of workers.
type UIWorkers interface {
	ui.WorkerLister
	ui.WorkerBarrer
	ui.PolicyDesk
	ui.TokenIssuer
}

// UIConnections reaches the containers of a stack through the hub.
type UIConnections interface {
	ui.ServiceActor
	ui.ServiceLogger
	ui.UsageTeller
}

func uiRoutes(d Deps) []Route {
	routes := append(uiDoorRoutes(d), uiRepositoryRoutes(d.UI, d.origin())...)
	routes = append(routes, uiStackRoutes(d.UI)...)
	routes = append(routes, uiJobRoutes(d.UI)...)
	routes = append(routes, uiVariableRoutes(d.UI)...)
	routes = append(routes, uiRevisionRoutes(d.UI)...)
	routes = append(routes, uiDeploymentRoutes(d.UI)...)
	routes = append(routes, uiIntegrationRoutes(d.UI)...)
	routes = append(routes, uiSettingsRoutes(d)...)
	routes = append(routes, uiAuditRoutes(d.Audit)...)
	routes = append(routes, uiAboutRoutes(d.About)...)
	routes = append(routes, uiBackupRoutes(d.Backups)...)
	routes = append(routes, uiPeopleRoutes(d)...)
	routes = append(routes, uiMailRoutes(d.Mail)...)
	routes = append(routes, uiKeyRoutes(d.Keys)...)
	routes = append(routes, uiConfigurationRoutes(d.Configuration)...)
	for i, r := range routes {
		if r.Surface == guard.Page {
			routes[i].Handler = ui.KnowingChanges(d.Events.Source, ui.KnowingHub(d.Hubs.Store, d.UI.Now, r.Handler))
		}
	}
	return routes
}

func page(pattern string, may access.Capability, handler http.Handler) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Capability: may, Surface: guard.Page, Handler: handler}
}

func form(pattern string, may access.Capability, handler http.Handler) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Capability: may, Surface: guard.Page, Handler: handler}
}

// uiDoorRoutes are how people get in and out, and what every page loads.
func uiDoorRoutes(d Deps) []Route {
	u, secure := d.UI, d.secure()
	return []Route{
		{Method: http.MethodGet, Pattern: "/assets/{digest}/{name}", Capability: access.Public, Surface: guard.Asset, Handler: ui.Asset()},
		page("/setup", access.Public, ui.NewSetup(u.SetUp)),
		form("/setup", access.Public, ui.CreateSetup(u.SetUp, u.SignIn, secure)),
		page("/login", access.Public, ui.NewLogin(u.SetUp, d.Identity.SignOn)),
		form("/login", access.Public, ui.Login(u.SignIn, d.Identity.SignOn, secure)),
		form("/login/code", access.Public, ui.LoginCode(u.SignIn, d.Identity.SignOn, secure)),
		form("/logout", access.SignedIn, ui.Logout(u.SignIn, secure)),
		form("/first-steps", access.Operate, ui.HideSteps(secure)),
		page("/{$}", access.View, ui.Overview(u.Store, u.Workers, u.Repositories, ui.OverviewServer{Backups: d.Backups.Desk, Keys: d.Keys.Desk, Integrations: u.Integrations}, u.Now)),
		page("/design", access.SignedIn, ui.Design(u.Now)),
		page("/search", access.View, ui.Search(u.Store, u.Repositories, u.Workers)),
	}
}

func uiRepositoryRoutes(u UIDeps, app string) []Route {
	const one = "/repositories/{id}"
	add := ui.IntakeDeps{Repositories: u.Repositories, Browser: u.Browser, Users: u.Store, Workers: u.Workers, Desk: intake.NewDesk(u.Repositories, u.Stacks, u.Jobs)}
	return []Route{
		page("/repositories", access.View, ui.Repositories(u.Repositories, u.Now)),
		page("/repositories/new", access.Operate, ui.NewRepository(u.Repositories, u.GitHosts)),
		page("/git-hosts/{git_host}/new", access.Operate, ui.PickRepository(u.GitHosts)),
		form("/repositories", access.Operate, ui.CreateRepository(u.Repositories, u.Repositories, u.GitHosts, u.Now)),
		page(one, access.View, ui.Repository(u.Repositories, u.Browser, u.Store, u.Repositories, u.Now)),
		page(one+"/commits", access.View, ui.RepositoryCommits(u.Repositories, u.Browser, u.Now)),
		page(one+"/files", access.View, ui.RepositoryFiles(u.Repositories, u.Browser)),
		form(one+"/sync", access.Operate, ui.SyncRepository(u.Repositories)),
		page(one+"/add", access.Operate, ui.PickFound(add)),
		form(one+"/add", access.Operate, ui.AddFound(add)),
		page(one+"/following", access.Operate, ui.RepositoryFollow(u.Repositories, u.Workers)),
		form(one+"/following", access.Operate, ui.FollowRepository(u.Repositories, u.Workers)),
		page(one+"/settings", access.Operate, ui.RepositorySettings(u.Repositories, u.Repositories)),
		form(one+"/settings", access.Operate, ui.ChangeRepository(u.Repositories, u.Repositories, u.Now)),
		page(one+"/delete", access.Operate, ui.ConfirmDeleteRepository(u.Repositories)),
		form(one+"/delete", access.Operate, ui.DeleteRepository(u.Repositories)),
		page(one+"/secrets", access.Operate, ui.RepositorySecrets(u.Repositories)),
		form(one+"/secrets", access.Operate, ui.BuildSecretsFile(u.Repositories, u.Secrets)),
		page(one+"/rotate-key", access.Operate, ui.ConfirmRotateKey(u.Repositories)),
		form(one+"/rotate-key", access.Operate, ui.RotateKey(u.Repositories)),
		page(one+"/webhook", access.View, ui.Webhook(u.Hooks, app, u.Now)),
		form(one+"/webhook/secret", access.Operate, ui.CreateWebhookSecret(u.Hooks, app, u.Now)),
		form(one+"/webhook/secret/previous/delete", access.Operate, ui.DropWebhookSecret(u.Hooks)),
		form(one+"/webhook/off", access.Operate, ui.TurnWebhookOff(u.Hooks)),
		form(one+"/webhook/deliveries/{delivery}/replay", access.Operate, ui.ReplayDelivery(u.Hooks)),
		page("/repository-keys", access.View, ui.RepositoryKeys(u.Repositories, u.Now)),
		page("/repository-keys/new", access.Operate, ui.NewRepositoryKey()),
		form("/repository-keys", access.Operate, ui.CreateRepositoryKey(u.Repositories)),
		page("/repository-keys/{id}", access.View, ui.RepositoryKey(u.Repositories, u.Now)),
		form("/repository-keys/{id}", access.Operate, ui.ChangeRepositoryKey(u.Repositories, u.Now)),
		form("/repository-keys/{id}/test", access.Operate, ui.TestRepositoryKey(u.Repositories, u.Now)),
		page("/repository-keys/hosts", access.View, ui.SSHHosts(u.Repositories, u.Now)),
		form("/repository-keys/hosts", access.Operate, ui.AcceptSSHHost(u.Repositories, u.Now)),
		form("/repository-keys/hosts/scan", access.Operate, ui.ScanSSHHost(u.Repositories, u.Now)),
		form("/repository-keys/hosts/forget", access.Operate, ui.ForgetSSHHost(u.Repositories, u.Now)),
		page("/repository-keys/{id}/delete", access.Operate, ui.ConfirmDeleteKey(u.Repositories)),
		form("/repository-keys/{id}/delete", access.Operate, ui.DeleteRepositoryKey(u.Repositories, u.Now)),
	}
}

func uiStackRoutes(u UIDeps) []Route {
	const one, service = "/stacks/{id}", "/stacks/{id}/services/{service}"
	add := ui.NewStackDeps{Repositories: u.Repositories, Browser: u.Browser, Store: u.Store, Workers: u.Workers, Desk: u.Stacks, Linter: u.Plans}
	review := ui.StackReviewDeps{Finder: u.Store, Workers: u.Workers, Planner: u.Plans, Hub: u.Environment, Variables: u.Variables, Desk: u.Stacks}
	return []Route{
		page("/stacks", access.View, ui.Stacks(u.Store, u.Now)),
		page("/stacks/new", access.Operate, ui.NewStack(add)),
		form("/stacks", access.Operate, ui.CreateStack(add)),
		page("/stacks/bulk", access.Operate, ui.ConfirmStacks(u.Store)),
		form("/stacks/bulk", access.Operate, ui.ActOnStacks(u.Stacks)),
		page("/stacks/bulk/done", access.View, ui.StacksDone(u.Store)),
		page(one, access.View, ui.Stack(u.Store, u.Repositories, u.Workers, u.Live, u.Now)),
		form(one+"/sync", access.Operate, ui.SyncStack(u.Stacks)),
		page(one+"/redeploy", access.Operate, ui.NewRedeploy(u.Store)),
		form(one+"/redeploy", access.Operate, ui.Redeploy(u.Store, u.Stacks)),
		page(one+"/plan", access.View, ui.Plan(u.Store, u.Workers, u.Plans)),
		page(one+"/review", access.Operate, ui.ReviewStack(review)),
		form(one+"/review", access.Operate, ui.StartStack(review)),
		form(one+"/review/variables", access.Operate, ui.KeepNeeds(review)),
		page(one+"/transfer", access.Operate, ui.NewTransfer(u.Store, u.Workers)),
		form(one+"/transfer", access.Operate, ui.Transfer(u.Store, u.Workers, u.Stacks)),
		form(one+"/pause", access.Operate, ui.PauseOrResume(u.Stacks.Pause, "stack-paused")),
		form(one+"/resume", access.Operate, ui.PauseOrResume(u.Stacks.Resume, "stack-resumed")),
		page(one+"/settings", access.Operate, ui.StackSettings(u.Store, u.Workers)),
		form(one+"/settings", access.Operate, ui.ChangeStack(u.Store, u.Workers, u.Stacks)),
		page(one+"/delete", access.Operate, ui.ConfirmDeleteStack(u.Store, u.Workers)),
		form(one+"/delete", access.Operate, ui.DeleteStack(u.Store, u.Workers, u.Stacks)),
		form(one+"/folder", access.Operate, ui.MoveGoneStack(u.Stacks)),
		form(one+"/folder/remove", access.Operate, ui.RemoveGoneStack(u.Stacks)),
		page(service+"/logs", access.View, ui.ServiceLogs(u.Store, u.Live)),
		page(service+"/logs/file", access.View, ui.SaveServiceLogs(u.Store, u.Live)),
		{Method: http.MethodGet, Pattern: service + "/logs/follow", Capability: access.View, Surface: guard.Page, Streams: true, Handler: ui.FollowServiceLogs(u.Store, u.Live)},
		form(service+"/start", access.Operate, ui.ActOnService(u.Store, u.Stacks, u.Live, wire.RequestStart)),
		form(service+"/stop", access.Operate, ui.ActOnService(u.Store, u.Stacks, u.Live, wire.RequestStop)),
		form(service+"/restart", access.Operate, ui.ActOnService(u.Store, u.Stacks, u.Live, wire.RequestRestart)),
	}
}

func uiRevisionRoutes(u UIDeps) []Route {
	const all, one = "/stacks/{id}/revisions", "/stacks/{id}/revisions/{number}"
	back := ui.RollbackDeps{Reader: u.Store, Comparer: u.Compare, Desk: u.Stacks, Now: u.Now}
	return []Route{
		page(all, access.View, ui.Revisions(u.Store, u.Now)),
		page(one, access.View, ui.Revision(u.Store, u.Compose, u.Now)),
		page(one+"/diff", access.View, ui.RevisionDiff(u.Store, u.Compare, sourcediff.New(u.Store, u.Repositories, u.Browser), u.Now)),
		page(one+"/rollback", access.Operate, ui.ConfirmRollback(back)),
		form(one+"/rollback", access.Operate, ui.Rollback(back)),
	}
}

func uiDeploymentRoutes(u UIDeps) []Route {
	return []Route{
		page("/deployments", access.View, ui.Deployments(u.Store, u.Now)),
		page("/deployments/{id}", access.View, ui.Deployment(u.Store, u.Workers, u.Now)),
		page("/deployments/{id}/log/file", access.View, ui.SaveDeploymentLog(u.Store)),
		form("/deployments/{id}/cancel", access.Operate, ui.CancelDeployment(u.Stacks)),
	}
}

func uiSettingsRoutes(d Deps) []Route {
	u, app := d.UI, ""
	if d.Guard.AppURL != nil {
		app = d.Guard.AppURL.String()
	}
	const account = "/service-accounts/{id}"
	return []Route{
		page("/workers", access.View, ui.Workers(u.Workers, u.Store, u.Now)),
		page("/workers/{id}", access.View, ui.Worker(u.Workers, u.Store, u.Now)),
		page("/policy", access.Administer, ui.Policy(u.Workers)),
		form("/policy", access.Administer, ui.ChangePolicy(u.Workers, u.Plans)),
		page("/workers/{id}/policy", access.Administer, ui.Policy(u.Workers)),
		form("/workers/{id}/policy", access.Administer, ui.ChangePolicy(u.Workers, u.Plans)),
		form("/workers/{id}/policy/delete", access.Administer, ui.ClearPolicy(u.Workers)),
		page("/workers/new", access.Administer, ui.NewWorker()),
		form("/workers/new", access.Administer, ui.CreateWorkerToken(u.Workers, u.Now)),
		page("/worker-tokens/{id}", access.Administer, ui.WorkerToken(u.Store, u.Now)),
		page("/workers/{id}/revoke", access.Administer, ui.ConfirmRevokeWorker(u.Workers, u.Now)),
		form("/workers/{id}/revoke", access.Administer, ui.RevokeWorker(u.Workers)),
		page("/workers/{id}/delete", access.Administer, ui.ConfirmDeleteWorker(u.Workers, u.Now)),
		form("/workers/{id}/delete", access.Administer, ui.DeleteWorker(u.Workers, u.Now)),
		page("/service-accounts", access.Administer, ui.ServiceAccounts(u.Store, u.Now)),
		form("/service-accounts", access.Administer, ui.CreateServiceAccount(u.Store, u.Accounts, u.Now)),
		page(account, access.Administer, ui.ServiceAccount(u.Store, app, u.Now)),
		form(account, access.Administer, ui.ChangeServiceAccount(u.Store, app, u.Now)),
		form(account+"/keys", access.Administer, ui.CreateAPIKey(u.Store, u.Accounts, app, u.Now)),
		form(account+"/keys/{key}/rotate", access.Administer, ui.RotateAPIKey(u.Store, u.Accounts, app, u.Now)),
		form(account+"/keys/{key}/delete", access.Administer, ui.DeleteAPIKey(u.Store)),
		form(account+"/delete", access.Administer, ui.DeleteServiceAccount(u.Store)),
	}
}
