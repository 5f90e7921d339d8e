package integrations

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
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

// warnings are what a person should know about settings that work.
func (d Declaration) warnings(settings map[string]string) []string {
	var all []string
	for _, field := range d.Fields {
		if u, err := url.Parse(settings[field.Name]); field.Target && err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			all = append(all, field.Label+" is http: everybody on the way can read the secrets. Use https.")
		}
	}
	return all
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
