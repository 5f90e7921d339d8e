package repositories

import (
	"net/url"
	"strings"
	"testing"

	"berth/core/fault"
)

func TestAddressGivesTheNormalForm(t *testing.T) {
	cases := map[string]struct{ raw, want string }{
		"kept as it is":           {"https://git.example.com/team/app.git", "https://git.example.com/team/app.git"},
		"spaces around":           {"  https://git.example.com/a\n", "https://git.example.com/a"},
		"scheme and host fold":    {"HTTPS://Git.Example.COM/Team/App", "https://git.example.com/Team/App"},
		"default port of https":   {"https://git.example.com:443/a", "https://git.example.com/a"},
		"default port of http":    {"http://git.example.com:80/a", "http://git.example.com/a"},
		"other port stays":        {"http://git.example.com:443/a", "http://git.example.com:443/a"},
		"trailing slashes go":     {"https://git.example.com/a//", "https://git.example.com/a"},
		"escapes stay":            {"https://git.example.com/a%20b/c%2Fd", "https://git.example.com/a%20b/c%2Fd"},
		"IPv4 and IPv6 literals":  {"http://[2001:DB8::1]:3000/a", "http://[2001:db8::1]:3000/a"},
		"single label in a LAN":   {"http://gitea/a", "http://gitea/a"},
		"underscore in the host":  {"http://my_gitea:3000/a", "http://my_gitea:3000/a"},
		"ssh":                     {"ssh://git@Git.Example.com/team/app.git/", "ssh://git@git.example.com/team/app.git"},
		"ssh on its own port":     {"SSH://git@git.example.com:22/a", "ssh://git@git.example.com/a"},
		"ssh on another port":     {"ssh://deploy@git.example.com:2222/a", "ssh://deploy@git.example.com:2222/a"},
		"ssh without a user":      {"ssh://git.example.com/a", "ssh://git@git.example.com/a"},
		"ssh to a home folder":    {"ssh://git@nas/~/a", "ssh://git@nas/~/a"},
		"short form":              {"git@Git.Example.com:Team/app.git", "ssh://git@git.example.com/Team/app.git"},
		"short form, absolute":    {"me@nas:/srv/git/app.git", "ssh://me@nas/srv/git/app.git"},
		"short form, home folder": {"me@nas:~/app.git", "ssh://me@nas/~/app.git"},
		"short form, IPv6":        {"git@[2001:DB8::1]:a", "ssh://git@[2001:db8::1]/a"},
		"short form, no escapes":  {"git@nas:a%20b", "ssh://git@nas/a%2520b"},
		"dots that are no folder": {"https://git.example.com/a..b/.c", "https://git.example.com/a..b/.c"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Address(c.raw)
			if err != nil || got != c.want {
				t.Fatalf("Address(%q) = %q, %v; want %q", c.raw, got, err, c.want)
			}
		})
	}
}

func TestAddressRefusesEverythingElse(t *testing.T) {
	cases := map[string]struct{ raw, says string }{
		"empty":                  {"   ", "empty"},
		"too long":               {"https://h/" + strings.Repeat("a", MaxAddress), "longer"},
		"git+ssh":                {"git+ssh://host/a", "only https, http and ssh"},
		"ssh, an option as host": {"ssh://-oProxyCommand=touch/a", "host"},
		"ssh, short, option":     {"git@-oProxyCommand=x:a", "host"},
		"ssh, an option as user": {"ssh://-oProxyCommand=x@h/a", "user name"},
		"ssh, short, bad user":   {"-l@h:a", "dash"},
		"ssh, a command as user": {"ssh://a;id@h/a", "user name"},
		"ssh with a password":    {"ssh://git:hunter2@h/a", "repository key"},
		"ssh, option as path":    {"ssh://git@h/-x", "dash"},
		"ssh, short, as path":    {"git@h:--upload-pack=x", "dash"},
		"ssh, climbing":          {"git@h:../a", ". or .."},
		"ssh, no path":           {"git@h:", "no repository"},
		"ssh, port zero":         {"ssh://git@h:0/a", "port"},
		"ssh, port -1":           {"ssh://git@h:-1/a", "cannot be read"},
		"ssh, port 70000":        {"ssh://git@h:70000/a", "port"},
		"ssh, a query":           {"git@h:a?b", "query"},
		"host and path alone":    {"host:team/app.git", "only https, http and ssh"},
		"a file":                 {"file:///etc", "not read as repositories"},
		"an absolute path":       {"/srv/git/a", "not read as repositories"},
		"a relative path":        {"../a", "not read as repositories"},
		"a transport program":    {"ext::sh -c whoami", "characters"},
		"a transport without -c": {"ext::whoami", "transport program"},
		"a transport on http":    {"http::https://h/a", "transport program"},
		"an option":              {"--upload-pack=x", "dash"},
		"another scheme":         {"git://host/a", "only https, http and ssh"},
		"no scheme":              {"host/a", "only https, http and ssh"},
		"user name":              {"https://me@host/a", "repository key"},
		"user and password":      {"https://me:hunter2@host/a", "repository key"},
		"query":                  {"https://host/a?b=c", "query or fragment"},
		"empty query":            {"https://host/a?", "query or fragment"},
		"fragment":               {"https://host/a#", "query or fragment"},
		"no host":                {"https:///a", "host"},
		"host that is none":      {"https://a..b/c", "host"},
		"host with a dash first": {"https://-oProxy/c", "host"},
		"zone":                   {"http://[fe80::1%25eth0]/a", "host"},
		"no path":                {"https://host/", "no repository"},
		"port zero":              {"https://host:0/a", "port"},
		"port too high":          {"https://host:65536/a", "port"},
		"port in two spellings":  {"https://host:0443/a", "port"},
		"dangling colon":         {"https://host:/a", "port"},
		"climbing out":           {"https://host/a/../b", ". or .."},
		"climbing out, encoded":  {"https://host/a/%2e%2E/b", ". or .."},
		"control character":      {"https://host/a%0ab", "control"},
		"NUL":                    {"https://host/a%00b", "control"},
		"space inside":           {"https://host/a b", "percent-encoded"},
		"newline inside":         {"https://host/a\nb", "percent-encoded"},
		"backslash":              {`https://host\@evil/a`, "percent-encoded"},
		"host in other letters":  {"https://bücher.example/a", "xn--"},
		"broken escape":          {"https://host/%zz", "cannot be read"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Address(c.raw)
			if fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "git.address" {
				t.Fatalf("Address(%q) = %q, %v; want Invalid git.address", c.raw, got, err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q repeats the password", err)
			}
		})
	}
}

// F11: whatever is accepted is a plain http(s) or ssh address that stays what it is.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"https://git.example.com/team/app.git", "HTTP://[::1]:80/a/", "https://u:p@h/a",
		"ext::sh", "-x", "git@h:a", "ssh://a@[::1]:2/b", "a@b:%2e/../c", "https://h/%2e%2e/a", "https://h:0443/a", "file:///a", "http://h/a;b=c:@/!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Address(raw)
		if (err == nil) != (ValidAddress(raw) == nil) {
			t.Fatalf("Address and ValidAddress disagree about %q", raw)
		}
		if err != nil {
			if fault.CodeOf(err) != "git.address" {
				t.Fatalf("%q: %v has another code", raw, err)
			}
			return
		}
		if again, err := Address(got); err != nil || again != got {
			t.Fatalf("%q became %q, and that became %q, %v", raw, got, again, err)
		}
		u, err := url.Parse(got)
		if err == nil && u.Scheme == "ssh" && !loginName.MatchString(u.User.String()) {
			t.Fatalf("%q became %q", raw, got)
		}
		if err != nil || (u.User != nil) != (u.Scheme == "ssh") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" ||
			(u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "ssh") || strings.ContainsAny(got, " \n\x00?#\\") {
			t.Fatalf("%q became %q", raw, got)
		}
		for r := range strings.SplitSeq(u.Path, "/") {
			if r == ".." {
				t.Fatalf("%q climbs", got)
			}
		}
	})
}
