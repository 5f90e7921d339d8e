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

// RepositoryEditor edits repositories, asks for a look at them and removes them; see
// repositories.Desk.
type RepositoryEditor interface {
	RepositoryFinder
	Update(ctx context.Context, id core.RepositoryID, c repositories.Change, by access.Principal) (repositories.Repository, error)
	RequestSync(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Repository, error)
	Delete(ctx context.Context, id core.RepositoryID, by access.Principal) error
}

type repositorySettingsPage struct {
	Name, Href string
	Form       repositoryForm
}

var repositorySettingsView = newView[repositorySettingsPage]("repository_settings.html")

// RepositorySettings shows a repository to be edited.
func RepositorySettings(finder RepositoryFinder, keys CredentialDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		form, err := newRepositoryForm(r, keys, repositoryWords{url: known.URL, name: known.Name, branch: known.Branch, tag: known.Tag, semver: known.Semver, key: string(known.Credential)})
		if err != nil {
			return err
		}
		return writeRepositorySettings(w, r, http.StatusOK, known, form)
	})
}

// ChangeRepository saves what was typed about a repository.
func ChangeRepository(desk RepositoryEditor, keys CredentialDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		values, err := typed(r)
		if err != nil {
			return err
		}
		known, err := desk.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		said := repositoryWordsOf(values)
		err = withKey(r, keys, said, now(), func(key core.CredentialID) error {
			change := repositories.Change{Name: &said.name, URL: &said.url, Branch: &said.branch, Tag: &said.tag, Semver: &said.semver, Credential: &key}
			_, err := desk.Update(r.Context(), known.ID, change, endpoint.Principal(r.Context()))
			return err
		})
		if err == nil {
			return seeOther(w, r, saying(repositoryHref(known.ID), "repository-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.CodeOf(err) == "repository.not_found" {
			return err
		}
		form, err := newRepositoryForm(r, keys, said)
		if err != nil {
			return err
		}
		form.refuse(c)
		return writeRepositorySettings(w, r, c.Status, known, form)
	})
}

func writeRepositorySettings(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, form repositoryForm) error {
	f := newFrame(r, inRepositories, "Settings of "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositorySettingsView.write(w, r, status, f, repositorySettingsPage{Name: known.Name, Href: repositoryHref(known.ID), Form: form})
}
