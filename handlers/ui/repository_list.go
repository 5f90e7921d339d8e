package ui

import (
	"net/http"
	"time"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

type repositoryListPage struct {
	Lines []repositoryLine
	More  string
}

type repositoryLine struct {
	Name, Href string
	Badge      badge
	Trouble    string
	Address    string
	Follows    string // what is deployed: a branch, a tag or a range of versions
	Under      string // branch or tag that the head was found under; empty: not known
	Head       string
	Fetched    moment
	SyncHref   string
}

var repositoryListView = newView[repositoryListPage]("repository_list.html")

// Repositories lists repositories by name, each with what the last look at it found.
func Repositories(lister RepositoryLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Repositories(r.Context(), ask)
		if err != nil {
			return err
		}
		page, busy := repositoryListPage{More: following(r.URL, list.Next)}, false
		for _, known := range list.Items {
			page.Lines = append(page.Lines, repositoryOf(known, now()))
			busy = busy || beingRead(known)
		}
		return repositoryListView.write(w, r, http.StatusOK, newFrame(r, inRepositories, "Repositories").following(busy), page)
	})
}

func repositoryHref(id core.RepositoryID) string { return "/repositories/" + string(id) }

func repositoryOf(r repositories.Repository, now time.Time) repositoryLine {
	return repositoryLine{Name: r.Name, Href: repositoryHref(r.ID), Badge: repositoryBadge(r), Trouble: sentence(r.Error), Address: r.URL,
		Follows: r.Follows(), Under: repositories.ShortRef(r.Ref), Head: r.Head.Short(), Fetched: at(r.FetchedAt, now), SyncHref: repositoryHref(r.ID) + "/sync"}
}

// beingRead reports whether the hub has still to look at a repository.
func beingRead(r repositories.Repository) bool {
	return !r.AskedAt.IsZero() || r.Head == "" && r.Error == ""
}

func repositoryBadge(r repositories.Repository) badge {
	switch {
	case r.Error != "":
		return badge{"bad", "cross", "Cannot be read"}
	case beingRead(r):
		return badge{"busy", "ring", "Being read"}
	}
	return badge{"ok", "check", "Up to date"}
}
