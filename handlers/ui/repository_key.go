package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// KeyKeeper keeps and tries repository keys; see repositories.Desk.
type KeyKeeper interface {
	CredentialDesk
	Credential(ctx context.Context, id core.CredentialID) (repositories.Credential, error)
	UpdateCredential(ctx context.Context, id core.CredentialID, c repositories.CredentialChange, by access.Principal) (repositories.Credential, error)
	TryOut(ctx context.Context, t repositories.Trial) error
}

// keyForm is what people say about a repository key.
type keyForm struct {
	Trouble    string
	Name       input
	Kind       choice
	Host       input
	PrivateKey input
	Passphrase input
	Username   input
	Password   input
}

// The answers of the field that says what a key is, or where its other secret comes from.
const (
	keyMade   = "made"   // an SSH key that is made here
	keyPasted = "pasted" // an SSH key that was pasted
	keyBasic  = "basic"  // user name and password
	keyStays  = ""       // an edit leaves the secret
)

func newKeyForm(name, kind, host, username string) keyForm {
	return keyForm{
		Name: input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: exact(name)},
		Kind: choice{Name: "kind", Label: "What it is", Options: []option{{keyMade, "SSH key, made here", kind == keyMade}, {keyPasted, "SSH key, pasted below", kind == keyPasted}, {keyBasic, "User name and password or access token", kind == keyBasic}},
			Hint: "Of a key that is made here only the public half ever leaves: you add it at the Git host."},
		Host: input{Name: "host", Label: "Git host", Kind: "text", Complete: "off", Mono: true, Value: exact(host), Sample: "git.example.com", Hint: "With its port if that is not the usual one. The key is never sent to another."},
		PrivateKey: input{Name: "private_key", Label: "Private key", Kind: "area", Mono: true, Optional: true, Sample: "-----BEGIN OPENSSH PRIVATE KEY-----",
			Hint: "OpenSSH's form or PEM: ed25519, ecdsa, or rsa from 2048 bits. It is kept sealed and never shown."},
		Passphrase: input{Name: "passphrase", Label: "Passphrase of the private key", Kind: "password", Complete: "off", Optional: true, Hint: "It opens the key once, and is not kept."},
		Username:   input{Name: "username", Label: "User name", Kind: "text", Complete: "off", Value: exact(username), Optional: true, Hint: "With an access token most hosts take any name."},
		Password:   input{Name: "password", Label: "Password or access token", Kind: "password", Complete: "off", Optional: true},
	}
}

// refuse puts what is wrong into the form.
func (f *keyForm) refuse(c complaints) {
	f.Kind.Problem = strings.TrimSpace(c.about("type") + " " + c.about("generate"))
	f.Trouble = c.on(&f.Name, &f.Host, &f.PrivateKey, &f.Passphrase, &f.Username, &f.Password)
}

// sshSecretOf reads where an SSH key is to come from.
func sshSecretOf(form url.Values) repositories.SSHSecret {
	switch form.Get("kind") {
	case keyMade:
		return repositories.SSHSecret{Generate: true}
	case keyPasted:
		return repositories.SSHSecret{Private: secrets.NewValue(lines(form.Get("private_key"))), Passphrase: secrets.NewValue(form.Get("passphrase"))}
	}
	return repositories.SSHSecret{}
}

type keyNewPage struct{ Form keyForm }

var keyNewView = newView[keyNewPage]("repository_key_new.html")

// NewRepositoryKey shows the form that adds a key.
func NewRepositoryKey() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form := newKeyForm("", keyMade, "", "")
		form.Name.Focus = true
		return writeNewKey(w, r, http.StatusOK, form)
	})
}

// CreateRepositoryKey adds a key and shows it.
func CreateRepositoryKey(keys KeyKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		draft := repositories.CredentialDraft{Name: form.Get("name"), Type: repositories.TypeSSH, Host: form.Get("host"), SSH: sshSecretOf(form)}
		if form.Get("kind") == keyBasic {
			draft.Type, draft.Username, draft.Password = repositories.TypeBasic, strings.TrimSpace(form.Get("username")), secrets.NewValue(form.Get("password"))
		}
		made, err := keys.CreateCredential(r.Context(), draft, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(keyHref(made.ID), "repository-key-added"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		again := newKeyForm(draft.Name, form.Get("kind"), draft.Host, form.Get("username"))
		again.refuse(c)
		return writeNewKey(w, r, c.Status, again)
	})
}

func writeNewKey(w http.ResponseWriter, r *http.Request, status int, form keyForm) error {
	f := newFrame(r, inRepositories, "Add a repository key", crumb{"Repositories", "/repositories"}, crumb{"Repository keys", "/repository-keys"})
	f.Problem = status != http.StatusOK
	return keyNewView.write(w, r, status, f, keyNewPage{form})
}

func keyHref(id core.CredentialID) string { return "/repository-keys/" + string(id) }

type keyPage struct {
	Name, Href, Host string
	Kind             string // for people
	SSH, Basic       bool
	Public           copyable
	Username         string
	Made, Changed    moment
	Form             keyForm
	URL              input
	Tried            note // how a test ended; no text: there was none
}

var keyView = newView[keyPage]("repository_key.html")

// RepositoryKey shows one key: its public half, to be tried and to be replaced.
func RepositoryKey(keys KeyKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		c, err := keys.Credential(r.Context(), core.CredentialID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return writeKey(w, r, http.StatusOK, newKeyPage(c, now))
	})
}

// ChangeRepositoryKey saves a key's name, and its other secret where one was given.
func ChangeRepositoryKey(keys KeyKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		known, err := keys.Credential(r.Context(), core.CredentialID(r.PathValue("id")))
		if err != nil {
			return err
		}
		change := repositories.CredentialChange{Name: new(form.Get("name"))}
		if known.Type == repositories.TypeSSH {
			change.SSH = sshSecretOf(form)
		} else if known.Type == repositories.TypeBasic {
			change.Username, change.Password = new(strings.TrimSpace(form.Get("username"))), secrets.NewValue(form.Get("password"))
		}
		if _, err = keys.UpdateCredential(r.Context(), known.ID, change, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(keyHref(known.ID), "repository-key-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.CodeOf(err) == "credential.not_found" {
			return err
		}
		page := newKeyPage(known, now)
		page.Form.Name.Value, page.Form.Username.Value = exact(form.Get("name")), exact(form.Get("username"))
		page.Form.Kind.choose(form.Get("kind"))
		page.Form.refuse(c)
		return writeKey(w, r, c.Status, page)
	})
}

// TestRepositoryKey asks a Git host whether a repository can be read with a key. That it refuses is what was asked
// for, so the page is answered as any other.
func TestRepositoryKey(keys KeyKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		known, err := keys.Credential(r.Context(), core.CredentialID(r.PathValue("id")))
		if err != nil {
			return err
		}
		page, status := newKeyPage(known, now), http.StatusOK
		page.URL.Value = exact(form.Get("url"))
		if err := keys.TryOut(r.Context(), repositories.Trial{URL: form.Get("url"), Credential: known.ID}); err == nil {
			page.Tried = note{"ok", "check", "It works: the repository can be read with this key."}
		} else {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			page.Tried = note{"bad", "cross", "The test failed: " + sentence(fault.PublicOf(err))}
			if c.Status == http.StatusServiceUnavailable && fault.CodeOf(err) == "hub.away" {
				status = c.Status
				c.when(w)
			}
		}
		return writeKey(w, r, status, page)
	})
}

func newKeyPage(c repositories.Credential, now core.Clock) keyPage {
	p := keyPage{Name: c.Name, Href: keyHref(c.ID), Host: c.Host, Kind: "User name and password or token", Username: c.Username, Basic: c.Type == repositories.TypeBasic, Made: at(c.CreatedAt, now()), Changed: at(c.ChangedAt, now()),
		Form: newKeyForm(c.Name, keyStays, c.Host, c.Username),
		URL:  input{Name: "url", Label: "Address of a repository", Kind: "text", Complete: "off", Mono: true, Sample: "https://" + c.Host + "/team/apps.git", Hint: "It is asked for its branches; nothing is fetched."}}
	p.Form.Password.Sample = "stored; leave empty to keep"
	switch c.Type {
	case repositories.TypeOAuth:
		p.Kind = "Connection to a Git host"
	case repositories.TypeSSH:
		p.SSH, p.Kind, p.URL.Sample = true, "SSH key", "ssh://git@"+c.Host+"/team/apps.git"
		p.Public = copyable{"public-key", "public half of the SSH key", c.PublicKey}
		p.Form.Kind.Label, p.Form.Kind.Hint = "Private key", "Another one takes the old one's place at once. The Git host must know its public half, which then stands here."
		p.Form.Kind.Options = []option{{keyStays, "Keep the one that is stored", true}, {keyMade, "Make another one here", false}, {keyPasted, "Take the one pasted below", false}}
	}
	return p
}

func writeKey(w http.ResponseWriter, r *http.Request, status int, page keyPage) error {
	f := newFrame(r, inRepositories, page.Name, crumb{"Repositories", "/repositories"}, crumb{"Repository keys", "/repository-keys"})
	f.Problem = status != http.StatusOK
	return keyView.write(w, r, status, f, page)
}
