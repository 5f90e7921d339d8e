package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackLister lists stacks in the order that the filter asks for.
type StackLister interface {
	Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error)
	// StackCounts returns how many stacks have each status.
	StackCounts(ctx context.Context) (map[stacks.Status]int, error)
}

// StackNamer lists stacks, and tells what is named beside them.
type StackNamer interface {
	StackLister
	NameTeller
}

// stackPageSize is how many stacks one page lists.
const stackPageSize = 50

type stackListPage struct {
	Search   exact
	Status   exact    // kept while searching
	Choices  []choice // how they are grouped and ordered
	ByWorker bool     // each group is of a worker, which its lines need not name
	Tabs     []tab
	Groups   []stackGroup
	Total    int         // of all stacks, whatever the filter
	Found    int         // on this page
	Kept     []keptField // the filter, for what is done to all that fit it
	More     string
	// names of stacks that are stored and cannot be read
	LeftOut []string
}

// tab is a filter that is one click away.
type tab struct {
	Word, Href string
	Count      int
	Tone       string
	Current    bool
	Operate    bool // is for operators
}

type stackGroup struct {
	ID    string // in the page
	Name  string // empty: not grouped
	Lines []stackLine
}

type stackLine struct {
	ID         string
	Name, Href string
	Badge      badge
	Why        string
	Repository string
	Folder     string
	Worker     string
	Away       bool // its worker is offline
	Unheard    bool // or nobody knows whether it is
	Commit     string
	Revision   int
	Flags      []string // what its status does not say
	Manual     bool     // automatic sync is off
	Checked    moment
}

var stackListView = newView[stackListPage]("stack_list.html")

// Stacks lists stacks: those first that need somebody unless it is to be by name; searched, filtered by status, grouped.
func Stacks(lister StackNamer, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		ask, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		filter, err := stackFilterIn(query)
		if err != nil {
			return err
		}
		ask.Limit = stackPageSize
		list, err := lister.Stacks(r.Context(), filter, ask)
		if err != nil {
			return err
		}
		counts, err := lister.StackCounts(r.Context())
		if err != nil {
			return err
		}
		names, err := namesIn(r.Context(), lister, list.Items)
		if err != nil {
			return err
		}
		lines, err := stackLines(r.Context(), list.Items, names, now)
		if err != nil {
			return err
		}
		page := stackListPage{Search: exact(query.Get("q")), Status: exact(query.Get("status")), Tabs: statusTabs(counts, query), Found: len(lines),
			Choices: []choice{groupChoice(query.Get("group")), orderChoice(filter.Order)}, ByWorker: query.Get("group") == "worker", Groups: grouped(lines, query.Get("group")), More: following(r.URL, list.Next), LeftOut: list.LeftOut}
		page.Kept = keptFilter(query)
		for _, n := range counts {
			page.Total += n
		}
		busy := counts[stacks.StatusSyncing]+counts[stacks.StatusPending] > 0
		return stackListView.write(w, r, http.StatusOK, newFrame(r, inStacks, "Stacks").following(busy), page)
	})
}

// stackFilterIn reads which stacks an address asks for, and in which order.
func stackFilterIn(q url.Values) (stacks.Filter, error) {
	status, err := endpoint.OneOf(q, "status", stacks.Statuses)
	if err != nil {
		return stacks.Filter{}, err
	}
	order, err := endpoint.OneOf(q, "order", stacks.Orders)
	return stacks.Filter{Search: q.Get("q"), Status: status, Worker: core.WorkerID(q.Get("worker")), Repository: core.RepositoryID(q.Get("repository")),
		Order: cmp.Or(order, stacks.OrderNeed)}, err
}

// namesIn finds what the repositories and workers of stacks are called.
func namesIn(ctx context.Context, teller NameTeller, all []stacks.Stack) (*names, error) {
	var from []core.RepositoryID
	var on []core.WorkerID
	for _, s := range all {
		from, on = append(from, s.Repository), append(on, s.Worker)
	}
	names := newNames(nil, nil)
	if err := names.learnRepositories(ctx, teller, from); err != nil {
		return nil, err
	}
	return names, names.learnWorkers(ctx, teller, on)
}

func stackLines(ctx context.Context, all []stacks.Stack, names *names, now core.Clock) ([]stackLine, error) {
	lines := make([]stackLine, len(all))
	for i, s := range all {
		repository, err := names.repository(ctx, s.Repository)
		if err != nil {
			return nil, err
		}
		worker, err := names.worker(ctx, s.Worker)
		if err != nil {
			return nil, err
		}
		lines[i] = stackLine{ID: string(s.ID), Name: s.Name, Href: stackHref(s.ID), Badge: stackBadge(s), Why: inBrief(s.Error), Repository: repository, Folder: folderName(s.Path),
			Worker: worker.Name, Away: worker.Away, Unheard: worker.Unheard, Commit: s.Commit.Short(), Revision: s.Revision, Flags: flagsOf(s), Manual: !s.AutoSync,
			Checked: at(s.UpdatedAt, now())}
	}
	return lines, nil
}

// flagsOf says what a stack's status does not.
func flagsOf(s stacks.Stack) []string {
	var flags []string
	for _, flag := range []struct {
		on   bool
		word string
	}{
		{s.OutOfSync && s.Status != stacks.StatusNew, "newer commit waits"}, {s.Drifted, "drifted"},
		{s.Quarantine.Tree != "", "commit in quarantine"}, {s.Paused && s.Status != stacks.StatusPaused, "paused"},
	} {
		if flag.on {
			flags = append(flags, flag.word)
		}
	}
	return flags
}

// stackBadge is the badge of a stack's status, or that it is going.
func stackBadge(s stacks.Stack) badge {
	if s.Deleting {
		return badge{"busy", "ring", "Going"}
	}
	return badgeOf(statusBadges, s.Status)
}

// briefBadge is stackBadge of a stack of which less is known.
func briefBadge(s stacks.Brief) badge {
	return stackBadge(stacks.Stack{Status: s.Status, Deleting: s.Deleting})
}

// folderName names a folder of a repository for people.
func folderName(path string) string { return cmp.Or(path, "/") }
