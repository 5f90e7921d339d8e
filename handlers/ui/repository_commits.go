package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// listedCommits is how many commits their page lists; a mirror holds few more.
const listedCommits = 200

// CommitLister lists the commits that lead to a repository's head, newest first.
type CommitLister interface {
	Commits(ctx context.Context, r repositories.Repository, limit int) ([]core.CommitSummary, error)
}

type commitsPage struct {
	Name    string
	Trouble string
	Lines   []commitLine
	More    bool // there are older ones, or may be
}

var commitsView = newView[commitsPage]("repository_commits.html")

// RepositoryCommits lists the newest commits of what was fetched.
func RepositoryCommits(finder RepositoryFinder, lister CommitLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		page := commitsPage{Name: known.Name}
		commits, err := lister.Commits(r.Context(), known, listedCommits)
		switch {
		case err == nil:
			page.Lines, page.More = commitLines(known, commits, now()), len(commits) == listedCommits
		case expected(err):
			page.Trouble = sentence(fault.PublicOf(err))
		default:
			return err
		}
		f := newFrame(r, inRepositories, "Commits of "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
		return commitsView.write(w, r, http.StatusOK, f, page)
	})
}

func commitLines(known repositories.Repository, commits []core.CommitSummary, now time.Time) []commitLine {
	var lines []commitLine
	for i, c := range commits {
		lines = append(lines, commitLine{Short: c.Commit.Short(), Subject: c.Subject, Author: c.Author, When: at(c.Time, now), Head: i == 0,
			FilesHref: filesHref(known.ID, c.Commit, ""), HostHref: repositories.CommitPage(known.URL, c.Commit)})
	}
	return lines
}
