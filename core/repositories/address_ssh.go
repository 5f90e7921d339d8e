package repositories

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
)

// OverSSH reports whether an address in normal form is read over SSH.
func OverSSH(address string) bool { return strings.HasPrefix(address, "ssh://") }

// sshLogin is who addresses without a user are read as, which is what Git hosts call everyone.
const sshLogin = "git"

// copyStyle matches "user@host:path", Git's short form of ssh.
var copyStyle = regexp.MustCompile(`^([^/:@]+)@(\[[0-9A-Fa-f:.]+\]|[^/:@\[\]]+):(.*)$`)

// parse reads an address, the short form of ssh included. That one's path is taken as it is, so
// nothing in it is an escape.
func parse(text string) (*url.URL, error) {
	short := copyStyle.FindStringSubmatch(text)
	if short == nil {
		return url.Parse(text)
	}
	path := short[3]
	if strings.Trim(path, "/") != "" {
		path = "/" + strings.TrimLeft(path, "/")
	}
	return &url.URL{Scheme: "ssh", User: url.User(short[1]), Host: short[2], Path: path}, nil
}

var loginName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// validLogin wants a user name that no program takes for an option, and no password.
func validLogin(u *url.URL) bool {
	if _, found := u.User.Password(); found {
		return false
	}
	return loginName.MatchString(login(u))
}

func login(u *url.URL) string { return cmp.Or(u.User.Username(), sshLogin) }
