package repositories

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// Type says how a credential proves itself.
type Type string

// The types of credentials.
const (
	TypeBasic Type = "basic" // a user name with a password or access token, for http and https
	TypeSSH   Type = "ssh"   // a private key, for ssh
	TypeOAuth Type = "oauth" // a token that the Git host gave when somebody connected it; see GitHosts
)

const (
	maxUsername   = 255      // bytes
	maxPassword   = 4096     // bytes
	maxPrivateKey = 32 << 10 // bytes of text
)

// Credential is a repository key without its secret part.
type Credential struct {
	ID        core.CredentialID
	Name      string // unique, for people
	Type      Type
	Host      string // host or host:port that it is bound to; it is never sent to another
	Username  string // of TypeBasic; over SSH the address says who
	PublicKey string // of TypeSSH, as authorized_keys has it
	CreatedAt time.Time
	ChangedAt time.Time // when its secret was replaced last; zero: never
	UsedBy    []Use     // repositories that are read with it, by name; only lists fill it

	// Of TypeOAuth alone.
	Account     string    // login on the Git host
	ConnectedBy string    // who connected it, as audit shows them
	ExpiresAt   time.Time // of the token, which is renewed before; zero: never
}

// Use is a repository as a list of credentials shows it.
type Use struct {
	ID   core.RepositoryID
	Name string
}

// CredentialDraft is a repository key to be added.
type CredentialDraft struct {
	Name     string
	Type     Type
	Host     string
	Username string        // of TypeBasic
	Password secrets.Value // of TypeBasic
	SSH      SSHSecret     // of TypeSSH
}

// Fits returns nil when the credential may be sent to where address points, a normal
// form. A host without port stands for the default port of the address. Otherwise
// Invalid "credential.other_host", naming both hosts, or "credential.other_type".
func (c Credential) Fits(address string) error {
	u, err := url.Parse(address)
	if err == nil && (u.Host == c.Host || withPort(u) == c.Host) {
		return c.speaks(u)
	}
	host := "another host"
	if err == nil {
		host = u.Host
	}
	text := fmt.Sprintf("the repository key %q is bound to the host %s, but the repository's address names %s; choose a key for that host", c.Name, c.Host, host)
	return fault.BadFields("credential.other_host", []fault.Field{{Path: "credential_id", Problem: text}})
}

// speaks refuses what the credential cannot prove itself over.
func (c Credential) speaks(u *url.URL) error {
	key, ssh := c.Type == TypeSSH, u.Scheme == "ssh"
	text := ""
	switch {
	case key && !ssh:
		text = fmt.Sprintf("the repository key %q is an SSH key, but the repository's address begins with %s://; use its ssh:// address, or a key with a user name and token", c.Name, u.Scheme)
	case ssh && !key:
		text = fmt.Sprintf("the repository key %q is no SSH key, but the repository's address is one for SSH; choose an SSH key, or use its https:// address", c.Name)
	default:
		return nil
	}
	return fault.BadFields("credential.other_type", []fault.Field{{Path: "credential_id", Problem: text}})
}

// withPort returns the address's host with its port, the default one included.
func withPort(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Host
	case u.Scheme == "http":
		return u.Host + ":80"
	case u.Scheme == "ssh":
		return u.Host + ":22"
	}
	return u.Host + ":443"
}

// place is where a credential's password is sealed.
func (c Credential) place() seal.Place {
	return seal.Place{Table: "credentials", Row: string(c.ID), Column: "sealed"}
}

// check complains about every bad field of the draft, without showing the password.
func (d CredentialDraft) check() error {
	bad := checkName(d.Name)
	switch d.Type {
	case TypeBasic:
		bad = append(bad, checkLogin(d.Username, d.Password)...)
	case TypeSSH:
		bad = append(bad, d.SSH.check()...)
	case TypeOAuth:
		bad = append(bad, fault.Field{Path: "type", Problem: "oauth keys are made by connecting a Git host; open /api/custom/git-providers/{git_host}/connect in a browser"})
	default:
		bad = append(bad, fault.Field{Path: "type", Problem: `must be "ssh", a private key, or "basic", a user name with a password or access token`})
	}
	if !validBoundHost(d.Host) {
		bad = append(bad, fault.Field{Path: "host", Problem: "the Git host that the key is for, such as git.example.com or git.example.com:3000; without https:// and path"})
	}
	return fault.BadFields("credential.invalid", bad)
}

// checkLogin judges what becomes an HTTP basic authorization.
func checkLogin(username string, password secrets.Value) []fault.Field {
	var bad []fault.Field
	if username == "" || len(username) > maxUsername || !plainText(username) || strings.Contains(username, ":") {
		bad = append(bad, fault.Field{Path: "username", Problem: fmt.Sprintf("1 to %d bytes without colon and control characters; hosts that take a token alone accept any name", maxUsername)})
	}
	if password.Empty() || len(password.Reveal()) > maxPassword || !plainText(password.Reveal()) {
		bad = append(bad, fault.Field{Path: "password", Problem: fmt.Sprintf("the password or access token: 1 to %d bytes without control characters", maxPassword)})
	}
	return bad
}

func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// boundHost returns the form in which a host is kept.
func boundHost(host string) string { return strings.ToLower(strings.TrimSpace(host)) }

// validBoundHost reports whether host is a host name or IP address with an optional port.
func validBoundHost(host string) bool {
	if strings.ContainsFunc(host, unprintable) || strings.ContainsAny(host, "/@?#%") {
		return false
	}
	u, err := url.Parse("https://" + host)
	if err != nil || u.Host != host || !validHost(u.Hostname()) || !validPort(u) {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil || !ip.Is6() || strings.HasPrefix(host, "[")
}
