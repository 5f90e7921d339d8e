package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// KeyRotator gives repositories new age keys.
type KeyRotator interface {
	RepositoryFinder
	RotateKey(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Repository, error)
}

type repositoryRotatePage struct {
	Name, Href string
	PublicKey  string
	Trouble    string
}

var repositoryRotateView = newView[repositoryRotatePage]("repository_rotate.html")

// ConfirmRotateKey asks whether a repository's age key is to be replaced, and says what that destroys.
func ConfirmRotateKey(finder RepositoryFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeRepositoryRotate(w, r, http.StatusOK, known, "")
	})
}

// RotateKey replaces a repository's age key.
func RotateKey(desk KeyRotator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := desk.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		_, err = desk.RotateKey(r.Context(), known.ID, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(repositoryHref(known.ID), "key-rotated"))
		}
		if c, ours := complain(r, err); ours && fault.Is(err, fault.Conflict) {
			return writeRepositoryRotate(w, r, c.Status, known, c.general())
		}
		return err
	})
}

func writeRepositoryRotate(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, trouble string) error {
	f := newFrame(r, inRepositories, "Replace the age key of "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositoryRotateView.write(w, r, status, f, repositoryRotatePage{known.Name, repositoryHref(known.ID), known.AgePublicKey, trouble})
}
