package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"berth/core/access"
	"berth/handlers/endpoint"
)

type errorPage struct {
	Status    int
	What      string // the headline
	Why       string
	Next      string // what to do about it
	Links     []nameLink
	RequestID string
	SignOut   bool // offer to sign in as somebody else
}

var errorView = newView[errorPage]("error.html")

// needOperator are the codes of what does not pass by itself.
var needOperator = []string{"credential.unreadable", "key.check_missing", "key.wrong", "repository.key_unreadable", "revision.storage", "store.address", "store.broken",
	"store.damaged", "store.disk_full", "store.older", "store.open", "store.unsuitable"}

// ErrorPage shows a problem to a browser: what, why, the next step, and the number under which the
// server's log has it.
func ErrorPage(w http.ResponseWriter, r *http.Request, p endpoint.Problem) {
	page := errorPage{Status: p.Status, What: headline(p.Status), Why: p.Detail, RequestID: p.RequestID, Links: []nameLink{{"Go to the overview", "/"}}}
	switch p.Status {
	case http.StatusForbidden:
		page.SignOut = true
	case http.StatusInternalServerError:
		page.Next = "Try again. If it stays, look for the request number below in the server's log."
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		page.Next = "Wait a moment, then load the page again."
		if slices.Contains(needOperator, p.Code) {
			page.What, page.Next = "The server cannot do this as it is", "Waiting alone does not help: whoever runs this server has to put that right. Its log has more, under the request number below."
		}
	}
	if strings.HasPrefix(p.Code, "git_provider.") && endpoint.Principal(r.Context()).Can(access.Operate) {
		page.Links = append([]nameLink{{"Add a repository", "/repositories/new"}, {"Repository keys", "/repository-keys"}}, page.Links...)
	}
	if p.Status == http.StatusUnauthorized {
		page.What, page.Links = "You are not signed in here", []nameLink{{"Sign in", "/login"}}
	}
	if back := cameFrom(r); back != "" {
		page.Links = append([]nameLink{{"Go back", back}}, page.Links...)
	}
	f := newFrame(r, inNothing, page.What)
	if !endpoint.Principal(r.Context()).Can(access.View) {
		f.Nav = nil
	}
	if err := errorView.write(w, r, p.Status, f, page); err != nil {
		http.Error(w, p.Title, p.Status)
	}
}

// cameFrom is the page of ours with the form that led here; empty when there is none.
func cameFrom(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if r.Method != http.MethodPost || err != nil || from.Host != r.Host || from.Path == r.URL.Path {
		return ""
	}
	return endpoint.LocalPath(from.Path)
}

// headline says in people's words what a status means.
func headline(status int) string {
	switch status {
	case http.StatusNotFound:
		return "There is nothing here"
	case http.StatusForbidden:
		return "You may not do this"
	case http.StatusMethodNotAllowed:
		return "This address is not for that"
	case http.StatusConflict:
		return "That is not possible now"
	case http.StatusTooManyRequests:
		return "That was too fast"
	case http.StatusServiceUnavailable:
		return "Something that is needed is away"
	case http.StatusInternalServerError:
		return "Something went wrong on our side"
	}
	return "The request was not accepted"
}
