package ui

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// TokenIssuer makes worker tokens; see fleet.Desk.
type TokenIssuer interface {
	Issue(ctx context.Context, by access.Principal, ask fleet.TokenAsk) (fleet.Issued, error)
}

// workerNewPage asks for a token and, once, shows it.
type workerNewPage struct {
	Trouble string
	Name    input
	Expiry  choice
	Issued  bool
	Command copyable
	Compose copyable
	Joined  workerJoined
}

// copyable is text to be copied whole.
type copyable struct{ ID, Label, Text string }

var workerNewView = newView[workerNewPage]("worker_new.html")

// expiries are how many days a token may wait for its first registration.
var expiries = []int{1, 7, 30}

// NewWorker shows the form that makes a worker token.
func NewWorker() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeNewWorker(w, r, http.StatusOK, newWorkerPage("", 7))
	})
}

// CreateWorkerToken makes a worker token. The answer is the only page that ever shows it, so it is
// no redirect.
func CreateWorkerToken(issuer TokenIssuer, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		days, err := strconv.Atoi(form.Get("expires_in"))
		if err != nil || days < 1 || days > expiries[len(expiries)-1] {
			days = 7
		}
		page := newWorkerPage(strings.TrimSpace(form.Get("name")), days)
		issued, err := issuer.Issue(r.Context(), endpoint.Principal(r.Context()),
			fleet.TokenAsk{Name: string(page.Name.Value), ExpiresIn: time.Duration(days) * 24 * time.Hour})
		if err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			page.Trouble = c.on(&page.Name)
			return writeNewWorker(w, r, c.Status, page)
		}
		page.Issued, page.Joined = true, joinedOf(issued.Token, fleet.Worker{}, now())
		page.Command = copyable{"command", "Command that starts the worker", issued.Command()}
		page.Compose = copyable{"compose", "Compose file that runs the worker", issued.Compose()}
		f := startFrame(r).following(true)
		f.Look = page.Joined.Href
		return workerNewView.write(w, r, http.StatusCreated, f, page)
	})
}

func newWorkerPage(name string, days int) workerNewPage {
	page := workerNewPage{
		Name: input{Name: "name", Label: "What the token is for", Kind: "text", Complete: "off", Value: exact(name), Optional: true, Sample: "rack 4, host 2",
			Hint: "For you. The worker itself says what its host is called."},
		Expiry: choice{Name: "expires_in", Label: "Good for a first registration within", Hint: "Once a worker has registered with it, the token stays good for that worker alone."}}
	for _, n := range expiries {
		word := strconv.Itoa(n) + " days"
		if n == 1 {
			word = "1 day"
		}
		page.Expiry.Options = append(page.Expiry.Options, option{exact(strconv.Itoa(n)), word, n == days})
	}
	return page
}

func writeNewWorker(w http.ResponseWriter, r *http.Request, status int, page workerNewPage) error {
	f := newFrame(r, inWorkers, "Add a worker", crumb{"Workers", "/workers"})
	f.Problem = status >= http.StatusBadRequest
	return workerNewView.write(w, r, status, f, page)
}
