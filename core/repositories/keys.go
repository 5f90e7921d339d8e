package repositories

import (
	"context"
	"fmt"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// probeTime bounds a test of a credential.
const probeTime = 10 * time.Second

// CreateCredential adds a repository key. Its secret is sealed before it is stored and
// never shown again. Invalid "credential.invalid" and what SSHKeys.Read refuses; Conflict
// "credential.name_taken".
func (d *Desk) CreateCredential(ctx context.Context, draft CredentialDraft, by access.Principal) (Credential, error) {
	draft.Name, draft.Host = strings.TrimSpace(draft.Name), boundHost(draft.Host)
	if err := draft.check(); err != nil {
		return Credential{}, err
	}
	now := d.now()
	c := Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, now)), Name: draft.Name, Type: draft.Type,
		Host: draft.Host, CreatedAt: now}
	secret := draft.Password
	if draft.Type == TypeSSH {
		pair, err := draft.SSH.read(d.ssh, c.Name)
		if err != nil {
			return Credential{}, err
		}
		c.PublicKey, secret = pair.Public, pair.Private
	} else {
		c.Username = draft.Username
	}
	sealed, err := d.seals.Seal(c.place(), []byte(secret.Reveal()))
	if err != nil {
		return Credential{}, fmt.Errorf("create a repository key: %w", err)
	}
	return c, d.store.AddCredential(ctx, c, sealed, by.Audit("credential.create", string(c.ID), c.Name+" for "+c.Host))
}

// Credentials returns repository keys by name, each with the repositories that use it.
func (d *Desk) Credentials(ctx context.Context, p core.Page) (core.List[Credential], error) {
	return d.store.CredentialList(ctx, p)
}

// DeleteCredential removes a repository key that no repository uses, or one of TypeOAuth, which its repositories lose.
func (d *Desk) DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error {
	return d.store.DeleteCredential(ctx, id, by)
}

// Source says how a repository is read, its credential's password opened in memory.
// Nothing that it returns is to be kept longer than one conversation with the host.
// Faults: NotFound "credential.not_found", Invalid "credential.other_host", Unavailable
// "credential.unreadable", "credential.not_given".
func (d *Desk) Source(ctx context.Context, r Repository) (core.GitSource, error) {
	src := core.GitSource{Repository: r.ID, URL: r.URL, Branch: r.Branch, Tag: r.Tag, Semver: r.Semver}
	if err := d.knowHost(ctx, &src); err != nil || r.Credential == "" {
		return src, err
	}
	return d.login(ctx, src, r.Credential)
}

// knowHost puts the accepted host keys into a source that is read over SSH.
func (d *Desk) knowHost(ctx context.Context, src *core.GitSource) error {
	if !OverSSH(src.URL) {
		return nil
	}
	host, err := d.store.SSHHost(ctx, sshAddressOf(src.URL))
	for _, key := range host.Keys {
		src.HostKeys = append(src.HostKeys, key.Line())
	}
	return err
}

// login puts a stored credential into src, if it is bound to that host.
func (d *Desk) login(ctx context.Context, src core.GitSource, id core.CredentialID) (core.GitSource, error) {
	c, sealed, err := d.store.Credential(ctx, id)
	if err != nil {
		return core.GitSource{}, err
	}
	if err := c.Fits(src.URL); err != nil {
		return core.GitSource{}, err
	}
	text, err := d.seals.Open(c.place(), sealed)
	switch {
	case err == nil && len(text) == 0:
		return core.GitSource{}, notGiven(c)
	case c.Type == TypeOAuth:
		token, err := d.tokens.token(ctx, c, sealed)
		return c.prove(src, token), err
	case err != nil:
		return core.GitSource{}, unreadable(c, err)
	}
	return c.prove(src, secrets.NewValue(string(text))), nil
}

// prove puts the credential's opened secret where its type proves itself with it.
func (c Credential) prove(src core.GitSource, secret secrets.Value) core.GitSource {
	if c.Type == TypeSSH {
		src.Key = secret
		return src
	}
	src.Username, src.Password = c.Username, secret
	return src
}

// Trial is an address to be tried, with a stored credential or with one that is not stored.
type Trial struct {
	URL        string
	Branch     string            // empty: the remote's default branch
	Credential core.CredentialID // empty: what follows, or anonymous without it
	Username   string
	Password   secrets.Value
	SSH        SSHSecret // over SSH; it generates nothing
}

// TryOut asks the Git host whether the address can be read. It returns nil when it can,
// the fault of core.GitRemote.Head when it cannot, and Invalid when there is nothing
// sensible to ask. It takes at most 10 s.
func (d *Desk) TryOut(ctx context.Context, t Trial) error {
	src, err := d.trialSource(ctx, t)
	if err != nil {
		return err
	}
	probing, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err = d.prober.Probe(probing, src)
	if err != nil && probing.Err() != nil && ctx.Err() == nil {
		return fault.New(fault.Unavailable, "git.unreachable",
			"The Git host did not answer within %d seconds. Check the address and whether the server may reach it.", int(probeTime.Seconds())).Because(err)
	}
	return err
}

func (d *Desk) trialSource(ctx context.Context, t Trial) (core.GitSource, error) {
	// A trial has no mirror; the identifier keeps it apart from every repository.
	src := core.GitSource{Repository: core.RepositoryID(core.NewID(core.PrefixRepository, d.now())), Branch: t.Branch}
	bad := checkTrialLogin(t)
	address, err := Address(t.URL)
	if err != nil {
		bad = append(bad, fault.Field{Path: "url", Problem: fault.PublicOf(err)})
	}
	if err := ValidBranch(t.Branch); err != nil {
		bad = append(bad, fault.Field{Path: "branch", Problem: fault.PublicOf(err)})
	}
	if err := fault.BadFields("credential.invalid_test", bad); err != nil {
		return src, err
	}
	src.URL = address
	if err := d.knowHost(ctx, &src); err != nil {
		return src, err
	}
	if t.Credential != "" {
		return d.login(ctx, src, t.Credential)
	}
	if OverSSH(address) {
		pair, err := t.SSH.read(d.ssh, "")
		src.Key = pair.Private
		return src, err
	}
	src.Username, src.Password = t.Username, t.Password
	return src, nil
}

func checkTrialLogin(t Trial) []fault.Field {
	basic, key := t.Username != "" || !t.Password.Empty(), t.SSH.given()
	address, _ := Address(t.URL) // a bad one is complained about beside this
	switch ssh := OverSSH(address); {
	case t.Credential != "" && (basic || key), basic && key:
		return []fault.Field{{Path: "credential_id", Problem: "give either a stored repository key, or a user name and password, or a private key"}}
	case t.Credential != "":
		return nil
	case ssh && basic:
		return []fault.Field{{Path: "username", Problem: "an address for SSH is read with a private key, and as the user that it names"}}
	case ssh:
		return t.SSH.check()
	case key:
		return []fault.Field{{Path: "private_key", Problem: "a private key is for addresses that begin with ssh://"}}
	case basic:
		return checkLogin(t.Username, t.Password)
	}
	return nil
}
