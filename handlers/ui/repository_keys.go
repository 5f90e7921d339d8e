package ui

import (
	"net/http"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

type repositoryKeysPage struct {
	Trouble string
	Lines   []keyLine
	More    string
}

type keyLine struct {
	Name, Href, Host, Username string // an SSH key has no user name, and says what it is instead
	Connected                  string // who connected it, and as whom; empty: it was typed
	Cuts                       bool   // it is removed while repositories use it
	DeleteHref                 string
	Made                       moment
	UsedBy                     []nameLink
}

// nameLink is the name of something with its address.
type nameLink struct{ Name, Href string }

var repositoryKeysView = newView[repositoryKeysPage]("repository_keys.html")

// RepositoryKeys lists repository keys, each with the repositories that are read with it.
func RepositoryKeys(keys CredentialDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeKeys(w, r, http.StatusOK, keys, "", now)
	})
}

// DeleteRepositoryKey removes a key that no repository uses.
func DeleteRepositoryKey(keys CredentialDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		err := keys.DeleteCredential(r.Context(), core.CredentialID(r.PathValue("id")), endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/repository-keys", "repository-key"))
		}
		if c, ours := complain(r, err); ours {
			return writeKeys(w, r, c.Status, keys, c.general(), now)
		}
		return err
	})
}

func writeKeys(w http.ResponseWriter, r *http.Request, status int, keys CredentialDesk, trouble string, now core.Clock) error {
	ask, err := partOf(r)
	if err != nil {
		return err
	}
	list, err := keys.Credentials(r.Context(), ask)
	if err != nil {
		return err
	}
	page := repositoryKeysPage{Trouble: trouble, More: following(r.URL, list.Next)}
	for _, key := range list.Items {
		line := keyLine{Name: key.Name, Host: key.Host, Username: key.Username, DeleteHref: "/repository-keys/" + string(key.ID) + "/delete", Made: at(key.CreatedAt, now())}
		line.Href = keyHref(key.ID)
		switch key.Type {
		case repositories.TypeSSH:
			line.Username = "SSH key"
		case repositories.TypeOAuth:
			line.Username, line.Connected, line.Cuts = key.Account, key.ConnectedBy, len(key.UsedBy) > 0
		}
		for _, use := range key.UsedBy {
			line.UsedBy = append(line.UsedBy, useOf(use))
		}
		page.Lines = append(page.Lines, line)
	}
	f := newFrame(r, inRepositories, "Repository keys", crumb{"Repositories", "/repositories"})
	return repositoryKeysView.write(w, r, status, f, page)
}

func useOf(use repositories.Use) nameLink { return nameLink{use.Name, repositoryHref(use.ID)} }
