package ui

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobLister lists jobs by name, with what ran of them.
type JobLister interface {
	Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error)
	// JobCounts returns how many jobs stand how.
	JobCounts(ctx context.Context) (map[jobs.Standing]int, error)
	// JobGroups returns the groups that jobs are in.
	JobGroups(ctx context.Context) ([]string, error)
	// RecentRuns returns the newest runs of each job, at most limit each, newest first; of those that are not the newest of
	// their state only identifiers, state and times.
	RecentRuns(ctx context.Context, ids []core.JobID, limit int) (map[core.JobID][]jobs.Run, error)
}

// jobPageSize is how many jobs one page lists.
const jobPageSize = 50

type jobListPage struct {
	Search     exact
	Standing   exact  // kept while searching, as the one below
	Folder     exact  // as that, too: of which, or below which, jobs are listed; empty: of all
	Below      string // the same as text
	Group      choice
	Repository choice
	Tabs       []tab
	Lines      []jobLine
	Total      int // of all jobs, whatever the filter
	More       string
	LeftOut    []string // names of jobs that are stored and cannot be read
}

type jobLine struct {
	Name, Href string
	Badge      badge
	Why        string // what needs somebody; empty: nothing does
	Repository string
	Folder     string
	Group      string
	Schedule   string
	Paused     bool
	Next       moment // empty: it does not run by itself, or not now
	Last       runLine
	Ran        bool // there is a last run
	Picture    runPicture
}

var jobListView = newView[jobListPage]("job_list.html")

// Jobs lists jobs: searched, filtered by standing, group and repository.
func Jobs(lister JobLister, repositories RepositoryLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		ask, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		standing, err := endpoint.OneOf(query, "standing", jobs.Standings)
		if err != nil {
			return err
		}
		ask.Limit = jobPageSize
		list, err := lister.Jobs(r.Context(), jobs.Filter{Search: query.Get("q"), Standing: standing,
			Group: query.Get("group"), Repository: core.RepositoryID(query.Get("repository")), Folder: query.Get("folder")}, ask)
		if err != nil {
			return err
		}
		page := jobListPage{Search: exact(query.Get("q")), Standing: exact(query.Get("standing")), Folder: exact(query.Get("folder")), Below: query.Get("folder"), More: following(r.URL, list.Next), LeftOut: list.LeftOut}
		if err := page.putFilters(r.Context(), lister, repositories, query); err != nil {
			return err
		}
		recent, err := lister.RecentRuns(r.Context(), idsOf(list.Items), pictureRuns)
		if err != nil {
			return err
		}
		names, busy := newNames(repositories, nil), false
		for _, j := range list.Items {
			line := jobLineOf(j, recent[j.ID], now(), hubIn(r.Context()))
			if line.Repository, err = names.repository(r.Context(), j.Repository); err != nil {
				return err
			}
			page.Lines = append(page.Lines, line)
			busy = busy || line.Last.Badge.Tone == "busy"
		}
		return jobListView.write(w, r, http.StatusOK, newFrame(r, inJobs, "Jobs").following(busy), page)
	})
}

func idsOf(all []jobs.Job) []core.JobID {
	ids := make([]core.JobID, len(all))
	for i, j := range all {
		ids[i] = j.ID
	}
	return ids
}

func jobLineOf(j jobs.Job, newest []jobs.Run, now time.Time, hub hubNotice) jobLine {
	line := jobLine{Name: j.Name, Href: jobHref(j.ID), Badge: badgeOf(standingBadges, j.Standing()), Folder: folderName(j.Path), Group: j.Definition.Group,
		Schedule: scheduleWords(j, timesOf(j, now)), Paused: j.Paused && j.Standing() != jobs.StandingPaused, Picture: pictureOf(newest, now, hub)}
	if line.Badge.Tone == "bad" || line.Badge.Tone == "warn" {
		line.Why = whyJob(j, newest)
	}
	if j.Ready() && !j.Paused {
		line.Next = at(j.NextAt, now)
	}
	if len(newest) > 0 {
		line.Last, line.Ran = runLineOf(newest[0], now, hub), true
	}
	return line
}

// putFilters offers what the list can be narrowed by.
func (p *jobListPage) putFilters(ctx context.Context, lister JobLister, repositories RepositoryLister, query url.Values) error {
	counts, err := lister.JobCounts(ctx)
	if err != nil {
		return err
	}
	p.Tabs, p.Total = standingTabs(counts, query)
	groups, err := lister.JobGroups(ctx)
	if err != nil {
		return err
	}
	p.Group = choice{Name: "group", Label: "Group", Options: []option{{"", "all", query.Get("group") == ""}}}
	for _, name := range groups {
		p.Group.Options = append(p.Group.Options, option{exact(name), name, name == query.Get("group")})
	}
	known, err := repositories.Repositories(ctx, core.Page{Limit: core.MaxPage})
	p.Repository = choice{Name: "repository", Label: "Repository", Options: []option{{"", "all", query.Get("repository") == ""}}}
	for _, r := range known.Items {
		p.Repository.Options = append(p.Repository.Options, option{exact(r.ID), r.Name, string(r.ID) == query.Get("repository")})
	}
	return err
}

// standingTabs offers all jobs and each way in which some job stands, and counts all.
func standingTabs(counts map[jobs.Standing]int, query url.Values) ([]tab, int) {
	current := jobs.Standing(query.Get("standing"))
	to := func(standing jobs.Standing) string {
		q := url.Values{}
		for _, kept := range []string{"q", "group", "repository", "folder"} {
			if query.Get(kept) != "" {
				q.Set(kept, query.Get(kept))
			}
		}
		if standing != "" {
			q.Set("standing", string(standing))
		}
		return withQuery("/jobs", q)
	}
	tabs := []tab{{Word: "All", Href: to(""), Current: current == "", Tone: "idle"}}
	for _, standing := range jobs.Standings {
		tabs[0].Count += counts[standing]
		if counts[standing] > 0 || current == standing {
			b := badgeOf(standingBadges, standing)
			tabs = append(tabs, tab{Word: b.Word, Href: to(standing), Count: counts[standing], Tone: b.Tone, Current: current == standing})
		}
	}
	return tabs, tabs[0].Count
}
