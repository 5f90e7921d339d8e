package ui

import (
	"net/http"
	"net/url"

	"berth/core"
	"berth/handlers/endpoint"
)

// find returns the first item of a short list that is the wanted one; false when none is. All
// pages of the list are read if need be.
func find[T any](list func(core.Page) (core.List[T], error), is func(T) bool) (item T, found bool, err error) {
	ask := core.Page{Limit: core.MaxPage}
	for {
		page, err := list(ask)
		if err != nil {
			return item, false, err
		}
		for _, candidate := range page.Items {
			if is(candidate) {
				return candidate, true, nil
			}
		}
		if page.Next == "" {
			return item, false, nil
		}
		ask.After = page.Next
	}
}

// mostLines is how many lines of a list one page has at most: more take long to send and to lay out, and nobody reads them.
// Programs ask the API.
const mostLines = 100

// partOf reads which part of a list a page is asked for.
func partOf(r *http.Request) (core.Page, error) {
	ask, err := endpoint.PageOf(r)
	ask.Limit = min(ask.Limit, mostLines)
	return ask, err
}

// withQuery joins a path and a query.
func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// following is the address of the next page of a list; empty after the last.
func following(u *url.URL, next string) string {
	if next == "" {
		return ""
	}
	q := u.Query()
	q.Set("after", next)
	q.Del("said")
	return withQuery(u.Path, q)
}
