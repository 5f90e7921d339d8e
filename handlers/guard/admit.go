package guard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/patience"
	"berth/handlers/endpoint"
)

var (
	errBusy = fault.New(fault.Unavailable, "server.busy",
		"The server is handling as many requests as it can. Try again in a moment.").After(time.Second)
	errNoCredential = fault.New(fault.Unauthenticated, "auth.required",
		"This needs a credential: sign in, or send an API key in the X-Service-Api-Key header.")
	errMustEnrol = fault.New(fault.Forbidden, "auth.second_factor_required",
		"Administrators of this server have to have a second factor. Set one up under your profile; until then you can do nothing else.")
	errNoKey = fault.New(fault.Unauthenticated, "auth.key_required",
		"This needs the API key of a service account in the X-Service-Api-Key header. A scraper that can send an Authorization header only sends the whole line in it: Bearer X-Service-Api-Key: <key>. A browser session does not count here.")
)

// EnrolPath is the page where a second factor is set up.
const EnrolPath = "/profile/second-factor"

// Admit wraps the handler of one route so that it sees only requests that its rule permits.
func (g *Guard) Admit(rule Rule, next http.Handler) http.Handler {
	checked := endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		r, err := g.judge(patience.With(r.Context(), patience.Short), rule, r)
		if err == nil {
			g.serve(rule, next, w, r)
			return nil
		}
		if rule.Surface == Page && fault.Is(err, fault.Unauthenticated) && !typedIn(r) {
			http.Redirect(w, r, signInPath(r), http.StatusSeeOther)
			return nil
		}
		if rule.Surface == Page && errors.Is(err, errMustEnrol) {
			http.Redirect(w, r, EnrolPath, http.StatusSeeOther)
			return nil
		}
		return err
	})
	if rule.Surface == Probe {
		return checked
	}
	return g.measure(rule, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slots := g.slots
		if rule.Streams || r.URL.Query().Has("wait") {
			slots = g.waiting
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			checked.ServeHTTP(w, r)
		default:
			endpoint.Fail(w, r, errBusy)
		}
	}))
}

// judge finds out who asks and whether they may. The request that it returns carries the
// principal, on ctx.
func (g *Guard) judge(ctx context.Context, rule Rule, r *http.Request) (*http.Request, error) {
	if rule.Streams && g.foreignStream(r) {
		return r, errCrossOrigin
	}
	p, err := g.identify(ctx, rule, r)
	if err != nil {
		p = endpoint.Principal(ctx) // a bad credential counts against its address
	}
	if err := errors.Join(g.pace(rule, p), err); err != nil {
		return r, err
	}
	err = authorise(rule, p)
	if fault.Is(err, fault.Forbidden) && g.cfg.Refusals != nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		g.cfg.Refusals.NoteOf(ctx, p.Audit("request.send", meantBy(r), fmt.Sprintf("%s: the role %q does not permit it", r.Pattern, p.Role)), r.Pattern)
	}
	return r.WithContext(endpoint.WithPrincipal(ctx, p)), err
}

// meantBy is the identifier of the thing that a request is about; empty where it is about none. What only stands in its place
// is not written down: it is whatever somebody liked to send.
func meantBy(r *http.Request) string {
	if id := r.PathValue("id"); core.IsID(id) {
		return id
	}
	return ""
}

// pace counts the request against its principal, or its address where nobody is known.
func (g *Guard) pace(rule Rule, p access.Principal) error {
	if rule.Surface == Probe {
		return nil
	}
	key := p.ID
	if key == "" {
		key = p.Address
	}
	if wait := g.rates.Take(key); wait > 0 {
		return fault.New(fault.TooMany, "request.too_many", "Too many requests in a short time. Slow down and try again.").After(wait)
	}
	return nil
}

func authorise(rule Rule, p access.Principal) error {
	switch {
	case p.MustEnrol && rule.Capability != access.Public && rule.Capability != access.SignedIn:
		return errMustEnrol
	case p.Can(rule.Capability):
		return nil
	case p.Kind == access.KindAnonymous && rule.Surface == Scrape:
		return errNoKey
	case p.Kind == access.KindAnonymous:
		return errNoCredential
	}
	return fault.New(fault.Forbidden, "auth.forbidden",
		"The role %q does not permit this. Ask an administrator for a role that may %s.", p.Role, mayWords[rule.Capability])
}

// mayWords says for people what a capability lets somebody do.
var mayWords = map[access.Capability]string{
	access.Metrics: "read metrics, as monitoring, operator and admin do", access.View: "see stacks, jobs and workers, as viewer, operator and admin do",
	access.Operate: "deploy and edit, as operator and admin do", access.Administer: "change settings and users, as admin alone does",
}

// typedIn reports whether r is a form with what somebody typed. It is answered in its place, so that the browser can send it
// once more after signing in elsewhere; sending the browser on would lose it.
func typedIn(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path != "/logout" }

// signInPath is where a person without session is sent, and back from there when they
// were reading.
func signInPath(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.Path == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}
