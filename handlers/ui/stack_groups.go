package ui

import (
	"cmp"
	"net/url"
	"slices"

	"berth/core/stacks"
)

// statusTabs offers all stacks and each status that some stack has.
func statusTabs(counts map[stacks.Status]int, query url.Values) []tab {
	current := stacks.Status(query.Get("status"))
	to := func(status stacks.Status) string {
		q := url.Values{}
		for _, kept := range []string{"q", "group", "order"} {
			if query.Get(kept) != "" {
				q.Set(kept, query.Get(kept))
			}
		}
		if status != "" {
			q.Set("status", string(status))
		}
		return withQuery("/stacks", q)
	}
	all := tab{Word: "All", Href: to(""), Current: current == "", Tone: "idle"}
	tabs := []tab{}
	for _, status := range stacks.Statuses {
		all.Count += counts[status]
		if counts[status] > 0 || current == status {
			b := badgeOf(statusBadges, status)
			tabs = append(tabs, tab{Word: b.Word, Href: to(status), Count: counts[status], Tone: b.Tone, Current: current == status})
		}
	}
	return append([]tab{all}, tabs...)
}

// groupings are what a list of stacks can be grouped by.
var groupings = map[string]func(stackLine) string{
	"repository": func(l stackLine) string { return l.Repository },
	"worker":     func(l stackLine) string { return cmp.Or(l.Worker, "No worker yet") },
	"status":     func(l stackLine) string { return l.Badge.Word },
}

func groupChoice(by string) choice {
	c := choice{Name: "group", Label: "Group by", Options: []option{{"", "nothing", by == ""}}}
	for _, name := range []string{"repository", "worker", "status"} {
		c.Options = append(c.Options, option{exact(name), name, by == name})
	}
	return c
}

func orderChoice(order stacks.Order) choice {
	return choice{Name: "order", Label: "Order by", Options: []option{{"", "urgency", order == stacks.OrderNeed},
		{exact(stacks.OrderName), "name", order == stacks.OrderName}}}
}

// grouped puts lines into groups by name, those by status the worst first; within one they keep their order.
func grouped(lines []stackLine, by string) []stackGroup {
	key, known := groupings[by]
	if !known {
		return []stackGroup{{ID: "group-all", Lines: lines}}
	}
	var groups []stackGroup
	for _, line := range lines {
		name := key(line)
		i := slices.IndexFunc(groups, func(g stackGroup) bool { return g.Name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, stackGroup{Name: name})
		}
		groups[i].Lines = append(groups[i].Lines, line)
	}
	slices.SortFunc(groups, func(a, b stackGroup) int {
		if by == "status" {
			return cmp.Or(cmp.Compare(urgency(a.Lines[0].Badge), urgency(b.Lines[0].Badge)), cmp.Compare(a.Name, b.Name))
		}
		return cmp.Compare(a.Name, b.Name)
	})
	for i := range groups {
		groups[i].ID = "group-" + url.QueryEscape(groups[i].Name)
	}
	return groups
}
