package config

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"berth/core/seal"
)

// shortToken is the length, in characters, below which BOOTSTRAP_TOKEN can be guessed.
const shortToken = 16

// check returns the problems between variables. It stays silent about variables that
// have a problem of their own.
func (s *Server) check(failed map[string]bool) []Problem {
	found := &findings{failed: failed}
	s.checkPorts(found)
	s.checkHub(found)
	if everybody(s.AllowedPrivateIPRanges) {
		found.add("ALLOWED_PRIVATE_IP_RANGES", "allows every address, which would open the whole network behind this server to scanning; list the ranges that you mean")
	}
	for _, app := range s.gitOAuth() {
		app.check(found)
	}
	s.OIDC().check(found)
	found.pair("TLS_CERT_FILE", s.TLSCertFile != "", "TLS_KEY_FILE", s.TLSKeyFile != "")
	if s.SMTPHost != "" && s.SMTPSender == nil {
		found.add("SMTP_SENDER", "is not set, but SMTP_HOST is; give the address that e-mails come from")
	}
	return found.problems
}

// InternalURL is where handlers elsewhere and other hubs reach this hub.
func (s Server) InternalURL() string { return cmp.Or(s.HubURL, "https://"+s.HubListen) }

const hubPlain = "does not begin with https://; a hub speaks HTTPS only, with a key that its callers know from the database"

// checkHub refuses an address that nobody else could reach, or that is not HTTPS.
func (s *Server) checkHub(found *findings) {
	host := strings.Trim(s.HubListen[:max(0, strings.LastIndexByte(s.HubListen, ':'))], "[]")
	switch {
	case s.HubURL != "" && !strings.HasPrefix(s.HubURL, "https://"):
		found.add("HUB_URL", hubPlain)
	case s.HubURL == "" && !s.DatabaseURL.Empty() && everywhere(host):
		found.add("HUB_URL", "is not set, but HUB_LISTEN is on every address; say by which one handlers and other hubs reach this hub, such as https://hub-1.internal:8091")
	}
}

// everywhere reports whether whoever listens on host does so on every address.
func everywhere(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "" || err == nil && address.IsUnspecified()
}

func (s *Server) checkPorts(found *findings) {
	if s.Port != 0 && s.Port == s.TLSWorkerPort {
		found.add("TLS_WORKER_PORT", "is the same as PORT; workers need a port of their own, because it serves nothing else")
	}
	port, err := strconv.Atoi(s.HubListen[strings.LastIndex(s.HubListen, ":")+1:])
	if err == nil && (port == s.Port || port == s.TLSWorkerPort) {
		found.add("HUB_LISTEN", "uses the port of PORT or TLS_WORKER_PORT; the hub needs a port of its own")
	}
}

// warnings returns what is allowed but is hardly meant.
func (s *Server) warnings(failed map[string]bool) []Problem {
	found := findings{failed: failed}
	if sameKey(s.SecretKeyPrevious, s.SecretKey) {
		found.add("SECRET_KEY_PREVIOUS", keyTwice)
	}
	if length := len(s.BootstrapToken.Reveal()); length > 0 && length < shortToken {
		found.add("BOOTSTRAP_TOKEN", "is short enough to be guessed; make one with: openssl rand -hex 32")
	}
	if s.SMTPHost == "" && (s.SMTPUsername != "" || !s.SMTPPassword.Empty() || s.SMTPSender != nil) {
		found.add("SMTP_HOST", "is not set, so no e-mail is sent and the other SMTP variables have no effect")
	}
	if s.SMTPHost != "" && (s.SMTPUsername == "") != s.SMTPPassword.Empty() {
		found.add("SMTP_USERNAME", "and SMTP_PASSWORD are not both set, so nobody logs in at the mail server; set both, or neither")
	}
	s.OIDC().warn(&found)
	if everybody(s.TrustedProxies) {
		found.add("TRUSTED_PROXIES", "trusts every address, so that any client may claim to come from anywhere; list your proxies")
	}
	return found.problems
}

const keyTwice = "is the same key as SECRET_KEY; remove it"

func sameKey(previous, key seal.SecretKey) bool {
	return !previous.IsZero() && previous.CheckValue() == key.CheckValue()
}

// findings collects problems of variables that do not have one already.
type findings struct {
	failed   map[string]bool
	problems []Problem
}

func (f *findings) add(name, reason string) {
	if !f.failed[name] {
		f.problems = append(f.problems, Problem{name, reason})
	}
}

// pair adds a problem when one of two variables is set without the other.
func (f *findings) pair(one string, oneSet bool, other string, otherSet bool) {
	if (oneSet || f.failed[one]) && !otherSet {
		f.add(other, "is not set, but "+one+" is; set both or neither")
	}
	if (otherSet || f.failed[other]) && !oneSet {
		f.add(one, "is not set, but "+other+" is; set both or neither")
	}
}

// everybody reports whether one of the networks holds every address.
func everybody(networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Bits() == 0 })
}
