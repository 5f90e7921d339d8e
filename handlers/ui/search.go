package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// SearchReader finds stacks and jobs by name.
type SearchReader interface {
	Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error)
	Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error)
}

// hitsOfKind is how many of one kind are shown; who looks for more has a list that pages.
// hitsForActs is up to how many stacks, or jobs, come with what can be done to each.
const (
	hitsOfKind  = 8
	hitsForActs = 3
)

// searchPages is how many pages of repositories are read at most: their list has no search of its own.
const searchPages = 20

type searchPage struct {
	Search exact
	Words  string // the same as text
	Hits   []hit
	More   []nameLink // lists that hold more than is shown
}

// hit is one place to go to, or one thing to do.
type hit struct {
	Name, Kind, Icon string
	Detail           string
	Href             string
	Does             bool // Href is where a form that asks nothing is sent to
}

var searchView = newView[searchPage]("search.html")

// Search finds pages, stacks, jobs, repositories and workers by name, and what the one who looks
// may do: the command palette shows the same list. "sync shop" and "run backup" find the act alone.
func Search(reader SearchReader, listed RepositoryLister, workers WorkerLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		f := newFrame(r, inNothing, "Search")
		asked := r.URL.Query().Get("q")
		s := search{ctx: r.Context(), may: f.May, page: searchPage{Search: exact(asked), Words: strings.TrimSpace(asked)}}
		s.verb, s.name = verbOf(asked)
		s.places(f.Nav)
		if err := s.things(reader, listed, workers); err != nil {
			return err
		}
		return searchView.write(w, r, http.StatusOK, f, s.page)
	})
}

// search gathers what one search finds.
type search struct {
	ctx  context.Context
	may  may
	verb string // sync or run; empty: everything is looked for
	name string
	page searchPage
}

// verbOf parts "sync shop" into what is to be done and to what.
func verbOf(asked string) (verb, name string) {
	words := strings.Fields(asked)
	if len(words) > 1 {
		if first := strings.ToLower(words[0]); first == "sync" || first == "run" {
			return first, strings.Join(words[1:], " ")
		}
	}
	return "", strings.Join(words, " ")
}

func (s *search) add(h hit) { s.page.Hits = append(s.page.Hits, h) }

// fits reports whether each word that is looked for is within the text.
func (s *search) fits(text string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(s.page.Words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// places adds the pages of the menu and what can be begun. A role without a page is offered none.
func (s *search) places(menu []navGroup) {
	for _, group := range menu {
		for _, item := range group.Items {
			if s.fits(item.Word) {
				s.add(hit{Name: item.Word, Kind: "Page", Icon: item.Icon, Href: item.Href})
			}
		}
	}
	for _, place := range searchPlaces {
		if (!place.operate || s.may.Operate) && (!place.administer || s.may.Administer) && s.fits(place.Name) {
			s.add(place.hit)
		}
	}
}

var searchPlaces = []struct {
	operate, administer bool
	hit
}{
	{operate: true, hit: hit{Name: "Add a stack", Kind: "Action", Icon: "plus", Href: newStackAt}},
	{operate: true, hit: hit{Name: "Add a job", Kind: "Action", Icon: "plus", Href: "/jobs/new"}},
	{operate: true, hit: hit{Name: "Add a repository", Kind: "Action", Icon: "plus", Href: "/repositories/new"}},
	{administer: true, hit: hit{Name: "Add a worker", Kind: "Action", Icon: "plus", Href: "/workers/new"}},
	{hit: hit{Name: "Deployments", Kind: "Page", Icon: "clock", Href: "/deployments"}},
	{hit: hit{Name: "Your profile: password, second factor, sessions", Kind: "Page", Icon: "people", Href: "/profile"}},
	{hit: hit{Name: "Design of these pages: type, colour, states, parts", Kind: "Page", Icon: "overview", Href: "/design"}},
}

// things adds what has a name that somebody gave it. Without a name there is nothing to find.
func (s *search) things(reader SearchReader, listed RepositoryLister, workers WorkerLister) error {
	if s.name == "" {
		return nil
	}
	if err := s.stacks(reader); err != nil {
		return err
	}
	if err := s.jobs(reader); err != nil {
		return err
	}
	if s.verb == "run" {
		return nil
	}
	err := s.byName(core.MaxPage, func(ask core.Page) (hits []named, next string, err error) {
		list, err := listed.Repositories(s.ctx, ask)
		for _, r := range list.Items {
			hits = append(hits, named{r.Name, func() { s.repository(r) }})
		}
		return hits, list.Next, err
	}, nameLink{"All repositories", "/repositories"})
	if err != nil || s.verb != "" {
		return err
	}
	return s.byName(hitsOfKind+1, func(ask core.Page) (hits []named, next string, err error) {
		list, err := workers.Workers(s.ctx, fleet.Filter{Search: s.name}, ask)
		for _, w := range list.Items {
			hits = append(hits, named{w.Label(), func() {
				s.add(hit{Name: w.Label(), Kind: "Worker", Icon: "server", Detail: workerBadge(w).Word, Href: workerHref(w.ID)})
			}})
		}
		return hits, list.Next, err
	}, nameLink{"All workers", "/workers"})
}

func (s *search) stacks(reader SearchReader) error {
	if s.verb == "run" {
		return nil
	}
	list, err := reader.Stacks(s.ctx, stacks.Filter{Search: s.name}, core.Page{Limit: hitsOfKind})
	if err != nil {
		return err
	}
	for _, found := range list.Items {
		if s.verb == "" {
			s.add(hit{Name: found.Name, Kind: "Stack", Icon: "stacks", Detail: stackBadge(found).Word, Href: stackHref(found.ID)})
		}
		if s.may.Operate && !found.Deleting && (s.verb == "sync" || len(list.Items) <= hitsForActs) {
			s.add(hit{Name: "Sync " + found.Name, Kind: "Action", Icon: "sync", Detail: "Deploys the newest commit", Href: stackHref(found.ID) + "/sync", Does: true})
		}
	}
	s.more(list.Next, "All stacks named so", string(inStacks))
	return nil
}

func (s *search) jobs(reader SearchReader) error {
	if s.verb == "sync" {
		return nil
	}
	list, err := reader.Jobs(s.ctx, jobs.Filter{Search: s.name}, core.Page{Limit: hitsOfKind})
	if err != nil {
		return err
	}
	for _, found := range list.Items {
		if s.verb == "" {
			s.add(hit{Name: found.Name, Kind: "Job", Icon: "calendar", Detail: badgeOf(standingBadges, found.Standing()).Word, Href: jobHref(found.ID)})
		}
		if s.may.Operate && found.Ready() && (s.verb == "run" || len(list.Items) <= hitsForActs) {
			s.add(hit{Name: "Run " + found.Name, Kind: "Action", Icon: "play", Detail: "Asks before it runs", Href: jobHref(found.ID) + "/run"})
		}
	}
	s.more(list.Next, "All jobs named so", string(inJobs))
	return nil
}

func (s *search) repository(r repositories.Repository) {
	if s.verb == "" {
		s.add(hit{Name: r.Name, Kind: "Repository", Icon: "branch", Detail: repositoryBadge(r).Word, Href: repositoryHref(r.ID)})
		return
	}
	if s.may.Operate {
		s.add(hit{Name: "Sync " + r.Name, Kind: "Action", Icon: "sync", Detail: "Reads the repository now", Href: repositoryHref(r.ID) + "/sync", Does: true})
	}
}

// named is something with a name, and what adds it to what was found.
type named struct {
	name string
	add  func()
}

// byName adds those of a list whose name holds what is looked for, until there are enough.
func (s *search) byName(limit int, list func(core.Page) ([]named, string, error), all nameLink) error {
	ask, found := core.Page{Limit: limit}, 0
	for range searchPages {
		items, next, err := list(ask)
		if err != nil {
			return err
		}
		for _, item := range items {
			if !strings.Contains(strings.ToLower(item.name), strings.ToLower(s.name)) {
				continue
			}
			if found++; found > hitsOfKind {
				s.page.More = append(s.page.More, all)
				return nil
			}
			item.add()
		}
		if next == "" {
			return nil
		}
		ask.After = next
	}
	s.page.More = append(s.page.More, all)
	return nil
}

// more links to a list that can be searched, when it holds more than is shown.
func (s *search) more(next, word, path string) {
	if next != "" {
		s.page.More = append(s.page.More, nameLink{word, withQuery(path, map[string][]string{"q": {s.name}})})
	}
}
