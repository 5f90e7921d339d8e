package config_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/config"
	"berth/core/identity"
	"berth/core/seal"
)

const (
	secretKey   = "8f1c2d3e4b5a69788796a5b4c3d2e1f00112f334455667d88899aabbcc0deeff"
	previousKey = "1b9e77d95f0275706b3e2a8e66a61ee6ab02a6761d666666c3d2e1f0f1c2d3e4"
)

var (
	workerToken = seal.NewWorkerToken("wtk_065wzsb8001zy17f60h069nxz8", seal.PinOf(nil)).Reveal()
	apiKey      = seal.NewToken(seal.TokenAPIKey, "key_065wzsb8001zy17f60h069nxz8").Reveal()
	system      = config.System{Hostname: "box-1", TempDir: "/tmp"}
)

// environment is what a process was given.
type environment map[string]string

func (e environment) lookup(name string) (string, bool) { v, found := e[name]; return v, found }

func (e environment) environ() (all []string) {
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	return all
}

func server(t *testing.T, e environment) config.Server {
	t.Helper()
	got, problems, _ := config.LoadServer(e.lookup, e.environ())
	if len(problems) > 0 {
		t.Fatal(config.Explain(problems))
	}
	return got
}

func worker(t *testing.T, e environment) config.Worker {
	t.Helper()
	got, problems, _ := config.LoadWorker(e.lookup, e.environ(), system)
	if len(problems) > 0 {
		t.Fatal(config.Explain(problems))
	}
	return got
}

// The defaults of the specification, to the word.
func TestServerDefaults(t *testing.T) {
	got := server(t, environment{"SECRET_KEY": secretKey})
	key, _ := seal.ParseSecretKey(secretKey)
	if got.SecretKey.CheckValue() != key.CheckValue() {
		t.Error("SECRET_KEY is another one")
	}
	got.SecretKey = seal.SecretKey{}
	want := config.Server{
		AppURL: "http://localhost:8090", Port: 8090, TLSWorkerPort: 8443,
		DataDir: "./data", DBDataDir: "data/db_data", ReposWorkspace: "data/repos", StacksStoragePath: "data/db_data/stacks",
		WorkerDataDir: "data/worker", WorkerStackDir: "data/worker/stacks",
		AuditKeepDays: 365, BackupDir: "data/backups", BackupInterval: 24 * time.Hour, BackupRehearsal: 168 * time.Hour, BackupKeep: 14,
		BackupUploadMaxMB: 4096, HeartbeatInterval: 30 * time.Second, ScanInterval: 10 * time.Second, SecretsInterval: 2 * time.Minute,
		OIDCScopes: []string{"openid", "profile", "email"}, OIDCRoleClaim: "groups", OIDCDisplayName: "single sign-on",
		HubListen: "127.0.0.1:8091", SMTPPort: 587, LogFormat: config.LogText,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWorkerDefaults(t *testing.T) {
	got := worker(t, environment{"SERVER_URL": "https://deploy.test:8443", "WORKER_TOKEN": workerToken})
	if got.WorkerToken.Reveal() != workerToken {
		t.Error("WORKER_TOKEN is another one")
	}
	got.WorkerToken = seal.Token{}
	want := config.Worker{
		ServerURL: "https://deploy.test:8443", Hostname: "box-1", HeartbeatInterval: 30 * time.Second,
		WorkerStackDir: "/tmp/berth", WorkerDataDir: "/var/lib/berth-worker", LogFormat: config.LogText,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDerivedDirectories(t *testing.T) {
	cases := map[string]struct {
		given environment
		want  [3]string
	}{
		"another root":     {environment{"DATA_DIR": "/srv/b"}, [3]string{"/srv/b/db_data", "/srv/b/repos", "/srv/b/db_data/stacks"}},
		"another database": {environment{"DB_DATA_DIR": "/db"}, [3]string{"/db", "data/repos", "/db/stacks"}},
		"all given": {environment{"DB_DATA_DIR": "/db", "REPOS_WORKSPACE": "/git", "STACKS_STORAGE_PATH": "/my stacks"},
			[3]string{"/db", "/git", "/my stacks"}},
		"empty counts as not set": {environment{"DATA_DIR": "", "DB_DATA_DIR": ""}, [3]string{"data/db_data", "data/repos", "data/db_data/stacks"}},
	}
	inside := server(t, environment{"SECRET_KEY": secretKey, "DATA_DIR": "/srv/b", "LOCAL_WORKER": "true", "WORKER_DATA_DIR": "/work er"})
	if inside.WorkerDataDir != "/work er" || inside.WorkerStackDir != "/work er/stacks" {
		t.Errorf("the worker inside has %q and %q", inside.WorkerDataDir, inside.WorkerStackDir)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.given["SECRET_KEY"] = secretKey
			got := server(t, c.given)
			if dirs := [3]string{got.DBDataDir, got.ReposWorkspace, got.StacksStoragePath}; dirs != c.want {
				t.Errorf("got %q, want %q", dirs, c.want)
			}
		})
	}
}

func TestServerTakesWhatIsGiven(t *testing.T) {
	prefixes := func(all ...string) (list []netip.Prefix) {
		for _, text := range all {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	cases := map[string]struct {
		name, value string
		field       func(config.Server) any
		want        any
	}{
		"APP_URL in capitals":        {"APP_URL", "HTTPS://Deploy.Test:443", func(s config.Server) any { return s.AppURL }, "https://deploy.test:443"},
		"APP_URL with an IPv6 host":  {"APP_URL", "http://[::1]:9000", func(s config.Server) any { return s.AppURL }, "http://[::1]:9000"},
		"a range":                    {"ALLOWED_PRIVATE_IP_RANGES", "10.0.0.0/8", func(s config.Server) any { return s.AllowedPrivateIPRanges }, prefixes("10.0.0.0/8")},
		"two ranges":                 {"ALLOWED_PRIVATE_IP_RANGES", "192.168.1.0/24,fd00::/8", func(s config.Server) any { return s.AllowedPrivateIPRanges }, prefixes("192.168.1.0/24", "fd00::/8")},
		"an IPv4-mapped range":       {"ALLOWED_PRIVATE_IP_RANGES", "::ffff:10.0.0.0/104", func(s config.Server) any { return s.AllowedPrivateIPRanges }, prefixes("10.0.0.0/8")},
		"one proxy":                  {"TRUSTED_PROXIES", "127.0.0.1/32", func(s config.Server) any { return s.TrustedProxies }, prefixes("127.0.0.1/32")},
		"SCAN_INTERVAL in seconds":   {"SCAN_INTERVAL", "15", func(s config.Server) any { return s.ScanInterval }, 15 * time.Second},
		"SCAN_INTERVAL with a unit":  {"SCAN_INTERVAL", "2m30s", func(s config.Server) any { return s.ScanInterval }, 150 * time.Second},
		"the longest SCAN_INTERVAL":  {"SCAN_INTERVAL", "24h", func(s config.Server) any { return s.ScanInterval }, 24 * time.Hour},
		"the shortest heartbeat":     {"HEARTBEAT_INTERVAL", "1", func(s config.Server) any { return s.HeartbeatInterval }, time.Second},
		"the longest heartbeat":      {"HEARTBEAT_INTERVAL", "3600", func(s config.Server) any { return s.HeartbeatInterval }, time.Hour},
		"the highest port":           {"PORT", "65535", func(s config.Server) any { return s.Port }, 65535},
		"a switch":                   {"SMTP_TLS", "true", func(s config.Server) any { return s.SMTPTLS }, true},
		"a password byte for byte":   {"SMTP_PASSWORD", `p w"'$\é`, func(s config.Server) any { return s.SMTPPassword.Reveal() }, `p w"'$\é`},
		"a sender with a name":       {"SMTP_SENDER", "Berth <b@deploy.test>", func(s config.Server) any { return s.SMTPSender.Address }, "b@deploy.test"},
		"a database":                 {"DATABASE_URL", "postgres://u:p@db:5432/berth", func(s config.Server) any { return s.DatabaseURL.Reveal() }, "postgres://u:p@db:5432/berth"},
		"a database behind a socket": {"DATABASE_URL", "postgresql:///berth?host=/run/pg", func(s config.Server) any { return s.DatabaseURL.Empty() }, false},
		"the hub on all interfaces":  {"HUB_LISTEN", ":8092", func(s config.Server) any { return s.HubListen }, ":8092"},
		"the hub on IPv6":            {"HUB_LISTEN", "[::1]:8092", func(s config.Server) any { return s.HubListen }, "[::1]:8092"},
		"an issuer to the letter":    {"OIDC_ISSUER", "https://Id.Test/application/o/berth/", func(s config.Server) any { return s.OIDCIssuer }, "https://Id.Test/application/o/berth/"},
		"an issuer on this host":     {"OIDC_ISSUER", "http://127.0.0.1:8080/realms/a", func(s config.Server) any { return s.OIDCIssuer }, "http://127.0.0.1:8080/realms/a"},
		"scopes":                     {"OIDC_SCOPES", "openid email  groups", func(s config.Server) any { return s.OIDCScopes }, []string{"openid", "email", "groups"}},
		"a role map":                 {"OIDC_ROLE_MAP", "cn=ops=admin, *=viewer", func(s config.Server) any { return s.OIDCRoleMap }, identity.RoleMap{"cn=ops": access.RoleAdmin, "*": access.RoleViewer}},
		"JSON logs":                  {"LOG_FORMAT", "json", func(s config.Server) any { return s.LogFormat }, config.LogJSON},
		"debug logs":                 {"LOG_LEVEL", "debug", func(s config.Server) any { return s.LogLevel.String() }, "DEBUG"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			given := environment{"SECRET_KEY": secretKey, c.name: c.value}
			if c.name == "OIDC_ISSUER" {
				given["OIDC_CLIENT_ID"], given["OIDC_CLIENT_SECRET"] = "berth", "s"
			}
			got := c.field(server(t, given))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestWorkerTakesWhatIsGiven(t *testing.T) {
	got := worker(t, environment{"SERVER_URL": "https://H.test:1", "WORKER_TOKEN": workerToken, "WORKER_TAGS": "gpu,EU-west_1,gpu", "HOSTNAME": "Box-2.lan"})
	if got.ServerURL != "https://h.test:1" || got.Hostname != "Box-2.lan" {
		t.Errorf("server %q, name %q", got.ServerURL, got.Hostname)
	}
	if want := []string{"gpu", "EU-west_1"}; !reflect.DeepEqual(got.WorkerTags, want) {
		t.Errorf("tags %q, want %q", got.WorkerTags, want)
	}
}

func TestAWorkerNeedsAName(t *testing.T) {
	e := environment{"SERVER_URL": "https://h:1", "WORKER_TOKEN": workerToken}
	_, problems, _ := config.LoadWorker(e.lookup, nil, config.System{TempDir: "/tmp"})
	if len(problems) != 1 || problems[0].Name != "HOSTNAME" {
		t.Errorf("got %v", problems)
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	const password = "correct-horse-battery"
	s := server(t, environment{
		"SECRET_KEY": secretKey, "SECRET_KEY_PREVIOUS": previousKey, "BOOTSTRAP_TOKEN": password, "DATABASE_URL": "postgres://u:" + password + "@db/b",
		"GIT_OAUTH_CLIENT_ID": "id", "GIT_OAUTH_CLIENT_SECRET": password, "OIDC_ISSUER": "https://id.test", "OIDC_CLIENT_ID": "id", "OIDC_CLIENT_SECRET": password, "SMTP_HOST": "mail.test", "SMTP_SENDER": "a@b.test", "SMTP_PASSWORD": password,
	})
	w := worker(t, environment{"SERVER_URL": "https://h:1", "WORKER_TOKEN": workerToken})
	out := fmt.Sprintf("%v %+v %#v %v %+v %#v", s, s, s, w, w, w)
	for _, secret := range []string{password, secretKey[:12], previousKey[:12], workerToken[len(workerToken)-20:]} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is printed in %s", secret, out)
		}
	}
}
