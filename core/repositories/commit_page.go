package repositories

import (
	"net/url"
	"strings"

	"berth/core"
)

// CommitPage returns where a Git host shows a commit; empty when the host's form is not known from its name. Userinfo of the
// address is left out.
func CommitPage(address string, commit core.Commit) string {
	host, name := hostAndName(address)
	if name == "" || !fullHash.MatchString(string(commit)) {
		return ""
	}
	base := "https://" + host + "/" + name
	switch word, _, _ := strings.Cut(host, "."); {
	case host == "github.com", host == "codeberg.org", word == "gitea", word == "forgejo", word == "github":
		return base + "/commit/" + string(commit)
	case word == "gitlab":
		return base + "/-/commit/" + string(commit)
	case host == "bitbucket.org":
		return base + "/commits/" + string(commit)
	}
	return ""
}

// hostAndName takes an address apart: https://host/owner/name.git, ssh://git@host/owner/name.git or git@host:owner/name.git.
func hostAndName(address string) (host, name string) {
	if user, rest, found := strings.Cut(address, "@"); found && !strings.Contains(user, "/") && !strings.Contains(address, "://") {
		host, name, _ = strings.Cut(rest, ":")
	} else if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Opaque == "" {
		host, name = u.Host, u.EscapedPath()
		if u.Scheme != "https" && u.Scheme != "http" {
			host = u.Hostname() // the port is that of SSH
		}
	}
	name = strings.TrimSuffix(strings.Trim(name, "/"), ".git")
	if strings.ContainsAny(host, "/@?#%\\ ") || strings.ContainsAny(name, "?#\\ ") || !strings.Contains(name, "/") {
		return "", ""
	}
	return strings.ToLower(host), name
}
