package access

import "net/netip"

// PrincipalKind says what kind of principal asks.
type PrincipalKind string

// The kinds of principals.
const (
	KindAnonymous      PrincipalKind = "anonymous"
	KindUser           PrincipalKind = "user"
	KindServiceAccount PrincipalKind = "service_account"
	KindWorker         PrincipalKind = "worker"
	KindWebhook        PrincipalKind = "webhook"
	KindSystem         PrincipalKind = "system"
)

// Principal is who asks for something, proven by a session, an API key, a worker's key,
// or by being this program.
type Principal struct {
	Kind      PrincipalKind
	ID        string // usr_…, sva_…, wrk_…; empty for anonymous, webhook and system
	Name      string // e-mail, account name, host name: what the audit shows
	Role      Role   // empty for anonymous, worker, webhook and system
	Key       string // key_…: the API key that proved it; empty: none did
	Session   string // session id when a browser session proved it, else empty
	Address   string // remote IP address, for audit and limits
	MustEnrol bool   // may do nothing but what is about oneself, until a second factor is set up
	Agent     string // what the program that asks calls itself: for people to tell their sessions apart, and proof of nothing
}

// Anonymous is the principal of a request without credentials.
func Anonymous(address string) Principal {
	return Principal{Kind: KindAnonymous, Name: "anonymous", Address: address}
}

// System is the principal of what Berth does by itself.
var System = Principal{Kind: KindSystem, Name: "system"}

// Webhook is the principal of a push that a Git host told of.
var Webhook = Principal{Kind: KindWebhook, Name: "webhook"}

// Can reports whether p may do what c stands for. The system may do anything.
func (p Principal) Can(c Capability) bool { return p.Kind == KindSystem || p.Role.Can(c) }

// Network returns what is counted as one address: an IPv6 subscriber has a whole /64.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Is4() {
		return address
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
