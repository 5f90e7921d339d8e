package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// CommitLister lists the commits that lead to a repository's head, newest first.
type CommitLister interface {
	Commits(ctx context.Context, r repositories.Repository, limit int) ([]core.CommitSummary, error)
}

// CommitAnswer is one commit.
type CommitAnswer struct {
	Commit  core.Commit `json:"commit"` // full hash
	Author  string      `json:"author"`
	Subject string      `json:"subject"` // first line of the message
	Time    time.Time   `json:"time"`
}

// ListCommits answers with the newest commits of what was fetched, at most ?limit= of
// them; there is no next page.
func ListCommits(finder RepositoryFinder, lister CommitLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		repository, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		commits, err := lister.Commits(r.Context(), repository, page.Limit)
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[core.CommitSummary]{Items: commits}, showCommit)
	})
}

func showCommit(c core.CommitSummary) CommitAnswer {
	return CommitAnswer{Commit: c.Commit, Author: c.Author, Subject: c.Subject, Time: c.Time}
}
