package ui

import "net/url"

// stateTabs offers all that a page lists, and what is in one of these states. Which page of the list was asked for
// counts for none of them.
func stateTabs[S ~string](at *url.URL, states []S, badges map[S]badge) []tab {
	current := S(at.Query().Get("state"))
	to := func(state S) string {
		query := at.Query()
		query.Del("after")
		query.Del("state")
		if state != "" {
			query.Set("state", string(state))
		}
		return withQuery(at.Path, query)
	}
	tabs := []tab{{Word: "All", Href: to(""), Current: current == ""}}
	for _, state := range states {
		tabs = append(tabs, tab{Word: badgeOf(badges, state).Word, Href: to(state), Current: current == state})
	}
	return tabs
}
