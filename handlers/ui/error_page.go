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
	Beside    nameLink // what opens in a tab of its own, so that this one keeps what was typed
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
	page := errorPage{Status: p.Status, What: headline(p.Status), Why: p.Detail, RequestID: p.RequestID, Next: nextStep(p.Status), Links: []nameLink{homeOf(r)}}
	switch p.Status {
	case http.StatusForbidden:
		page.SignOut = true
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if slices.Contains(needOperator, p.Code) {
			page.What, page.Next = "The server cannot do this as it is", "Waiting alone does not help: whoever runs this server has to put that right. Its log has more, under the request number below."
		}
	}
	if strings.HasPrefix(p.Code, "git_provider.") && endpoint.Principal(r.Context()).Can(access.Operate) {
		page.Links = append([]nameLink{{"Add a repository", "/repositories/new"}, {"Repository keys", "/repository-keys"}}, page.Links...)
	}
	switch {
	case p.Status == http.StatusUnauthorized && r.Method == http.MethodPost:
		page.What, page.Links, page.Beside = "You are not signed in any more", nil, nameLink{"Sign in in another tab", "/login?next=%2Fprofile"}
		page.Why = "Nothing was changed, and what you typed is still here."
		page.Next = "Sign in in another tab. Then come back to this one, load it again, and let the browser send the form once more."
	case p.Status == http.StatusUnauthorized:
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

// homeOf leads to the first page of those that the reader may see.
func homeOf(r *http.Request) nameLink {
	if p := endpoint.Principal(r.Context()); p.Kind == access.KindUser && !p.Can(access.View) {
		return nameLink{"Go to your profile", "/profile"}
	}
	return nameLink{"Go to the overview", "/"}
}

// nextStep says what helps against a problem of this status.
func nextStep(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "Sign in, then open the page again."
	case http.StatusForbidden:
		return "Ask an administrator to do it or to give you a role that may, or sign in as somebody who has one."
	case http.StatusNotFound:
		return "It may have been removed, or the address is not whole. Look for it in the lists."
	case http.StatusMethodNotAllowed:
		return "Open the page itself and use what it offers."
	case http.StatusConflict:
		return "Go back and load the page again: it shows how things are now, and what is possible."
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "Wait a moment, then load the page again."
	}
	if status >= http.StatusInternalServerError {
		return "Try again. If it stays, look for the request number below in the server's log."
	}
	return "Go back, correct what was sent, and send it again."
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
