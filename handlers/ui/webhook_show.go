package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// WebhookReader tells of a repository's webhook; see repositories.Hooks.
type WebhookReader interface {
	Webhook(ctx context.Context, id core.RepositoryID) (repositories.Webhook, error)
	Deliveries(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[repositories.Delivery], error)
}

// WebhookDesk also changes it.
type WebhookDesk interface {
	WebhookReader
	NewSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, secrets.Value, error)
	DropPreviousSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error)
	TurnOff(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error)
	Replay(ctx context.Context, repository core.RepositoryID, id core.DeliveryID, by access.Principal) (repositories.Delivery, error)
}

const shownDeliveries = 50

type webhookPage struct {
	Name, Href string
	Address    copyable
	Local      bool // the address is of this very machine, so that no Git host elsewhere reaches it
	Secrets    []secretLine
	Issued     bool // a secret was just made; this is the only page that shows it
	Secret     copyable
	Last       moment // delivery that asked for a look
	Missed     moment // a commit that no delivery told of
	Refused    moment
	Guides     []guide
	Deliveries []deliveryLine
	NextHref   string
}

type secretLine struct {
	Made   moment
	By     string
	DropAt string // where it is dropped; empty: it is the newest
}

// guide is what is to be done at one kind of Git host.
type guide struct {
	Host  string
	Open  bool
	Steps []string
	Call  copyable // for a shell; without text: there is none
}

type deliveryLine struct {
	When       moment
	Badge      badge
	Provider   string
	Event      string
	Commit     string
	Reason     string
	Outcome    string
	Repeated   int
	ReplayHref string
}

var webhookView = newView[webhookPage]("webhook_show.html")

var deliveryBadges = map[repositories.DeliveryResult]badge{
	repositories.DeliveryAccepted:   {"ok", "check", "Accepted"},
	repositories.DeliveryIgnored:    {"idle", "skip", "Ignored"},
	repositories.DeliveryUnreadable: {"bad", "cross", "Unreadable"},
}

var providerNames = map[repositories.Provider]string{repositories.ProviderGitHub: "GitHub", repositories.ProviderGitLab: "GitLab",
	repositories.ProviderGitea: "Gitea or Forgejo", repositories.ProviderBitbucket: "Bitbucket", repositories.ProviderGeneric: "A script"}

// Webhook shows how a repository is told of pushes, what to do for that at its Git host, and what came.
func Webhook(desk WebhookReader, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := desk.Webhook(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeWebhook(w, r, http.StatusOK, desk, newWebhookPage(known, app, now()), known, now())
	})
}

func newWebhookPage(known repositories.Webhook, app string, now time.Time) webhookPage {
	id := known.Repository.ID
	address := app + "/api/custom/webhooks/" + string(id)
	page := webhookPage{Name: known.Repository.Name, Href: repositoryHref(id) + "/webhook", Address: copyable{"hook-url", "address of the webhook", address}, Local: local(app),
		Last: at(known.Repository.HookedAt, now), Refused: at(known.RefusedAt, now), Guides: guidesFor(known.Repository.URL, address)}
	if known.Repository.HookedAt.After(known.RefusedAt) {
		page.Refused = moment{} // it was put right since
	}
	if known.Repository.Unannounced() {
		page.Missed = at(known.Repository.UnannouncedAt, now)
	}
	for i, s := range known.Secrets {
		line := secretLine{Made: at(s.MadeAt, now), By: s.MadeBy}
		if i > 0 {
			line.DropAt = page.Href + "/secret/previous/delete"
		}
		page.Secrets = append(page.Secrets, line)
	}
	return page
}

// local reports whether an address is of this very machine alone.
func local(app string) bool {
	u, err := url.Parse(app)
	return err == nil && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1")
}

func writeWebhook(w http.ResponseWriter, r *http.Request, status int, desk WebhookReader, page webhookPage, known repositories.Webhook, now time.Time) error {
	list, err := desk.Deliveries(r.Context(), known.Repository.ID, core.Page{After: r.URL.Query().Get("after"), Limit: shownDeliveries})
	if err != nil {
		return err
	}
	for _, d := range list.Items {
		page.Deliveries = append(page.Deliveries, deliveryOf(d, page.Href, now))
	}
	if list.Next != "" {
		page.NextHref = withQuery(page.Href, url.Values{"after": {list.Next}})
	}
	f := newFrame(r, inRepositories, "Webhook of "+page.Name, crumb{"Repositories", "/repositories"}, crumb{page.Name, repositoryHref(known.Repository.ID)})
	return webhookView.write(w, r, status, f, page)
}

func deliveryOf(d repositories.Delivery, href string, now time.Time) deliveryLine {
	line := deliveryLine{When: at(d.ReceivedAt, now), Badge: deliveryBadges[d.Result], Provider: providerNames[d.Provider], Event: d.Event, Reason: d.Reason, Outcome: d.Outcome,
		Repeated: d.Repeats, ReplayHref: href + "/deliveries/" + string(d.ID) + "/replay"}
	if d.Commit != "" {
		line.Commit = d.Commit.Short()
	}
	if d.Result == repositories.DeliveryAccepted && d.LookedAt.IsZero() {
		line.Outcome = "waits for the look"
	}
	return line
}
