package config

import (
	"log/slog"
	"net/mail"
	"net/netip"
	"path/filepath"
	"time"

	"berth/core/identity"
	"berth/core/seal"
	"berth/core/secrets"
)

// Server is the configuration of the processes local and hub.
type Server struct {
	SecretKey         seal.SecretKey `env:"SECRET_KEY" required:"yes" form:"secret key" unit:"64 hex characters" doc:"Encrypts credentials and secrets at rest. Make one with openssl rand -hex 32, and keep a copy: without it the data cannot be read."`
	SecretKeyPrevious seal.SecretKey `env:"SECRET_KEY_PREVIOUS" form:"secret key" unit:"64 hex characters" doc:"The old SECRET_KEY, for the one start that changes over to a new one."`
	BootstrapToken    secrets.Value  `env:"BOOTSTRAP_TOKEN" required:"for first-time setup" form:"secret" doc:"One-time secret that creates the first administrator on the /setup page."`
	RequireAdminTOTP  bool           `env:"REQUIRE_ADMIN_TOTP" default:"false" form:"switch" unit:"true or false" doc:"true: an administrator without a second factor is led to set one up, and can do nothing else until then."`

	// AppURL is scheme://host[:port] in lower case, without a slash at the end.
	AppURL         string         `env:"APP_URL" default:"http://localhost:8090" form:"origin" unit:"scheme://host[:port]" doc:"Base URL for CORS, webhook URLs and e-mails. No trailing slash, no path."`
	Port           int            `env:"PORT" default:"8090" form:"number" min:"1" max:"65535" unit:"port" doc:"HTTP port for UI, REST API and metrics."`
	TLSWorkerPort  int            `env:"TLS_WORKER_PORT" default:"8443" form:"number" min:"1" max:"65535" unit:"port" doc:"TLS port for workers' registration and WebSocket, and nothing else."`
	TLSCertFile    string         `env:"TLS_CERT_FILE" form:"path" unit:"PEM file" doc:"Certificate of the worker port. Without one, a self-signed one is made once and kept."`
	TLSKeyFile     string         `env:"TLS_KEY_FILE" form:"path" unit:"PEM file" doc:"Private key of TLS_CERT_FILE."`
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES" form:"networks" unit:"CIDR ranges, comma-separated" doc:"Proxies whose X-Forwarded-For header says where a request comes from."`

	DataDir           string        `env:"DATA_DIR" default:"./data" form:"path" unit:"directory" doc:"Root of everything kept on disk."`
	DBDataDir         string        `env:"DB_DATA_DIR" derived:"DATA_DIR/db_data" form:"path" unit:"directory" doc:"Directory of the embedded SQLite database."`
	ReposWorkspace    string        `env:"REPOS_WORKSPACE" derived:"DATA_DIR/repos" form:"path" unit:"directory" doc:"Directory of the Git mirrors."`
	StacksStoragePath string        `env:"STACKS_STORAGE_PATH" derived:"{DB_DATA_DIR}/stacks" form:"path" unit:"directory" doc:"Directory of the rendered compose files of revisions."`
	DatabaseURL       secrets.Value `env:"DATABASE_URL" form:"postgres" unit:"postgres://…" doc:"PostgreSQL database to use instead of the embedded SQLite; hub needs one."`
	BackupDir         string        `env:"BACKUP_DIR" derived:"DATA_DIR/backups" form:"path" unit:"directory" doc:"Directory of the backups that are made of the embedded database, and where dumps of a PostgreSQL database are looked for. A disk of its own is better."`
	BackupInterval    time.Duration `env:"BACKUP_INTERVAL" default:"24h" form:"duration" min:"0" max:"31536000" unit:"duration, or seconds" doc:"How often a backup is made by itself; 0s: never."`
	BackupKeep        int           `env:"BACKUP_KEEP" default:"14" form:"number" min:"1" max:"10000" unit:"backups" doc:"How many backups stay of those that were made by schedule, and of those before a restore or an upgrade. What people made or uploaded stays until they delete it."`
	BackupKeepDays    int           `env:"BACKUP_KEEP_DAYS" default:"0" form:"number" min:"0" max:"36500" unit:"days" doc:"How long such a backup stays at least, however many there are."`
	AuditKeepDays     int           `env:"AUDIT_KEEP_DAYS" default:"365" form:"number" min:"0" max:"36500" unit:"days" doc:"How long the audit is kept; 0: for ever."`
	BackupRehearsal   time.Duration `env:"BACKUP_REHEARSAL_INTERVAL" default:"168h" form:"duration" min:"0" max:"31536000" unit:"duration, or seconds" doc:"How often the newest backup is restored into a folder that is thrown away, to see that it can be; 0s: never."`
	BackupUploadMaxMB int           `env:"BACKUP_UPLOAD_MAX_MB" default:"4096" form:"number" min:"1" max:"1048576" unit:"MB" doc:"Largest backup archive that is accepted for a restore."`

	HeartbeatInterval time.Duration `env:"HEARTBEAT_INTERVAL" default:"30" form:"seconds" min:"1" max:"3600" unit:"seconds" doc:"Interval of workers' heartbeats. A worker that was silent for three times as long is taken to be away."`
	ScanInterval      time.Duration `env:"SCAN_INTERVAL" default:"10s" form:"duration" min:"1" max:"86400" unit:"duration, or seconds" doc:"How often repositories are polled for new commits."`
	SecretsInterval   time.Duration `env:"SECRETS_INTERVAL" default:"2m" form:"duration" min:"1" max:"86400" unit:"duration, or seconds" doc:"How often the secret values that run are compared with those that their providers hold."`
	LocalWorker       bool          `env:"LOCAL_WORKER" default:"false" form:"switch" unit:"true or false" doc:"true runs a worker inside the process local."`
	WorkerDataDir     string        `env:"WORKER_DATA_DIR" derived:"DATA_DIR/worker" form:"path" unit:"directory" doc:"With LOCAL_WORKER=true: where the worker inside keeps its key, its journal and the repository content that containers mount. It must survive restarts."`
	WorkerStackDir    string        `env:"WORKER_STACK_DIR" derived:"{WORKER_DATA_DIR}/stacks" form:"path" unit:"directory" doc:"With LOCAL_WORKER=true: where the worker inside writes temporary compose files."`
	WorkerAllow       []string      `env:"WORKER_ALLOW" form:"allowances" unit:"words and paths, comma-separated" doc:"With LOCAL_WORKER=true: what Compose files may have of this host beyond the default; see What a committer can do."`
	WorkerPolicyFile  string        `env:"WORKER_POLICY_FILE" form:"path" unit:"file" doc:"With LOCAL_WORKER=true: policy of this host as JSON, which narrows what may be put here and which the server cannot weaken; see Policy."`
	HubListen         string        `env:"HUB_LISTEN" default:"127.0.0.1:8091" form:"listen address" unit:"host:port" doc:"Internal address on which a hub with a PostgreSQL database listens for handlers elsewhere and for other hubs."`
	HubURL            string        `env:"HUB_URL" form:"origin" unit:"scheme://host[:port]" doc:"Where handlers on other hosts and other hubs find this one: HUB_LISTEN as they reach it, with https. Without one, HUB_LISTEN itself."`

	AllowedPrivateIPRanges     []netip.Prefix `env:"ALLOWED_PRIVATE_IP_RANGES" form:"networks" unit:"CIDR ranges, comma-separated" doc:"Private ranges in which SSH Git hosts may be, to scan their keys and to read from them. Public addresses need none."`
	GitOAuthClientID           string         `env:"GIT_OAUTH_CLIENT_ID" form:"text" doc:"Client ID of the Git host's OAuth app; with its secret it enables Connect when adding a repository."`
	GitOAuthClientSecret       secrets.Value  `env:"GIT_OAUTH_CLIENT_SECRET" form:"secret" doc:"Client secret of the Git host's OAuth app."`
	GitOAuthGitHubURL          string         `env:"GIT_OAUTH_GITHUB_URL" derived:"https://github.com" form:"origin" unit:"scheme://host[:port]" doc:"GitHub Enterprise Server, when the OAuth app is there."`
	GitOAuthGiteaURL           string         `env:"GIT_OAUTH_GITEA_URL" form:"origin" unit:"scheme://host[:port]" doc:"Gitea or Forgejo server to connect to."`
	GitOAuthGiteaClientID      string         `env:"GIT_OAUTH_GITEA_CLIENT_ID" form:"text" doc:"Client ID of the OAuth app at GIT_OAUTH_GITEA_URL."`
	GitOAuthGiteaClientSecret  secrets.Value  `env:"GIT_OAUTH_GITEA_CLIENT_SECRET" form:"secret" doc:"Client secret of that app."`
	GitOAuthGitLabURL          string         `env:"GIT_OAUTH_GITLAB_URL" derived:"https://gitlab.com" form:"origin" unit:"scheme://host[:port]" doc:"GitLab server to connect to."`
	GitOAuthGitLabClientID     string         `env:"GIT_OAUTH_GITLAB_CLIENT_ID" form:"text" doc:"Application ID of the OAuth application at GIT_OAUTH_GITLAB_URL."`
	GitOAuthGitLabClientSecret secrets.Value  `env:"GIT_OAUTH_GITLAB_CLIENT_SECRET" form:"secret" doc:"Secret of that application."`

	OIDCIssuer       string           `env:"OIDC_ISSUER" form:"issuer" unit:"https://…" doc:"OpenID Connect provider at which people may sign in: its issuer, to the letter; with the client ID and secret it turns single sign-on on. See Single sign-on."`
	OIDCClientID     string           `env:"OIDC_CLIENT_ID" required:"with OIDC_ISSUER" form:"text" doc:"Client ID of this server at the provider."`
	OIDCClientSecret secrets.Value    `env:"OIDC_CLIENT_SECRET" required:"with OIDC_ISSUER" form:"secret" doc:"Client secret of this server at the provider."`
	OIDCScopes       []string         `env:"OIDC_SCOPES" default:"openid profile email" form:"scopes" unit:"scopes, separated by spaces" doc:"What is asked of the provider. Some need one more to tell groups, such as groups."`
	OIDCRoleClaim    string           `env:"OIDC_ROLE_CLAIM" default:"groups" form:"text" unit:"claim" doc:"Claim of the ID token that says groups or roles: a text or a list of texts. Dots lead into objects: realm_access.roles."`
	OIDCRoleMap      identity.RoleMap `env:"OIDC_ROLE_MAP" form:"role map" unit:"value=role, comma-separated" doc:"Which role here a value of OIDC_ROLE_CLAIM gives; the highest counts, and * stands for everybody. Without one, only accounts that are here already can be linked."`
	OIDCDisplayName  string           `env:"OIDC_DISPLAY_NAME" default:"single sign-on" form:"text" doc:"What the sign-in page calls the provider."`

	SMTPHost     string        `env:"SMTP_HOST" form:"host" unit:"host name" doc:"SMTP server; setting it turns e-mail on."`
	SMTPPort     int           `env:"SMTP_PORT" default:"587" form:"number" min:"1" max:"65535" unit:"port" doc:"SMTP port."`
	SMTPUsername string        `env:"SMTP_USERNAME" form:"text" doc:"SMTP user name. It is told over TLS only, or to this very host."`
	SMTPPassword secrets.Value `env:"SMTP_PASSWORD" form:"secret" doc:"SMTP password."`
	SMTPSender   *mail.Address `env:"SMTP_SENDER" required:"with SMTP_HOST" form:"mail address" unit:"address" doc:"Sender of our e-mails."`
	SMTPTLS      bool          `env:"SMTP_TLS" default:"false" form:"switch" unit:"true or false" doc:"true demands TLS for SMTP: by STARTTLS on port 25, 587 and 2525, from the first byte on others. false takes STARTTLS where the server offers it. Port 465 is TLS either way; see E-mail."`

	LogLevel  slog.Level `env:"LOG_LEVEL" default:"info" form:"log level" unit:"debug, info, warn or error" doc:"Least severe log lines to write."`
	LogFormat LogFormat  `env:"LOG_FORMAT" default:"text" form:"log format" unit:"text or json" doc:"Form of log lines."`
}

// LoadServer reads the configuration of local. lookup is os.LookupEnv and
// environ what os.Environ returns. The process must not start when there are problems;
// the warnings are for its log.
func LoadServer(lookup func(string) (string, bool), environ []string) (server Server, problems, warnings []Problem) {
	problems = load(&server, lookup)
	server.finish()
	ill := failed(problems)
	problems = append(problems, server.check(ill)...)
	return server, problems, append(server.warnings(ill), unknown(environ)...)
}

// LoadHub reads the configuration of hub, as LoadServer does that of local. A hub alone is for handlers
// elsewhere, which cannot reach an embedded database, and whoever wants a worker beside it runs worker.
func LoadHub(lookup func(string) (string, bool), environ []string) (server Server, problems, warnings []Problem) {
	server, problems, warnings = LoadServer(lookup, environ)
	found := findings{failed: failed(problems)}
	if server.DatabaseURL.Empty() {
		found.add("DATABASE_URL", "is not set, and a hub by itself needs a PostgreSQL database, which the handlers share with it; set it to theirs. With the embedded SQLite run local, which is hub and handlers in one")
	}
	if server.LocalWorker {
		found.add("LOCAL_WORKER", "is true, but only local runs a worker inside; remove it, and run worker beside the hub where this host is to be one")
	}
	return server, append(problems, found.problems...), warnings
}

// finish fills the defaults that depend on another variable.
func (s *Server) finish() {
	setDefault(&s.DBDataDir, filepath.Join(s.DataDir, "db_data"))
	setDefault(&s.ReposWorkspace, filepath.Join(s.DataDir, "repos"))
	setDefault(&s.BackupDir, filepath.Join(s.DataDir, "backups"))
	setDefault(&s.StacksStoragePath, filepath.Join(s.DBDataDir, "stacks"))
	setDefault(&s.WorkerDataDir, filepath.Join(s.DataDir, "worker"))
	setDefault(&s.WorkerStackDir, filepath.Join(s.WorkerDataDir, "stacks"))
}
