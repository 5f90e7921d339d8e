package ui

import (
	"context"
	"net/http"
	"net/url"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryCreator adds repositories; see repositories.Desk.
type RepositoryCreator interface {
	Create(ctx context.Context, draft repositories.Draft, by access.Principal) (repositories.Repository, error)
}

type repositoryNewPage struct {
	Form  repositoryForm
	Stack bool          // a stack is to be made of it: the path goes on there
	Hosts []connectLine // that can be connected; none: nothing is said of it
}

var repositoryNewView = newView[repositoryNewPage]("repository_new.html")

// NewRepository shows the form that adds a repository.
func NewRepository(keys CredentialDesk, hosts GitHostDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := newRepositoryForm(r, keys, repositoryWords{})
		if err != nil {
			return err
		}
		form.URL.Focus = true
		return writeNewRepository(w, r, http.StatusOK, hosts, repositoryNewPage{Form: form, Stack: r.URL.Query().Get("for") == "stack"})
	})
}

// CreateRepository adds a repository, and a key for it where one was typed.
func CreateRepository(desk RepositoryCreator, keys CredentialDesk, hosts GitHostDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		values, err := typed(r)
		if err != nil {
			return err
		}
		said := repositoryWordsOf(values)
		var added repositories.Repository
		err = withKey(r, keys, said, now(), func(key core.CredentialID) error {
			draft := repositories.Draft{Name: said.name, URL: said.url, Branch: said.branch, Tag: said.tag, Semver: said.semver, Credential: key}
			added, err = desk.Create(r.Context(), draft, endpoint.Principal(r.Context()))
			return err
		})
		forStack := values.Get("for") == "stack"
		if err == nil && forStack {
			return seeOther(w, r, withQuery(newStackAt, url.Values{"repository": {string(added.ID)}}))
		}
		if err == nil {
			return seeOther(w, r, saying(repositoryHref(added.ID), "repository-added"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		form, err := newRepositoryForm(r, keys, said)
		if err != nil {
			return err
		}
		form.refuse(c)
		return writeNewRepository(w, r, c.Status, hosts, repositoryNewPage{Form: form, Stack: forStack})
	})
}

func writeNewRepository(w http.ResponseWriter, r *http.Request, status int, hosts GitHostDesk, page repositoryNewPage) error {
	lines, err := connectLines(r, hosts)
	if err != nil {
		return err
	}
	page.Hosts = lines
	f := newFrame(r, inRepositories, "Add a repository", crumb{"Repositories", "/repositories"})
	f.Problem = status != http.StatusOK
	return repositoryNewView.write(w, r, status, f, page)
}
