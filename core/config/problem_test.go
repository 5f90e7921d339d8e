package config_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/core/config"
)

// problems loads all processes, each with what it requires unless given says otherwise.
func problems(given environment) []config.Problem {
	e := environment{"SECRET_KEY": secretKey, "SERVER_URL": "https://h:1", "WORKER_TOKEN": workerToken}
	for name, value := range given {
		e[name] = value
	}
	_, ofServer, _ := config.LoadServer(e.lookup, nil)
	_, ofWorker, _ := config.LoadWorker(e.lookup, nil, system)
	return append(append(ofServer, ofWorker...), ofFunction(given)...)
}

// ofFunction returns the problems of a function that has what it requires.
func ofFunction(given environment) []config.Problem {
	e := environment{"SECRET_KEY": secretKey, "DATABASE_URL": "postgres://db.test/b", "APP_URL": "https://b.test", "BERTH_EVENT": "alb"}
	for name, value := range given {
		e[name] = value
	}
	_, problems, _ := config.LoadFunction(e.lookup, nil)
	var own []config.Problem
	for _, p := range problems {
		if p.Name == "BERTH_EVENT" || p.Name == "BASE_PATH" {
			own = append(own, p)
		}
	}
	return own
}

// manyTags returns n different tags.
func manyTags(n int) string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = "tag" + strconv.Itoa(i)
	}
	return strings.Join(tags, ",")
}

// Each bad value is refused under its own name, with its own reason, and without being shown.
func TestBadValues(t *testing.T) {
	long := strings.Repeat("9", 400)
	cases := map[string]map[string]string{ // variable → value → part of the reason
		"SECRET_KEY": {
			"": "is not set", " ": "consists of spaces", secretKey + "\n": "line end before or after", "short": "64 hexadecimal",
			strings.Repeat("ab", 32): "placeholder", strings.Repeat("13f7", 16): "too few different", "пароль": "64 hexadecimal", long: "64 hexadecimal",
		},
		"SECRET_KEY_PREVIOUS": {"changeme": "64 hexadecimal"},
		"BOOTSTRAP_TOKEN":     {" secret-token": "before or after", "secret\x00token": "control character", "\xff\xfe\xfd\xfc": "UTF-8"},
		"APP_URL": {
			"https://deploy.test/": "ends with a slash", "https://deploy.test/berth": "has a path", "https://deploy.test/berth/": "has a path",
			"https://deploy.test?x=1": "query", "https://deploy.test?": "query", "https://deploy.test#": "query or fragment",
			"https://root:pw@deploy.test": "user name", "deploy.test:8090": "no scheme", "ftp://deploy.test": "scheme other than",
			"http://": "no host", "http://deploy.test:": "port", "http://deploy.test:0": "port", "http://deploy.test:65536": "port", "http://deploy.test:x": "not a URL",
			"http://bücher.test": "no host, or one that is not valid", "http://a b.test": "not a URL", "http://[fe80::1%25eth0]:80": "not valid",
			"http://-a.test": "not valid", "http://a..test": "not valid", "http:deploy.test": "no scheme",
		},
		"HUB_URL": {"http://hub.test/": "ends with a slash"},
		"PORT": {
			"0": "from 1 to 65535", "65536": "from 1 to 65535", "-8090": "digits only", "+8090": "digits only", "8_090": "digits only", "http": "digits only",
			"8090/tcp": "digits only", "８０９０": "digits only", "0x1F90": "digits only", "80.5": "digits only", long: "digits only", " 8090": "before or after", "\t": "spaces",
		},
		"TLS_WORKER_PORT":    {"8090": "same as PORT", "99999": "from 1 to 65535"},
		"SMTP_PORT":          {"smtp": "from 1 to 65535"},
		"HEARTBEAT_INTERVAL": {"0": "from 1 to 3600", "-30": "without a unit", "3601": "from 1 to 3600", "30s": "without a unit", "½": "without a unit", long: "without a unit"},
		"SCAN_INTERVAL": {
			"0": "from 1 second", "999ms": "from 1 second", "25h": "to 24 hours", "86401": "to 24 hours", "-10s": "from 1 second", "10 s": "digits with the unit",
			"10 seconds": "digits with the unit", "1d": "digits with the unit", long: "from 1 second", long + "h": "from 1 second",
		},
		"SECRETS_INTERVAL":          {"0": "from 1 second", "25h": "to 24 hours", "often": "digits with the unit"},
		"BACKUP_DIR":                {"/backups ": "before or after"},
		"BACKUP_REHEARSAL_INTERVAL": {"-1h": "8760 hours", "weekly": "8760 hours"},
		"BACKUP_INTERVAL":           {"-1h": "8760 hours", "daily": "8760 hours", "8761h": "8760 hours"},
		"BACKUP_KEEP":               {"0": "from 1 to 10000", "all": "digits only"},
		"BACKUP_KEEP_DAYS":          {"-1": "digits only", "40000": "from 0 to 36500"},
		"AUDIT_KEEP_DAYS":           {"-1": "digits only", "40000": "from 0 to 36500"},
		"BACKUP_UPLOAD_MAX_MB":      {"0": "from 1 to 1048576", "4GB": "digits only", "4096MB": "digits only", "1048577": "from 1"},
		"LOCAL_WORKER":              {"yes": "true or false", "TRUE": "true or false", "1": "true or false"},
		"SMTP_TLS":                  {"on": "true or false"},
		"REQUIRE_ADMIN_TOTP":        {"yes": "true or false"},
		"DATA_DIR":                  {"/data\n": "line end", "/da\x1bta": "control", " ": "spaces", strings.Repeat("d", 20_000): "too long"},
		"ALLOWED_PRIVATE_IP_RANGES": {
			"10.0.0.0": "single address", "::1": "single address", "10.0.0.0/33": "not a CIDR", "10.0.0/8": "not a CIDR", "localnet": "not a CIDR", "10.0.0.0/-1": "not a CIDR",
			"10.0.0.0/8, 172.16.0.0/12": "contains a space", "10.0.0.0/8,": "number 2, that is empty", ",": "number 1, that is empty",
			"10.0.0.0/8,10.1.2.3/8": "number 2, that has address bits", "0.0.0.0/0": "allows every address", "::/0": "allows every address",
			"10.0.0.0/8,0.0.0.0/0": "allows every address", "::ffff:0.0.0.0/96": "allows every address", "::ffff:0.0.0.0/95": "address bits",
			"::ffff:0:0/90": "address bits", "fe80::%eth0/64": "not a CIDR", "１０.0.0.0/8": "not a CIDR",
			strings.TrimSuffix(strings.Repeat("10.0.0.0/8,", 300), ","): "too many",
		},
		"TRUSTED_PROXIES":         {"proxy.test": "not a CIDR", "10.0.0.1": "single address"},
		"HUB_LISTEN":              {"8091": "no port", "localhost": "no port", "127.0.0.1:": "port", "127.0.0.1:0": "port", "::1:8091": "brackets", "a b:8092": "host:port", "h:8090": "port of its own", ":8443": "port of its own"},
		"GIT_OAUTH_CLIENT_ID":     {"  Iv1.abc": "before or after"},
		"GIT_OAUTH_CLIENT_SECRET": {"secret-value ": "before or after"},
		"GIT_OAUTH_GITHUB_URL":    {"ghe.test": "no scheme"}, "GIT_OAUTH_GITEA_URL": {"https://git.test/gitea": "has a path"}, "GIT_OAUTH_GITLAB_URL": {"https://git.test/": "ends with a slash"},
		"GIT_OAUTH_GITEA_CLIENT_ID": {" id-of-app": "before or after"}, "GIT_OAUTH_GITLAB_CLIENT_ID": {"id-of-app ": "before or after"},
		"GIT_OAUTH_GITEA_CLIENT_SECRET": {"secret-value\n": "line end"}, "GIT_OAUTH_GITLAB_CLIENT_SECRET": {"\tsecret-value": "before or after"},
		"OIDC_ISSUER": {
			"id.example.net": "not an address", "ftp://id.example.org": "not an address", "https:///realm": "not an address", "https:id.example.org": "not an address", "https://u:pw@id.example.org": "user name",
			"https://id.example.org?x=1": "query", "https://id.example.org/#x": "query or fragment", "http://id.example.org": "must begin with https", "http://127.0.0.1.example.org": "must begin with https",
			"https://id.example.org/.well-known/openid-configuration": "stands before", "https://id.example.org:0": "port", "https://a..b": "no host, or one that is not valid", " https://id.example.org": "before or after",
		},
		"OIDC_CLIENT_ID": {" berth": "before or after"}, "OIDC_CLIENT_SECRET": {"secret-value ": "before or after"},
		"OIDC_SCOPES":     {"email groups": "lacks openid", "openid,email": "separate scopes by spaces", `openid "email"`: "character", "openid größe": "character"},
		"OIDC_ROLE_CLAIM": {"groups\n": "line end"},
		"OIDC_ROLE_MAP": {
			"berth-admins": "number 1, that is not of the form", "admins=root": "number 1, whose role is none", "admins=admin,devs": "number 2, that is not", "admins=Admin": "whose role is none",
			"devs=viewer,devs=admin": "number 2, whose value is empty or was there before", "=admin": "not of the form", "devs=viewer,": "number 2", "devs:admin": "not of the form",
		},
		"OIDC_DISPLAY_NAME": {"Keycloak ": "before or after"},
		"SMTP_HOST":         {"smtp://mail.test": "alone", "mail.test:587": "alone", "mail test": "alone", "почта.test": "alone"},
		"SMTP_SENDER":       {"berth": "e-mail address", "a@b@c.test": "e-mail address", "a@b.test, c@d.test": "e-mail address"},
		"DATABASE_URL": {
			"mysql://u:pw@db.test/b": "postgres://", "./berth.sqlite": "postgres://", "postgres://u:p%w@db.test/b": "percent-encoded", "postgres:///b": "not a PostgreSQL URL",
			"postgres://u:pa/ss@db.test/b": "/ as %2F", "postgres://u:12/ss@db.test/b": "/ as %2F", "postgres://u:pa#ss@db.test/b": "# as %23", "postgres://u:12#ss@db.test/b": "# as %23",
			"postgres://u:p@s#s@db.test/b": "# as %23", "postgres://u:p@s/s@db.test/b": "/ as %2F", "postgres://u:12?ss@db.test/b": "? as %3F", "postgres://u:p@s?s@db.test/b": "? as %3F",
			"postgres://u:p?s=s@db.test/b": "percent-encoded", "postgres://u:12?s=s@db.test/b": "? as %3F", "postgres://u:p s@db.test/b": "percent-encoded", "postgres://u:p^s@db.test/b": "percent-encoded",
		},
		"LOG_LEVEL":   {"trace": "debug, info", "INFO": "lower case", "4": "debug, info"},
		"LOG_FORMAT":  {"xml": "text or json"},
		"BERTH_EVENT": {"": "is not set", "rest": "rest-v1, http-api-v2", "ALB": "lower case", "http-api-v2,alb": "must be"},
		"BASE_PATH":   {"prod": "a slash before", "/": "a path such as", "/prod/": "none at the end", "/a//b": "a path", "/a b": "a path", "/a/../b": "a path", "/a?b": "a path", "/a%2fb": "a path"},
		"SERVER_URL": {
			"": "is not set", "http://deploy.test:8443": "must begin with https://", "wss://deploy.test:8443": "must begin with https://", "deploy.test:8443": "https://",
			"https://deploy.test": "no port", "https://deploy.test:8443/": "slash", "https://deploy.test:8443/ws": "path", "https://u@deploy.test:8443": "user name",
			"https://:8443": "no host", "https://deploy.test:99999": "port", "https://": "no host", "https://deploy.test:8443?a": "query",
		},
		"WORKER_TOKEN":           {"": "is not set", "hunter2-hunter2": "not a valid token", apiKey: "another kind", workerToken[:len(workerToken)-1]: "Copy it again"},
		"HOSTNAME":               {"box 1": "letters, digits", "коробка": "letters, digits", long: "253", "a/b": "letters"},
		"WORKER_TAGS":            {"gpu, eu": "contains a space", "gpu eu": "contains a space", "gpu,,eu": "empty tag", "gpu,": "empty tag", "gpu;eu": "character", "größe": "character", "gpu,eu.west": "character", long: "too long", manyTags(65): "too many"},
		"WORKER_ALLOW":           {"everything": "neither one of privileged", "gadgets,,": "neither one of", "devices, sysctls": "neither one of", "etc": "clean absolute path", "/etc/": "clean absolute path", "/a/../b": "clean"},
		"WORKER_POLICY_FILE":     {"/etc/policy.json ": "before or after"},
		"WORKER_TLS_SKIP_VERIFY": {"True": "lower case", "0": "true or false"},
		"WORKER_STACK_DIR":       {"/tmp/x ": "before or after"},
		"WORKER_DATA_DIR":        {" /var": "before or after"},
		"DB_DATA_DIR":            {"\u00a0/db": "before or after"},
		"REPOS_WORKSPACE":        {"/git\r": "before or after"},
		"STACKS_STORAGE_PATH":    {"/st\nacks": "control"},
		"TLS_CERT_FILE":          {"/cert.pem\n": "line end"},
		"TLS_KEY_FILE":           {"\t/key.pem": "line end"},
		"SMTP_USERNAME":          {"user\n": "line end"},
		"SMTP_PASSWORD":          {"pass-word\n": "line end"},
	}
	for name, values := range cases {
		for value, want := range values {
			t.Run(name+"="+value[:min(20, len(value))], func(t *testing.T) {
				found := slices.DeleteFunc(problems(environment{name: value}), func(p config.Problem) bool { return p.Name != name })
				if len(found) == 0 || !strings.Contains(found[0].Reason, want) {
					t.Fatalf("got %v, want a reason with %q", found, want)
				}
				if len(value) > 5 && strings.Contains(config.Explain(found), value) {
					t.Errorf("the value is shown: %v", found)
				}
			})
		}
	}
	for _, process := range []reflect.Type{reflect.TypeFor[config.Server](), reflect.TypeFor[config.Worker](), reflect.TypeFor[config.Function]()} {
		for i := range process.NumField() {
			if name := process.Field(i).Tag.Get("env"); cases[name] == nil {
				t.Errorf("%s has no case", name)
			}
		}
	}
}

func TestProblemsBetweenVariables(t *testing.T) {
	cases := map[string]struct {
		given environment
		want  []string // "NAME: part of the reason", all of them
	}{
		"equal ports":                       {environment{"PORT": "9000", "TLS_WORKER_PORT": "9000"}, []string{"TLS_WORKER_PORT: same as PORT"}},
		"OAuth without secret":              {environment{"GIT_OAUTH_CLIENT_ID": "id"}, []string{"GIT_OAUTH_CLIENT_SECRET: GIT_OAUTH_CLIENT_ID is"}},
		"OAuth without id":                  {environment{"GIT_OAUTH_CLIENT_SECRET": "s"}, []string{"GIT_OAUTH_CLIENT_ID: GIT_OAUTH_CLIENT_SECRET is"}},
		"OAuth with a bad secret":           {environment{"GIT_OAUTH_CLIENT_ID": "id", "GIT_OAUTH_CLIENT_SECRET": "s "}, []string{"GIT_OAUTH_CLIENT_SECRET: before or after"}},
		"a Gitea with an address alone":     {environment{"GIT_OAUTH_GITEA_URL": "https://git.test"}, []string{"GIT_OAUTH_GITEA_CLIENT_ID: GIT_OAUTH_GITEA_URL is", "GIT_OAUTH_GITEA_CLIENT_SECRET: GIT_OAUTH_GITEA_URL is"}},
		"a Gitea without address":           {environment{"GIT_OAUTH_GITEA_CLIENT_ID": "i", "GIT_OAUTH_GITEA_CLIENT_SECRET": "s"}, []string{"GIT_OAUTH_GITEA_URL: GIT_OAUTH_GITEA_CLIENT_ID is"}},
		"a GitLab with an address alone":    {environment{"GIT_OAUTH_GITLAB_URL": "https://git.test"}, []string{"GIT_OAUTH_GITLAB_CLIENT_ID: GIT_OAUTH_GITLAB_URL is", "GIT_OAUTH_GITLAB_CLIENT_SECRET: GIT_OAUTH_GITLAB_URL is"}},
		"halves of two hosts":               {environment{"GIT_OAUTH_CLIENT_ID": "i", "GIT_OAUTH_GITLAB_CLIENT_SECRET": "s"}, []string{"GIT_OAUTH_CLIENT_SECRET: GIT_OAUTH_CLIENT_ID is", "GIT_OAUTH_GITLAB_CLIENT_ID: GIT_OAUTH_GITLAB_CLIENT_SECRET is"}},
		"a GitLab at its usual address":     {environment{"GIT_OAUTH_GITLAB_CLIENT_ID": "i", "GIT_OAUTH_GITLAB_CLIENT_SECRET": "s"}, nil},
		"single sign-on, an issuer alone":   {environment{"OIDC_ISSUER": "https://id.test"}, []string{"OIDC_CLIENT_ID: OIDC_ISSUER is", "OIDC_CLIENT_SECRET: OIDC_ISSUER is"}},
		"single sign-on, a client ID alone": {environment{"OIDC_CLIENT_ID": "berth"}, []string{"OIDC_ISSUER: OIDC_CLIENT_ID is", "OIDC_CLIENT_SECRET: OIDC_CLIENT_ID is"}},
		"single sign-on without a secret":   {environment{"OIDC_ISSUER": "https://id.test", "OIDC_CLIENT_ID": "berth"}, []string{"OIDC_CLIENT_SECRET: OIDC_ISSUER is"}},
		"single sign-on without an issuer":  {environment{"OIDC_CLIENT_ID": "berth", "OIDC_CLIENT_SECRET": "s"}, []string{"OIDC_ISSUER: OIDC_CLIENT_ID is"}},
		"single sign-on with a bad issuer":  {environment{"OIDC_ISSUER": "x", "OIDC_CLIENT_ID": "berth", "OIDC_CLIENT_SECRET": "s"}, []string{"OIDC_ISSUER: not an address"}},
		"single sign-on that is complete":   {environment{"OIDC_ISSUER": "https://id.test/o/", "OIDC_CLIENT_ID": "berth", "OIDC_CLIENT_SECRET": "s", "OIDC_ROLE_MAP": "a=admin,*=viewer"}, nil},
		"a certificate without key":         {environment{"TLS_CERT_FILE": "/c"}, []string{"TLS_KEY_FILE: TLS_CERT_FILE is"}},
		"a key without certificate":         {environment{"TLS_KEY_FILE": "/k"}, []string{"TLS_CERT_FILE: TLS_KEY_FILE is"}},
		"SMTP without sender":               {environment{"SMTP_HOST": "mail.test"}, []string{"SMTP_SENDER: SMTP_HOST is"}},
		"SMTP with a bad sender":            {environment{"SMTP_HOST": "mail.test", "SMTP_SENDER": "berth"}, []string{"SMTP_SENDER: not an e-mail"}},
		"every problem at once":             {environment{"PORT": "x", "APP_URL": "x", "WORKER_TAGS": "a b"}, []string{"APP_URL: no scheme", "PORT: whole number", "WORKER_TAGS: space"}},
		"complete pairs":                    {environment{"TLS_CERT_FILE": "/c", "TLS_KEY_FILE": "/k", "GIT_OAUTH_CLIENT_ID": "i", "GIT_OAUTH_CLIENT_SECRET": "s"}, nil},
		"nothing but what is needed":        {nil, nil},
		"the worker's and hub's port":       {environment{"TLS_WORKER_PORT": "8091"}, []string{"HUB_LISTEN: port of its own"}},
		"a hub that speaks no TLS":          {environment{"HUB_URL": "http://hub.test:8091"}, []string{"HUB_URL: HTTPS only"}},
		"a shared hub nobody finds":         {environment{"DATABASE_URL": "postgres://db.test/berth", "HUB_LISTEN": "[::]:8091"}, []string{"HUB_URL: HUB_LISTEN is on every address"}},
		"a shared hub that says where":      {environment{"DATABASE_URL": "postgres://db.test/berth", "HUB_LISTEN": ":8091", "HUB_URL": "https://hub-1.test:8091"}, nil},
		"a hub on every address alone":      {environment{"HUB_LISTEN": ":8091"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found := problems(c.given)
			if len(found) != len(c.want) {
				t.Fatalf("got %v, want %q", found, c.want)
			}
			for i, want := range c.want {
				name, part, _ := strings.Cut(want, ": ")
				if found[i].Name != name || !strings.Contains(found[i].Reason, part) {
					t.Errorf("got %v, want %q", found[i], want)
				}
			}
		})
	}
}

// Whatever a value is, no problem and no warning shows it.
func TestValuesAreNeverShown(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shapes := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "https://" + s + "/" },
		func(s string) string { return "https://u:" + s + "@h:1" },
		func(s string) string { return "postgres://u:" + s + "%@h" },
		func(s string) string { return s + " " },
		func(s string) string { return "10.0.0.0/8," + s },
		func(s string) string { return "berth_wt_" + s },
		func(s string) string { return s + "@" + s + "@h" },
		func(s string) string { return "h:" + s },
		func(s string) string { return "\x00" + s },
	}
	alphabet := []rune("qQzZ9078 %/\\:@é漢\n\"'`$")
	for _, process := range []reflect.Type{reflect.TypeFor[config.Server](), reflect.TypeFor[config.Worker]()} {
		for i := range process.NumField() {
			name := process.Field(i).Tag.Get("env")
			for range 8 {
				core := make([]rune, 8)
				for i := range core {
					core[i] = alphabet[random.IntN(len(alphabet))]
				}
				for _, shape := range shapes {
					e := environment{name: shape(string(core)), "BERTH_X": string(core)}
					_, a, b := config.LoadServer(e.lookup, e.environ())
					_, c, d := config.LoadWorker(e.lookup, e.environ(), system)
					if text := config.Explain(slices.Concat(a, b, c, d)); strings.Contains(text, string(core)) {
						t.Fatalf("%s=%q is shown in %s", name, core, text)
					}
				}
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	cases := map[string]struct {
		given environment
		want  string // "NAME: part of the reason"; empty: no warning
	}{
		"nothing":                     {environment{"PATH": "/bin", "XBERTH_A": "1", "berth_a": "1"}, ""},
		"an unknown variable":         {environment{"BERTH_COLOUR": "red"}, "BERTH_COLOUR: not a variable that berth knows"},
		"one of ours with the prefix": {environment{"BERTH_APP_URL": "x"}, "BERTH_APP_URL: called APP_URL"},
		"one that another reads":      {environment{"BERTH_EVENT": "alb"}, ""},
		"the previous key again":      {environment{"SECRET_KEY_PREVIOUS": secretKey}, "SECRET_KEY_PREVIOUS: same key"},
		"another previous key":        {environment{"SECRET_KEY_PREVIOUS": previousKey}, ""},
		"a short token":               {environment{"BOOTSTRAP_TOKEN": "letmein"}, "BOOTSTRAP_TOKEN: guessed"},
		"SMTP without host":           {environment{"SMTP_USERNAME": "u"}, "SMTP_HOST: no effect"},
		"SMTP with a bad host":        {environment{"SMTP_USERNAME": "u", "SMTP_HOST": "a b"}, ""},
		"roles without a provider":    {environment{"OIDC_ROLE_MAP": "a=admin"}, "OIDC_ISSUER: OIDC_ROLE_MAP has no effect"},
		"a trusted world":             {environment{"TRUSTED_PROXIES": "0.0.0.0/0"}, "TRUSTED_PROXIES: every address"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.given["SECRET_KEY"] = secretKey
			_, _, found := config.LoadServer(c.given.lookup, c.given.environ())
			expectOne(t, found, c.want)
		})
	}
	e := environment{"SERVER_URL": "https://h:1", "WORKER_TOKEN": workerToken, "WORKER_TLS_SKIP_VERIFY": "true"}
	_, _, found := config.LoadWorker(e.lookup, e.environ(), system)
	expectOne(t, found, "WORKER_TLS_SKIP_VERIFY: does not check")
}

func expectOne(t *testing.T, found []config.Problem, want string) {
	t.Helper()
	if want == "" {
		if len(found) > 0 {
			t.Errorf("got %v, want none", found)
		}
		return
	}
	name, part, _ := strings.Cut(want, ": ")
	if len(found) != 1 || found[0].Name != name || !strings.Contains(found[0].Reason, part) {
		t.Errorf("got %v, want %q", found, want)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var environ []string
	for range 1000 {
		environ = append(environ, "BERTH_"+strings.Repeat("X", 1000)+"=1")
	}
	e := environment{"SECRET_KEY": secretKey}
	if _, _, found := config.LoadServer(e.lookup, environ); len(found) != 20 || len(found[0].Name) > 64 {
		t.Errorf("%d warnings", len(found))
	}
}

func TestExplain(t *testing.T) {
	got := config.Explain([]config.Problem{{Name: "PORT", Reason: "is odd"}, {Name: "APP_URL", Reason: "is even"}})
	want := "berth cannot start: its configuration has 2 problems.\n  PORT: is odd\n  APP_URL: is even\n" +
		"Nothing was changed. Correct the environment and start again; the README lists every variable.\n"
	if got != want {
		t.Errorf("got %q", got)
	}
	if one := config.Explain([]config.Problem{{Name: "PORT", Reason: "is odd"}}); !strings.Contains(one, "has 1 problem.") {
		t.Errorf("got %q", one)
	}
}

func TestTable(t *testing.T) {
	table := config.Table(config.Server{})
	for _, line := range []string{
		"| Variable | Required | Default | Unit | Meaning |\n|---|---|---|---|---|\n| `SECRET_KEY` | yes | none | 64 hex characters | Encrypts",
		"| `PORT` | no | `8090` | port | HTTP port",
		"| `STACKS_STORAGE_PATH` | no | {DB_DATA_DIR}/stacks | directory |",
		"| `BOOTSTRAP_TOKEN` | for first-time setup | none | text |",
	} {
		if !strings.Contains(table, line) {
			t.Errorf("the table lacks %q:\n%s", line, table)
		}
	}
	workers := config.Table(config.Worker{})
	if !strings.Contains(workers, "| `WORKER_STACK_DIR` | no | &lt;OS temp dir>/berth |") {
		t.Errorf("the worker's table:\n%s", workers)
	}
	for _, line := range strings.Split(strings.TrimSpace(table+workers), "\n") {
		if strings.Count(line, "|") != 6 {
			t.Errorf("a line with another number of cells: %s", line)
		}
	}
	if got, want := strings.Count(table, "\n"), reflect.TypeFor[config.Server]().NumField()+2; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}
