package ui

import (
	"berth/core"
)

// searchSamples are the search page, as the command palette reads it.
func searchSamples() map[string]sample {
	found := searchPage{Search: "sho", Words: "sho", More: []nameLink{{"All stacks named so", "/stacks?q=sho"}}, Hits: []hit{
		{Name: "shop", Kind: "Stack", Icon: "stacks", Detail: "Healthy", Href: stackHref(core.StackID("stk_1"))},
		{Name: "Sync shop", Kind: "Action", Icon: "sync", Detail: "Deploys the newest commit", Href: "/stacks/stk_1/sync", Does: true},
		{Name: "shop-backup", Kind: "Job", Icon: "calendar", Href: "/jobs/job_1"},
	}}
	return map[string]sample{
		"design":         of(designView, framed(inNothing, "Design"), newDesignPage(sampleNow)),
		"search":         of(searchView, framed(inNothing, "Search"), found),
		"search-nothing": of(searchView, framed(inNothing, "Search"), searchPage{Search: "zzz", Words: "zzz"}),
	}
}
