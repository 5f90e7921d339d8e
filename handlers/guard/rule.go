package guard

import "berth/core/access"

// Surface says what kind of client a route is for, and so which credentials it looks at.
type Surface string

// The surfaces.
const (
	API    Surface = "api"    // JSON for programs and scripts: an API key or a browser session
	Page   Surface = "page"   // HTML for people: a browser session; without one they are sent to sign in
	Scrape Surface = "scrape" // for scrapers: an API key and nothing else
	Hook   Surface = "hook"   // called by outside systems that prove themselves in their own way: always Public
	Asset  Surface = "asset"  // styles and scripts, the same for everyone: always Public
	Probe  Surface = "probe"  // health: always Public, answers even under overload
)

// Rule is what Admit needs to know about a route.
type Rule struct {
	Capability access.Capability
	Surface    Surface
	BodyLimit  int64 // bytes; 0: 1 MiB; AnyBody: the handler bounds it by itself
	Streams    bool  // the answer goes on for long: whoever loses the right to it loses it within two seconds
}

// AnyBody as a Rule's BodyLimit leaves the body's size to the handler; it must not come slower than pacePiece in each paceTime.
const AnyBody int64 = -1

// credentialFree reports whether the surface looks at no credential at all.
func (s Surface) credentialFree() bool { return s == Hook || s == Asset || s == Probe }

// Known reports whether s is one of the surfaces.
func (s Surface) Known() bool {
	return s == API || s == Page || s == Scrape || s.credentialFree()
}

// Allows reports whether a route of this surface may demand the capability.
func (s Surface) Allows(c access.Capability) bool { return c == access.Public || !s.credentialFree() }
