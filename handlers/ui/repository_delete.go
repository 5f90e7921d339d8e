package ui

import (
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

type repositoryDeletePage struct {
	Name, Href string
	Trouble    string
}

var repositoryDeleteView = newView[repositoryDeletePage]("repository_delete.html")

// ConfirmDeleteRepository asks whether a repository is to be removed.
func ConfirmDeleteRepository(finder RepositoryFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeRepositoryDelete(w, r, http.StatusOK, known, "")
	})
}

// DeleteRepository removes a repository that no stack and no job uses.
func DeleteRepository(desk RepositoryEditor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := desk.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		err = desk.Delete(r.Context(), known.ID, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/repositories", "repository-gone"))
		}
		if c, ours := complain(r, err); ours && fault.Is(err, fault.Conflict) {
			return writeRepositoryDelete(w, r, c.Status, known, c.general())
		}
		return err
	})
}

func writeRepositoryDelete(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, trouble string) error {
	f := newFrame(r, inRepositories, "Remove "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositoryDeleteView.write(w, r, status, f, repositoryDeletePage{known.Name, repositoryHref(known.ID), trouble})
}
