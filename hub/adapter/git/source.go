package git

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"

	"berth/core"
	"berth/core/repositories"
	"berth/core/secrets"
)

// check judges a source before anything is done with it.
func check(src core.GitSource) error {
	if err := repositories.ValidAddress(src.URL); err != nil {
		return err
	}
	return repositories.ValidSource(src)
}

// basic returns the source's credential as the value of an Authorization header;
// empty: anonymous.
func basic(src core.GitSource) secrets.Value {
	if src.Username == "" {
		return secrets.Value{}
	}
	pair := src.Username + ":" + src.Password.Reveal()
	return secrets.NewValue("Basic " + base64.StdEncoding.EncodeToString([]byte(pair)))
}

// origin returns scheme, host and port of an address, with a slash at the end.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}

var userInfo = regexp.MustCompile(`//[^/@\s]*@`)

// scrub takes from text what a Git host or git may have repeated of the credential.
func scrub(text string, src core.GitSource) string {
	header := basic(src).Reveal()
	for _, secret := range []string{header, strings.TrimPrefix(header, "Basic "), src.Password.Reveal(), url.QueryEscape(src.Password.Reveal())} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, secrets.Redacted)
		}
	}
	return userInfo.ReplaceAllString(text, "//")
}

// hexHash matches a full object hash, SHA-1 or SHA-256.
var hexHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
