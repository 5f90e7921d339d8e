package guard

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/pace"
	"berth/handlers/endpoint"
)

// Doorkeeper turns a credential into whoever it belongs to. A credential that is not
// good, or no longer, is a fault of kind Unauthenticated; every other error means that it
// could not be judged.
type Doorkeeper interface {
	// BySession judges the value of the session cookie.
	BySession(ctx context.Context, value string) (access.Principal, error)
	// ByAPIKey judges the text of an API key that was sent from an address.
	ByAPIKey(ctx context.Context, text, address string) (access.Principal, error)
}

// Refusals notes what people and programs tried that their role does not permit.
type Refusals interface {
	// NoteOf notes e at the pace of what was asked for, whatever it was asked of.
	NoteOf(ctx context.Context, e access.AuditEvent, asked string)
}

// Config is what a Guard needs; every field without a default in its comment is required.
type Config struct {
	AppURL         *url.URL       // scheme and host of the server as browsers see it
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed; none: nobody's
	Doorkeeper     Doorkeeper
	Log            *slog.Logger
	ErrorPage      endpoint.ErrorPage // nil: browsers get problem+json
	Limits         Limits             // zero: DefaultLimits
	Clock          core.Clock         // nil: time.Now
	Meter          Meter              // nil: nothing is counted
	Refusals       Refusals           // nil: nothing is noted
	Room           int                // bytes of an answer's body, where the host sends answers whole; 0: it sends them as they come
}

// Limits bound what is let in.
type Limits struct {
	InFlight int       // requests at once, beyond which 503
	Waiting  int       // of those that stream or wait for something, apart from the others; 0: as InFlight
	Rate     pace.Rule // requests of one principal, or one address without credential, beyond which 429
}

// DefaultLimits are far above what people and well-behaved programs need.
var DefaultLimits = Limits{InFlight: 512, Waiting: 512, Rate: pace.Rule{Burst: 400, Every: 5 * time.Millisecond}}

// maxPrincipals is how many principals and addresses are counted apart.
const maxPrincipals = 10_000

// Guard stands before all handlers. Everything in it is set once.
type Guard struct {
	cfg      Config
	reporter *endpoint.Reporter
	origins  map[string]bool // that CORS and cross-origin protection let pass
	cross    *http.CrossOriginProtection
	slots    chan struct{} // one per request in flight that is answered at once
	waiting  chan struct{} // one per request that streams or waits: many of those must not shut the others out
	rates    *pace.Buckets
}

// New returns a Guard. It fails when APP_URL is no origin.
func New(cfg Config) (*Guard, error) {
	if cfg.Limits == (Limits{}) {
		cfg.Limits = DefaultLimits
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Meter == nil {
		cfg.Meter = noMeter{}
	}
	g := &Guard{
		cfg:      cfg,
		reporter: &endpoint.Reporter{Log: cfg.Log, Page: cfg.ErrorPage},
		origins:  map[string]bool{},
		cross:    http.NewCrossOriginProtection(),
		slots:    make(chan struct{}, cfg.Limits.InFlight),
		waiting:  make(chan struct{}, cmp.Or(cfg.Limits.Waiting, cfg.Limits.InFlight)),
		rates:    pace.New(cfg.Limits.Rate, maxPrincipals, cfg.Clock),
	}
	for _, origin := range allowedOrigins(cfg.AppURL) {
		if err := g.cross.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("APP_URL: %w", err)
		}
		g.origins[origin] = true
	}
	g.cross.SetDenyHandler(endpoint.Handle(func(http.ResponseWriter, *http.Request) error { return errCrossOrigin }))
	return g, nil
}

// secure reports whether browsers reach the server over TLS.
func (g *Guard) secure() bool { return g.cfg.AppURL.Scheme == "https" }
