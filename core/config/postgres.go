package config

import (
	"errors"
	"net/url"
	"strings"

	"berth/core/secrets"
)

var (
	errNotPostgres = errors.New("is not a PostgreSQL URL; write postgres://<user>:<password>@<host>:<port>/<database>, with special characters of user and password percent-encoded: / as %2F, # as %23, ? as %3F, % as %25")
	errRawPassword = errors.New("cannot be read as a whole: a /, # or ? comes before what looks like its host. In user and password special characters are percent-encoded: / as %2F, # as %23, ? as %3F, @ as %40, % as %25")
)

// readPostgres reads the URL of a database. Everything in it may be secret.
func readPostgres(text string, _ variable) (any, error) {
	if !strings.HasPrefix(text, "postgres://") && !strings.HasPrefix(text, "postgresql://") {
		return nil, errors.New("must begin with postgres://; leave it unset to use the embedded SQLite")
	}
	parsed, err := url.Parse(text)
	switch {
	case torn(text):
		return nil, errRawPassword
	case err != nil || parsed.Host == "" && !parsed.Query().Has("host"):
		return nil, errNotPostgres
	}
	return secrets.NewValue(text), nil
}

// torn reports whether a URL is read otherwise than it is meant, because its password has characters that end
// the part before the path. What is left of it would be taken for a host, a port or a database, and be
// shown as such.
func torn(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	if strings.Contains(rest, "#") { // nothing of ours comes after one
		return true
	}
	before, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(before, "/")
	if strings.Contains(path, "@") || authority != "" && !strings.Contains(authority, "@") && strings.Contains(query, "@") {
		return true
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && !strings.Contains(pair, "=") {
			return true
		}
	}
	return false
}
