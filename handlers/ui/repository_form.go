package ui

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// CredentialDesk keeps repository keys; see repositories.Desk.
type CredentialDesk interface {
	CreateCredential(ctx context.Context, draft repositories.CredentialDraft, by access.Principal) (repositories.Credential, error)
	Credentials(ctx context.Context, p core.Page) (core.List[repositories.Credential], error)
	DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error
}

// repositoryForm is what people say about a repository, when they add one and later.
type repositoryForm struct {
	Trouble  string
	URL      input
	Name     input
	Branch   input
	Tag      input
	Semver   input
	Key      choice
	Username input
	Password input
}

// newKey is the answer of the key field that makes a new one.
const newKey = "new"

// repositoryWords is what was typed or is stored.
type repositoryWords struct {
	url, name, branch, tag, semver, key, username string
	password                                      secrets.Value
}

func repositoryWordsOf(form url.Values) repositoryWords {
	said := repositoryWords{url: strings.TrimSpace(form.Get("url")), name: strings.TrimSpace(form.Get("name")), branch: strings.TrimSpace(form.Get("branch")),
		tag: strings.TrimSpace(form.Get("tag")), semver: strings.TrimSpace(form.Get("semver")),
		key: form.Get("credential_id"), username: strings.TrimSpace(form.Get("username")), password: secrets.NewValue(form.Get("password"))}
	if said.key == "" && (said.username != "" || !said.password.Empty()) {
		said.key = newKey // they typed one, whatever the choice says
	}
	if said.name == "" {
		said.name = nameOfAddress(said.url)
	}
	return said
}

// nameOfAddress is the last part of a repository's address.
func nameOfAddress(address string) string {
	if normal, err := repositories.Address(address); err == nil {
		address = normal
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := strings.TrimSuffix(path.Base(u.Path), ".git")
	if name == "." || name == "/" {
		return ""
	}
	return name
}

func newRepositoryForm(r *http.Request, keys CredentialDesk, said repositoryWords) (repositoryForm, error) {
	list, err := keys.Credentials(r.Context(), core.Page{Limit: core.MaxPage})
	if err != nil {
		return repositoryForm{}, err
	}
	f := repositoryForm{
		URL: input{Name: "url", Label: "Address", Kind: "text", Complete: "off", Mono: true, Value: exact(said.url), Sample: "https://git.example.com/team/apps.git",
			Hint: "Where git clones it from: https, http or ssh, without password. Over SSH it needs an SSH key, which is made under Repository keys."},
		Name:   input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: exact(said.name), Optional: true, Hint: "Empty: the last part of the address."},
		Branch: input{Name: "branch", Label: "Branch", Kind: "text", Complete: "off", Mono: true, Value: exact(said.branch), Optional: true, Sample: "main", Hint: "Empty: the repository's default branch."},
		Tag:    input{Name: "tag", Label: "Or a tag", Kind: "text", Complete: "off", Mono: true, Value: exact(said.tag), Optional: true, Sample: "live", Hint: "Deployed in place of a branch, also when it is moved."},
		Semver: input{Name: "semver", Label: "Or the highest version in", Kind: "text", Complete: "off", Mono: true, Value: exact(said.semver), Optional: true, Sample: "^1.2",
			Hint: "A range such as ^1.2, ~1.4, 1.x or >=1 <3: the highest tag in it is deployed. Pre-releases count when the range names one."},
		Key: choice{Name: "credential_id", Label: "Access", Options: []option{{"", "Public: no key needed", said.key == ""}, {newKey, "New key: user name and password below", said.key == newKey}},
			Hint: "A key is kept sealed, and sent to the host of this address only."},
		Username: input{Name: "username", Label: "User name", Kind: "text", Complete: "off", Value: exact(said.username), Optional: true, Hint: "With an access token most hosts take any name."},
		Password: input{Name: "password", Label: "Password or access token", Kind: "password", Complete: "off", Optional: true},
	}
	for _, key := range list.Items {
		f.Key.Options = append(f.Key.Options, option{exact(key.ID), key.Name + " for " + key.Host, said.key == string(key.ID)})
	}
	return f, nil
}

// refuse puts what is wrong into the form.
func (f *repositoryForm) refuse(c complaints) {
	f.Key.Problem = c.about("credential_id")
	f.Trouble = c.on(&f.URL, &f.Name, &f.Branch, &f.Tag, &f.Semver, &f.Username, &f.Password)
}

// withKey does what needs the key that was chosen, making a new one first where that was asked
// for. A new key does not outlive a failure of what it was made for.
func withKey(r *http.Request, keys CredentialDesk, said repositoryWords, now time.Time, do func(core.CredentialID) error) error {
	if said.key != newKey {
		return do(core.CredentialID(said.key))
	}
	address, err := repositories.Address(said.url)
	if err != nil || repositories.OverSSH(address) {
		return do("") // which complains about the address, and about all else with it
	}
	by := endpoint.Principal(r.Context())
	key, err := keys.CreateCredential(r.Context(), repositories.CredentialDraft{Name: keyName(said.name, now), Type: repositories.TypeBasic, Host: hostOf(address),
		Username: said.username, Password: said.password}, by)
	if err != nil {
		return err
	}
	if err := do(key.ID); err != nil {
		// The key is not used by anything, so this fails only where everything does.
		_ = keys.DeleteCredential(context.WithoutCancel(r.Context()), key.ID, by)
		return err
	}
	return nil
}

// keyName names a key after the repository that it was made for and the time, so that a
// repository's next key gets another.
func keyName(repository string, now time.Time) string {
	return strings.ToValidUTF8(repository[:min(len(repository), 60)], "") + now.UTC().Format(" 2006-01-02 15:04:05")
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
