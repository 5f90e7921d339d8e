package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"berth/core"
	"berth/core/hubs"
	"berth/handlers/endpoint"
)

// HubLister lists hubs.
type HubLister interface {
	// KnownHubs returns the hubs that are there, oldest first, and after them those that died and are remembered.
	KnownHubs(ctx context.Context) ([]hubs.Known, error)
}

// HubAnswer is a hub as the API shows it.
type HubAnswer struct {
	ID        core.HubID `json:"id"`      // a new one each time that a hub starts
	Name      string     `json:"name"`    // host of its url
	URL       string     `json:"url"`     // HUB_URL: where handlers and other hubs reach it
	Version   string     `json:"version"` // of its program
	Up        bool       `json:"up"`      // false: it died without a word
	Leader    bool       `json:"leader"`  // it looks at repositories and prepares deployments
	Workers   int        `json:"workers"` // whose links it holds; 0 while it is not up, because nobody knows
	StartedAt time.Time  `json:"started_at"`
	SeenAt    time.Time  `json:"seen_at"` // when it last gave the word that it is there; a few seconds ago at most, while it is
}

// ListHubs answers with every hub that is known; none where one server works alone.
func ListHubs(lister HubLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := lister.KnownHubs(r.Context())
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[hubs.Known]{Items: all}, showHub)
	})
}

func showHub(h hubs.Known) HubAnswer {
	answer := HubAnswer{ID: h.ID, URL: h.URL, Version: h.Version, Up: h.Up, Leader: h.Leads, Workers: h.Workers, StartedAt: h.StartedAt, SeenAt: h.HeardAt}
	if u, err := url.Parse(h.URL); err == nil {
		answer.Name = u.Hostname()
	}
	return answer
}
