package handlers

import "berth/handlers/guard"

// Deps is everything that the handlers need from outside, one part for each area. The
// mains fill it; tests fill it with a real store in a temporary folder.
type Deps struct {
	About        AboutDeps
	Audit        AuditDeps
	Backups      BackupsDeps
	Events       EventsDeps
	Guard        guard.Config
	GitHosts     GitHostsDeps
	Hubs         HubsDeps
	Identity     IdentityDeps
	Integrations IntegrationsDeps
	Jobs         JobsDeps
	Keys         KeysDeps
	Mail         MailDeps
	Metrics      MetricsDeps
	Ops          OpsDeps
	Repositories RepositoriesDeps
	Sops         SopsDeps
	Stacks       StacksDeps
	UI           UIDeps
	Variables    VariablesDeps
	Webhooks     WebhooksDeps
	Workers      WorkersDeps

	Configuration ConfigurationDeps
}

// secure reports whether browsers reach the server over TLS, so that cookies demand it.
func (d Deps) secure() bool { return d.Guard.AppURL != nil && d.Guard.AppURL.Scheme == "https" }
