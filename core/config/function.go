package config

import (
	"errors"
	"log/slog"
	"net/netip"
	"strings"

	"berth/core/identity"
	"berth/core/seal"
	"berth/core/secrets"
)

// EventForm is the form of the events that a function host sends.
type EventForm string

// The forms of events.
const (
	EventRESTv1      EventForm = "rest-v1"      // a REST API of API Gateway
	EventHTTPv2      EventForm = "http-api-v2"  // an HTTP API of API Gateway, payload format 2.0
	EventALB         EventForm = "alb"          // a target group of an Application Load Balancer
	EventFunctionURL EventForm = "function-url" // a function URL
)

// EventForms are all of them.
var EventForms = []EventForm{EventRESTv1, EventHTTPv2, EventALB, EventFunctionURL}

// Function is the configuration of the process function: the handlers on a function host.
type Function struct {
	SecretKey seal.SecretKey `env:"SECRET_KEY" required:"yes" form:"secret key" unit:"64 hex characters" doc:"The hub's SECRET_KEY: both open the same database."`
	// SecretKeyPrevious is the other of two keys while SECRET_KEY changes. The function opens the database with
	// whichever fits and changes nothing.
	SecretKeyPrevious seal.SecretKey `env:"SECRET_KEY_PREVIOUS" form:"secret key" unit:"64 hex characters" doc:"The old SECRET_KEY, while the hub changes over to a new one: either opens the database then."`

	DatabaseURL      secrets.Value `env:"DATABASE_URL" required:"yes" form:"postgres" unit:"postgres://…" doc:"The hub's PostgreSQL database."`
	Event            EventForm     `env:"BERTH_EVENT" required:"yes" form:"event form" unit:"rest-v1, http-api-v2, alb or function-url" doc:"The form of the events that the host sends: that of a REST API, an HTTP API, a load balancer or a function URL."`
	BootstrapToken   secrets.Value `env:"BOOTSTRAP_TOKEN" required:"for first-time setup" form:"secret" doc:"One-time secret that creates the first administrator on the /setup page."`
	RequireAdminTOTP bool          `env:"REQUIRE_ADMIN_TOTP" default:"false" form:"switch" unit:"true or false" doc:"The hub's."`

	// AppURL is scheme://host[:port] in lower case, without a slash at the end.
	AppURL         string         `env:"APP_URL" required:"yes" form:"origin" unit:"scheme://host[:port]" doc:"Base URL by which browsers reach the function. No trailing slash, no path."`
	BasePath       string         `env:"BASE_PATH" form:"base path" unit:"/path" doc:"What the host puts before every path, such as the stage of an API; it is cut off. Needed only where APP_URL leads there by way of something that adds it."`
	HubURL         string         `env:"HUB_URL" form:"origin" unit:"scheme://host[:port]" doc:"Where this function reaches the hub, when that is not where the hub's own HUB_URL says. Leave it out with more than one hub: each says in the database where it is."`
	TLSWorkerPort  int            `env:"TLS_WORKER_PORT" default:"8443" form:"number" min:"1" max:"65535" unit:"port" doc:"The hub's TLS_WORKER_PORT: the start command of new workers is made from it."`
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES" form:"networks" unit:"CIDR ranges, comma-separated" doc:"Proxies before the host whose X-Forwarded-For header says where a request comes from. The host itself needs none."`

	GitOAuthClientID           string        `env:"GIT_OAUTH_CLIENT_ID" form:"text" doc:"The hub's, as the eight that follow: with them people connect Git hosts from here."`
	GitOAuthClientSecret       secrets.Value `env:"GIT_OAUTH_CLIENT_SECRET" form:"secret" doc:"The hub's."`
	GitOAuthGitHubURL          string        `env:"GIT_OAUTH_GITHUB_URL" derived:"https://github.com" form:"origin" unit:"scheme://host[:port]" doc:"The hub's."`
	GitOAuthGiteaURL           string        `env:"GIT_OAUTH_GITEA_URL" form:"origin" unit:"scheme://host[:port]" doc:"The hub's."`
	GitOAuthGiteaClientID      string        `env:"GIT_OAUTH_GITEA_CLIENT_ID" form:"text" doc:"The hub's."`
	GitOAuthGiteaClientSecret  secrets.Value `env:"GIT_OAUTH_GITEA_CLIENT_SECRET" form:"secret" doc:"The hub's."`
	GitOAuthGitLabURL          string        `env:"GIT_OAUTH_GITLAB_URL" derived:"https://gitlab.com" form:"origin" unit:"scheme://host[:port]" doc:"The hub's."`
	GitOAuthGitLabClientID     string        `env:"GIT_OAUTH_GITLAB_CLIENT_ID" form:"text" doc:"The hub's."`
	GitOAuthGitLabClientSecret secrets.Value `env:"GIT_OAUTH_GITLAB_CLIENT_SECRET" form:"secret" doc:"The hub's."`

	OIDCIssuer       string           `env:"OIDC_ISSUER" form:"issuer" unit:"https://…" doc:"The hub's, as the six that follow: with them people sign in at a provider."`
	OIDCClientID     string           `env:"OIDC_CLIENT_ID" required:"with OIDC_ISSUER" form:"text" doc:"The hub's."`
	OIDCClientSecret secrets.Value    `env:"OIDC_CLIENT_SECRET" required:"with OIDC_ISSUER" form:"secret" doc:"The hub's."`
	OIDCScopes       []string         `env:"OIDC_SCOPES" default:"openid profile email" form:"scopes" unit:"scopes, separated by spaces" doc:"The hub's."`
	OIDCRoleClaim    string           `env:"OIDC_ROLE_CLAIM" default:"groups" form:"text" unit:"claim" doc:"The hub's."`
	OIDCRoleMap      identity.RoleMap `env:"OIDC_ROLE_MAP" form:"role map" unit:"value=role, comma-separated" doc:"The hub's."`
	OIDCDisplayName  string           `env:"OIDC_DISPLAY_NAME" default:"single sign-on" form:"text" doc:"The hub's."`

	LogLevel  slog.Level `env:"LOG_LEVEL" default:"info" form:"log level" unit:"debug, info, warn or error" doc:"Least severe log lines to write."`
	LogFormat LogFormat  `env:"LOG_FORMAT" default:"json" form:"log format" unit:"text or json" doc:"Form of log lines."`
}

// LoadFunction reads the configuration of function, as LoadServer does that of the server.
func LoadFunction(lookup func(string) (string, bool), environ []string) (function Function, problems, warnings []Problem) {
	problems = load(&function, lookup)
	found := findings{failed: failed(problems)}
	if length := len(function.BootstrapToken.Reveal()); length > 0 && length < shortToken {
		found.add("BOOTSTRAP_TOKEN", "is short enough to be guessed; make one with: openssl rand -hex 32")
	}
	if sameKey(function.SecretKeyPrevious, function.SecretKey) {
		found.add("SECRET_KEY_PREVIOUS", keyTwice)
	}
	if function.HubURL != "" && !strings.HasPrefix(function.HubURL, "https://") {
		problems = append(problems, Problem{"HUB_URL", hubPlain})
	}
	if everybody(function.TrustedProxies) {
		found.add("TRUSTED_PROXIES", "trusts every address, so that any client may claim to come from anywhere; list your proxies")
	}
	function.OIDC().warn(&found)
	halves := findings{failed: failed(problems)}
	function.OIDC().check(&halves)
	for _, app := range function.gitOAuth() {
		app.check(&halves)
	}
	return function, append(problems, halves.problems...), append(found.problems, unknown(environ)...)
}

func readEventForm(text string, _ variable) (any, error) {
	for _, form := range EventForms {
		if text == string(form) {
			return form, nil
		}
	}
	return nil, errors.New("must be rest-v1, http-api-v2, alb or function-url, in lower case: what sends requests to this function")
}

// readBasePath reads /segment[/segment…].
func readBasePath(text string, _ variable) (any, error) {
	for i, segment := range strings.Split(text, "/") {
		if (i == 0) != (segment == "") || !onlyLetters(segment, "-_.~") || segment == "." || segment == ".." {
			return nil, errors.New("must be a path such as /prod: a slash before each part and none at the end; letters, digits, -, _, . and ~ only")
		}
	}
	return text, nil
}
