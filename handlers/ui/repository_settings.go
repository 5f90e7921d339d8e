package ui

import (
	"context"
	"net/http"
	"net/url"

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
	Statuses   choice
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
		return writeRepositorySettings(w, r, http.StatusOK, known, form, statusChoice(known.Statuses))
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
			change := repositories.Change{Statuses: statusesOf(values), Name: &said.name, URL: &said.url, Branch: &said.branch, Tag: &said.tag, Semver: &said.semver, Credential: &key}
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
		statuses := statusChoice(known.Statuses)
		if said := statusesOf(values); said != nil {
			statuses = statusChoice(*said)
		}
		statuses.Problem = c.about(statuses.Name)
		form.refuse(c)
		return writeRepositorySettings(w, r, c.Status, known, form, statuses)
	})
}

func writeRepositorySettings(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, form repositoryForm, statuses choice) error {
	f := newFrame(r, inRepositories, "Settings of "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositorySettingsView.write(w, r, status, f, repositorySettingsPage{Name: known.Name, Href: repositoryHref(known.ID), Form: form, Statuses: statuses})
}

// statusesOff is the answer that turns commit statuses off: an empty one would say nothing.
const statusesOff = "off"

// statusesOf is what a form says of commit statuses; nil: nothing.
func statusesOf(form url.Values) *repositories.StatusHost {
	if !form.Has("commit_statuses") {
		return nil
	}
	host := repositories.StatusHost(form.Get("commit_statuses"))
	if host == statusesOff {
		host = repositories.StatusesOff
	}
	return &host
}

func statusChoice(now repositories.StatusHost) choice {
	return choice{Name: "commit_statuses", Label: "Commit statuses", Hint: "Writes to each commit at the Git host whether it is deployed, with the repository's key: its token has to allow that.", Options: []option{
		{statusesOff, "Are not written", now == repositories.StatusesOff},
		{exact(repositories.StatusesGitHub), "As GitHub takes them", now == repositories.StatusesGitHub},
		{exact(repositories.StatusesGitea), "As Gitea and Forgejo take them", now == repositories.StatusesGitea},
		{exact(repositories.StatusesGitLab), "As GitLab takes them", now == repositories.StatusesGitLab}}}
}
