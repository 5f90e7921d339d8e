package config

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"berth/core/identity"
	"berth/core/secrets"
)

// OIDC is the OpenID Connect provider at which people sign in.
type OIDC struct {
	Issuer    string // empty: there is none
	ClientID  string
	Secret    secrets.Value
	Scopes    []string // "openid" among them
	RoleClaim string   // dots lead into objects
	Roles     identity.RoleMap
	Name      string // for people
}

// OIDC returns the provider at which people sign in.
func (s Server) OIDC() OIDC {
	return OIDC{s.OIDCIssuer, s.OIDCClientID, s.OIDCClientSecret, s.OIDCScopes, s.OIDCRoleClaim, s.OIDCRoleMap, s.OIDCDisplayName}
}

// OIDC returns the provider at which people sign in.
func (f Function) OIDC() OIDC {
	return OIDC{f.OIDCIssuer, f.OIDCClientID, f.OIDCClientSecret, f.OIDCScopes, f.OIDCRoleClaim, f.OIDCRoleMap, f.OIDCDisplayName}
}

// check wants issuer, client ID and client secret, or none of them.
func (o OIDC) check(found *findings) {
	variables := [3]string{"OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"}
	set := [3]bool{o.Issuer != "", o.ClientID != "", !o.Secret.Empty()}
	given := ""
	for i, name := range variables {
		if given == "" && (set[i] || found.failed[name]) {
			given = name
		}
	}
	for i, name := range variables {
		if given != "" && !set[i] {
			found.add(name, "is not set, but "+given+" is; single sign-on needs the issuer, the client ID and the client secret. Set all three, or remove them")
		}
	}
}

// warn finds what has no effect.
func (o OIDC) warn(found *findings) {
	if o.Issuer == "" && len(o.Roles) > 0 {
		found.add("OIDC_ISSUER", "is not set, so nobody signs in at a provider and OIDC_ROLE_MAP has no effect")
	}
}

// readIssuer reads the address of a provider, to the letter: every ID token repeats it.
func readIssuer(text string, _ variable) (any, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("is not an address such as https://id.example.org/realms/staff; write it as the provider documents its issuer, to the letter")
	case u.User != nil:
		return nil, errors.New("contains a user name or password; write the issuer alone")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return nil, errors.New("has a query or fragment (? or #), which no issuer has")
	case strings.HasSuffix(text, "/.well-known/openid-configuration"):
		return nil, errors.New("is the address of the provider's description; the issuer is what stands before /.well-known")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("must begin with https://: whoever reads the line to the provider could sign in as anybody. Plain http is taken for this very host alone")
	}
	if err := checkHostPort(u.Host, u.Hostname(), u.Port()); err != nil {
		return nil, err
	}
	return text, nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// readScopes reads what is asked of the provider, with spaces between.
func readScopes(text string, _ variable) (any, error) {
	scopes := strings.Fields(text)
	odd := func(r rune) bool { return r < '!' || r > '~' || r == '"' || r == '\\' || r == ',' }
	switch {
	case strings.ContainsFunc(strings.Join(scopes, ""), odd):
		return nil, errors.New("has a character that scopes may not have; separate scopes by spaces alone")
	case !slices.Contains(scopes, "openid"):
		return nil, errors.New("lacks openid, without which the provider says nothing of who signs in; write openid profile email")
	}
	return scopes, nil
}

func readRoleMap(text string, _ variable) (any, error) {
	roles, err := identity.ParseRoleMap(text)
	if err != nil {
		return nil, err
	}
	return roles, nil
}
