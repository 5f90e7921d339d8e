package ui

import (
	"net/url"

	"berth/core/fleet"
)

// tagLink is a tag that leads to all workers with it.
type tagLink struct{ Word, Href string }

func tagLinks(tags []string) []tagLink {
	links := make([]tagLink, len(tags))
	for i, tag := range tags {
		links[i] = tagLink{tag, withQuery("/workers", url.Values{"tag": {tag}})}
	}
	return links
}

// workerFilter is what the address asks for: ?q= a part of the host name, ?tag= a tag, and ?online= those that are there
// or not. Those that are revoked are in lists without the last alone.
func workerFilter(at *url.URL) (fleet.Filter, []tab) {
	query := at.Query()
	to := func(online string) string {
		query := at.Query()
		query.Del("after")
		query.Del("online")
		if online != "" {
			query.Set("online", online)
		}
		return withQuery("/workers", query)
	}
	f, online := fleet.Filter{Tag: query.Get("tag"), Search: query.Get("q")}, query.Get("online")
	tabs := []tab{{Word: "All", Href: to("")}, {Word: "Online", Href: to("true"), Current: online == "true"}, {Word: "Not online", Href: to("false"), Current: online == "false"}}
	if tabs[0].Current = !tabs[1].Current && !tabs[2].Current; !tabs[0].Current {
		no, is := false, online == "true"
		f.Online, f.Revoked = &is, &no
	}
	return f, tabs
}

// withoutTag is the address of the same list whatever tags its workers have.
func withoutTag(at *url.URL) string {
	query := at.Query()
	query.Del("after")
	query.Del("tag")
	return withQuery("/workers", query)
}
