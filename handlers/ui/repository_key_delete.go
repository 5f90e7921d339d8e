package ui

import (
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

type repositoryKeyDeletePage struct {
	Name, Href string
	UsedBy     []nameLink // that lose it
}

var repositoryKeyDeleteView = newView[repositoryKeyDeletePage]("repository_key_delete.html")

// ConfirmDeleteKey asks whether a key is to be removed, and tells which repositories cannot be read then.
func ConfirmDeleteKey(keys CredentialDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.CredentialID(r.PathValue("id"))
		list := func(p core.Page) (core.List[repositories.Credential], error) { return keys.Credentials(r.Context(), p) }
		key, found, err := find(list, func(c repositories.Credential) bool { return c.ID == id })
		if err != nil {
			return err
		}
		if !found {
			return fault.New(fault.NotFound, "credential.not_found", "There is no such repository key.")
		}
		page := repositoryKeyDeletePage{Name: key.Name, Href: "/repository-keys/" + string(key.ID) + "/delete"}
		for _, use := range key.UsedBy {
			page.UsedBy = append(page.UsedBy, useOf(use))
		}
		f := newFrame(r, inRepositories, "Remove "+key.Name, crumb{"Repositories", "/repositories"}, crumb{"Repository keys", "/repository-keys"})
		return repositoryKeyDeleteView.write(w, r, http.StatusOK, f, page)
	})
}
