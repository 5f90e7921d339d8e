package config_test

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"berth/core/config"
)

// TestFunctionDefaults also shows that everything that a function needs is asked for at once.
func TestFunctionDefaults(t *testing.T) {
	_, problems, _ := config.LoadFunction(environment{}.lookup, nil)
	var names []string
	for _, p := range problems {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "SECRET_KEY DATABASE_URL BERTH_EVENT APP_URL" {
		t.Errorf("an empty environment is told of %s", got)
	}
	e := environment{"SECRET_KEY": secretKey, "DATABASE_URL": "postgres://u:p@db.test/b", "APP_URL": "https://B.test", "BERTH_EVENT": "http-api-v2", "BASE_PATH": "/prod/v1"}
	got, problems, warnings := config.LoadFunction(e.lookup, e.environ())
	if len(problems)+len(warnings) > 0 {
		t.Fatalf("%v, %v", problems, warnings)
	}
	want := config.Function{SecretKey: got.SecretKey, DatabaseURL: got.DatabaseURL, Event: config.EventHTTPv2, AppURL: "https://b.test", BasePath: "/prod/v1",
		OIDCScopes: []string{"openid", "profile", "email"}, OIDCRoleClaim: "groups", OIDCDisplayName: "single sign-on",
		TLSWorkerPort: 8443, LogLevel: slog.LevelInfo, LogFormat: config.LogJSON}
	if got.DatabaseURL.Reveal() != e["DATABASE_URL"] || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFunctionWarnings(t *testing.T) {
	e := environment{"SECRET_KEY": secretKey, "DATABASE_URL": "postgres://db.test/b", "APP_URL": "https://b.test", "BERTH_EVENT": "alb",
		"BOOTSTRAP_TOKEN": "short", "TRUSTED_PROXIES": "0.0.0.0/0", "BERTH_BASE_PATH": "/x"}
	_, problems, warnings := config.LoadFunction(e.lookup, e.environ())
	var names []string
	for _, w := range warnings {
		names = append(names, w.Name)
	}
	if got := strings.Join(names, " "); len(problems) > 0 || got != "BOOTSTRAP_TOKEN TRUSTED_PROXIES BERTH_BASE_PATH" {
		t.Errorf("%v, warnings of %s", problems, got)
	}
}

// TestAFunctionChecksItsProvider as the server does.
func TestAFunctionChecksItsProvider(t *testing.T) {
	e := environment{"SECRET_KEY": secretKey, "DATABASE_URL": "postgres://db.test/b", "APP_URL": "https://b.test", "BERTH_EVENT": "alb", "OIDC_ISSUER": "https://id.test"}
	_, problems, _ := config.LoadFunction(e.lookup, nil)
	if len(problems) != 2 || problems[0].Name != "OIDC_CLIENT_ID" || problems[1].Name != "OIDC_CLIENT_SECRET" {
		t.Errorf("%v", problems)
	}
}
