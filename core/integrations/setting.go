package integrations

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"berth/core/fault"
)

// MaxSetting bounds one setting, in bytes.
const MaxSetting = 4 << 10

// check names every setting that d does not have or whose value cannot be one.
func (d Declaration) check(settings map[string]string) []fault.Field {
	var bad []fault.Field
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		path, at := "settings."+name, slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
		switch value := settings[name]; {
		case at < 0:
			bad = append(bad, fault.Field{Path: path, Problem: "is no setting of " + d.Name})
		case len(value) > MaxSetting:
			bad = append(bad, fault.Field{Path: path, Problem: fmt.Sprintf("at most %d bytes", MaxSetting)})
		case value != "" && d.Fields[at].problem(value) != "":
			bad = append(bad, fault.Field{Path: path, Problem: d.Fields[at].problem(value)})
		}
	}
	return bad
}

// badLine refuses what no header or path may hold.
func badLine(value string) string {
	if strings.ContainsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) || c > unicode.MaxASCII }) {
		return "has a space, a line break or another character that cannot be part of it; was it copied whole?"
	}
	return ""
}

// minSigningSecret is how long a secret is at least that signs requests: a shorter one can be found out from a single request.
const minSigningSecret = 16

// badSigningSecret refuses what no header may hold, and what is guessed.
func badSigningSecret(value string) string {
	if problem := badLine(value); problem != "" {
		return problem
	}
	if len(value) < minSigningSecret {
		return fmt.Sprintf("must have at least %d characters: whoever sees one request could find a shorter one out; openssl rand -hex 32 makes one", minSigningSecret)
	}
	return ""
}

// badMount refuses what is not the path of a mount.
func badMount(value string) string {
	if problem := badLine(value); problem != "" {
		return problem
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(value, "/"), "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "?#%") {
			return "must be the path of a mount, such as kv or team/kv"
		}
	}
	return ""
}

// badURL refuses what is not the address of a server.
func badURL(value string) string {
	u, err := url.Parse(value)
	switch {
	case badLine(value) != "" || err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be a URL such as https://vault.example.com:8200"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return "must be scheme, host and port alone: no user, path or query"
	}
	return ""
}

var (
	bucketShape = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionShape = regexp.MustCompile(`^[a-zA-Z0-9-]{1,50}$`)
	prefixShape = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$`)
)

// badBucket refuses what no server takes as the name of a bucket.
func badBucket(value string) string {
	if !bucketShape.MatchString(value) || strings.Contains(value, "..") {
		return "must be the name of a bucket: 3 to 63 small letters, digits, dots and hyphens"
	}
	return ""
}

func badRegion(value string) string {
	if !regionShape.MatchString(value) {
		return "must be the name of a region, such as eu-central-1"
	}
	return ""
}

func badPrefix(value string) string {
	if len(value) > 200 || !prefixShape.MatchString(value) {
		return "must be a path such as backups/berth, of letters, digits, dots, hyphens and underscores"
	}
	return ""
}

func badTruth(value string) string {
	if value != "true" && value != "false" {
		return "must be true or false"
	}
	return ""
}

// badCount refuses what is not a number of copies to keep.
func badCount(value string) string {
	if n, err := strconv.Atoi(value); err != nil || n < 1 || n > 10_000 {
		return "must be a number from 1 to 10000"
	}
	return ""
}

// warnings are what a person should know about settings that work.
func (d Declaration) warnings(settings map[string]string) []string {
	var all []string
	for _, field := range d.Fields {
		if u, err := url.Parse(settings[field.Name]); field.Target && err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			all = append(all, field.Label+" is http: everybody on the way can "+seen[d.Category]+". Use https.")
		}
	}
	return all
}

// seen is what can be seen of a service without TLS.
var seen = map[string]string{
	CategorySecretBackend:  "read the secrets",
	CategoryStorageBackend: "see which copies there are, though not what is in them",
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
