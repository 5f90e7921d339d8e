package repositories

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"berth/core/fault"
)

// MaxAddress is the longest address of a repository, in bytes.
const MaxAddress = 2048

// ValidAddress returns nil when Address accepts raw.
func ValidAddress(raw string) error {
	_, err := Address(raw)
	return err
}

// Address returns the normal form of a repository's address: http, https or ssh, lower-case
// scheme and host, no default port, no trailing slash; ssh has the user in front of its host, and
// git@host:path becomes ssh://git@host/path. Two spellings of one address that differ only
// there become equal, and the normal form is its own normal form.
//
// Everything else is Invalid "git.address". The text never repeats what was given,
// because people paste addresses that hold passwords.
func Address(raw string) (string, error) {
	text := strings.TrimSpace(raw)
	if problem := shapeProblem(text); problem != "" {
		return "", badAddress(problem)
	}
	u, err := parse(text)
	if err != nil {
		return "", badAddress("it cannot be read as an address; an example of a good one is https://git.example.com/team/app.git")
	}
	if problem := partsProblem(u); problem != "" {
		return "", badAddress(problem)
	}
	return normal(u), nil
}

func badAddress(problem string) error {
	return fault.New(fault.Invalid, "git.address", "The repository's address is not usable: %s.", problem)
}

const useHTTPS = "use an address that begins with https://, http:// or ssh://"

// remoteHelper matches Git's "transport::address", which can name a program to run.
var remoteHelper = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)

// shapeProblem judges the text before anything parses it.
func shapeProblem(text string) string {
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return "it is empty; " + useHTTPS
	case len(text) > MaxAddress:
		return "it is longer than " + strconv.Itoa(MaxAddress) + " bytes"
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable):
		return "it contains spaces, control characters or characters that are not ASCII; write them percent-encoded, and the host in its xn-- form"
	case strings.HasPrefix(text, "-"):
		return "it begins with a dash; " + useHTTPS
	case remoteHelper.MatchString(text):
		return "it names a transport program; " + useHTTPS
	case strings.HasPrefix(lower, "file:"), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "."):
		return "files of the server are not read as repositories; " + useHTTPS
	case !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "ssh://") && !copyStyle.MatchString(text):
		return "only https, http and ssh are spoken; " + useHTTPS
	case strings.ContainsAny(text, "?#"):
		return "it has a query or fragment (a part after ? or #); leave that out"
	}
	return ""
}

func unprintable(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }

// partsProblem judges the parsed address.
func partsProblem(u *url.URL) string {
	switch {
	case u.Scheme == "ssh" && !validLogin(u):
		return "what stands before the host is not a user name alone, such as git; keys and passwords are added as repository keys"
	case u.Scheme != "ssh" && u.User != nil:
		return "it contains a user name or password; add them as a repository key and choose that key instead"
	case !validHost(u.Hostname()):
		return "its host is missing or not a host name or IP address"
	case !validPort(u):
		return "its port is not a number between 1 and 65535"
	case strings.Trim(u.Path, "/") == "":
		return "it names a host but no repository; add the repository's path"
	case u.Scheme == "ssh" && strings.HasPrefix(strings.TrimLeft(u.Path, "/"), "-"):
		return "its path begins with a dash"
	}
	return pathProblem(u.Path)
}

// pathProblem judges the decoded path, so that no encoding hides anything.
func pathProblem(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
		return "its path contains control characters or backslashes"
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return "its path contains . or .. as a folder"
		}
	}
	return ""
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$`)

func validHost(host string) bool {
	if strings.Contains(host, ":") {
		ip, err := netip.ParseAddr(host)
		return err == nil && ip.Zone() == ""
	}
	return len(host) <= 253 && hostName.MatchString(host)
}

// validPort wants a port in its shortest spelling or none, and no dangling colon.
func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == u.Port()
}

func normal(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch {
	case u.Scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	case u.Scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	case u.Scheme == "ssh":
		host = login(u) + "@" + strings.TrimSuffix(host, ":22")
	}
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}
