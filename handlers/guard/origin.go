package guard

import (
	"net/http"
	"net/url"
	"slices"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

// Where front ends under development are served: on these ports, under either name of this very machine.
var (
	developmentPorts = []string{"3000", "5173"}
	thisMachine      = []string{"localhost", "127.0.0.1"}
)

// allowedOrigins are APP_URL's and, when that is on this very machine, the development ports.
func allowedOrigins(app *url.URL) []string {
	origins := []string{app.Scheme + "://" + app.Host}
	if slices.Contains(thisMachine, app.Hostname()) {
		for _, host := range thisMachine {
			for _, port := range developmentPorts {
				origins = append(origins, "http://"+host+":"+port)
			}
		}
	}
	return slices.Compact(origins)
}

// cors lets scripts of the allowed origins read answers, and nobody else's.
func (g *Guard) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if !g.origins[origin] {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, "+endpoint.LimitHeader+", "+endpoint.AwayHeader)
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		h.Set("Access-Control-Allow-Headers", "Content-Type, X-Service-Api-Key")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	})
}

var errCrossOrigin = fault.New(fault.Forbidden, "request.cross_origin",
	"A page of another site caused this request, so it was refused. Open Berth under the address in APP_URL and try again there.")

// foreignStream reports whether a script of another site opens r, a stream: it could not read what comes, but whether
// and when something comes says something already, and each holds a place. A person who follows a link is none.
func (g *Guard) foreignStream(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return false
	}
	asChange := *r // the protection lets every GET pass
	asChange.Method = http.MethodPost
	return g.cross.Check(&asChange) != nil
}
