package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// SecretsEncrypter encrypts values for a repository's key and keeps nothing of them.
type SecretsEncrypter interface {
	Encrypt(ctx context.Context, id core.RepositoryID, values map[string]secrets.Value) ([]byte, error)
}

type repositorySecretsPage struct {
	Name, Href string
	PublicKey  copyable
	File       string // name of the file
	Trouble    string
	Text       input
}

var repositorySecretsView = newView[repositorySecretsPage]("repository_secrets.html")

// RepositorySecrets shows a form that makes a secrets file for download.
func RepositorySecrets(finder RepositoryFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeRepositorySecrets(w, r, http.StatusOK, known, "", newSecretsText())
	})
}

// BuildSecretsFile answers with a secrets file of what was typed. Nothing of it is kept, and nothing of it
// is sent back when something is wrong.
func BuildSecretsFile(finder RepositoryFinder, encrypter SecretsEncrypter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		var content []byte
		values, err := secretsIn(lines(form.Get("text")))
		if err == nil {
			content, err = encrypter.Encrypt(r.Context(), known.ID, values)
		}
		if err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			c.when(w)
			text := newSecretsText()
			trouble := c.on(&text)
			return writeRepositorySecrets(w, r, c.Status, known, trouble, text)
		}
		w.Header().Set("Content-Type", "application/yaml")
		w.Header().Set("Content-Disposition", `attachment; filename="`+repositories.SecretsFile+`"`)
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(content) // a browser that has gone needs no file
		return nil
	})
}

// ageKeyOf shows a repository's public age key; its text is empty when it has none yet.
func ageKeyOf(known repositories.Repository) copyable {
	return copyable{ID: "age-key", Label: "public age key", Text: known.AgePublicKey}
}

// secretsIn reads .env text. A name stands in it once.
func secretsIn(text string) (map[string]secrets.Value, error) {
	assignments, err := variables.ParseDotenv(text)
	if err != nil {
		return nil, err
	}
	values := make(map[string]secrets.Value, len(assignments))
	var bad []fault.Field
	for _, a := range assignments {
		if _, twice := values[a.Name]; twice {
			bad = append(bad, fault.Field{Path: "text", Problem: a.Name + " is there twice"})
		}
		values[a.Name] = secrets.NewValue(a.Value)
	}
	return values, fault.BadFields("sops.invalid", bad)
}

func newSecretsText() input {
	return input{Name: "text", Label: "Names and values", Kind: "area", Mono: true, Complete: "off", Sample: "DATABASE_PASSWORD='…'",
		Hint: "One NAME=value a line. A value of several lines stands in single quotes. Nothing of it is kept."}
}

func writeRepositorySecrets(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, trouble string, text input) error {
	f := newFrame(r, inRepositories, "Encrypt secrets for "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositorySecretsView.write(w, r, status, f, repositorySecretsPage{Name: known.Name, Href: repositoryHref(known.ID), PublicKey: ageKeyOf(known),
		File: repositories.SecretsFile, Trouble: trouble, Text: text})
}
