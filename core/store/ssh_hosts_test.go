package store_test

import (
	"fmt"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
)

// sshRepository adds a repository over SSH whose last look ended with a code.
func (y *yard) sshRepository(t *testing.T, key core.CredentialID, name, url, code string) core.RepositoryID {
	t.Helper()
	at := y.tick()
	r, err := y.AddRepository(t.Context(), repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, at)), Name: name, URL: url, Credential: key, CreatedAt: at, UpdatedAt: at}, access.AuditEvent{})
	y.must(err)
	if code != "" {
		y.must(y.SetFetchError(t.Context(), r.ID, code, "stopped", at))
	}
	return r.ID
}

// asked says which of some repositories somebody wants looked at.
func (y *yard) asked(t *testing.T, ids ...core.RepositoryID) (names string) {
	t.Helper()
	for _, id := range ids {
		r, err := y.Repository(t.Context(), id)
		y.must(err)
		if !r.AskedAt.IsZero() {
			names += r.Name + " "
			y.must(y.ClearAsked(t.Context(), id, r.AskedAt))
		}
	}
	return names
}

func TestAcceptedHostKeysWakeWhatStoppedThere(t *testing.T) {
	y := openYard(t)
	by := access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada"}
	key := func(host string) core.CredentialID {
		c := repositories.Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, y.tick())), Name: host, Type: repositories.TypeSSH, Host: host, PublicKey: "ssh-ed25519 AAAA old"}
		y.must(y.AddCredential(t.Context(), c, envelope(t), access.AuditEvent{}))
		return c.ID
	}
	here, there := key("git.example.com"), key("git.example.com:2222")
	all := []core.RepositoryID{
		y.sshRepository(t, here, "changed", "ssh://git@git.example.com/a", "git.host_key_changed"),
		y.sshRepository(t, here, "unknown", "ssh://me@git.example.com/b", "git.host_key_unknown"),
		y.sshRepository(t, here, "refused", "ssh://git@git.example.com/c", "git.credential_refused"),
		y.sshRepository(t, here, "well", "ssh://git@git.example.com/d", ""),
		y.sshRepository(t, there, "port", "ssh://git@git.example.com:2222/e", "git.host_key_changed"),
	}
	if host, err := y.SSHHost(t.Context(), "git.example.com:22"); err != nil || len(host.Keys) != 0 || host.Address != "git.example.com:22" {
		t.Errorf("before: %+v, %v", host, err)
	}
	for _, text := range []string{"AAAA", "BBBB"} {
		h := repositories.SSHHost{Address: "git.example.com:22", Keys: []repositories.HostKey{{Type: "ssh-ed25519", Key: text}}, AcceptedAt: y.tick(), AcceptedBy: "ada"}
		y.must(y.AcceptSSHHost(t.Context(), h, by))
		if got, err := y.SSHHost(t.Context(), h.Address); err != nil || fmt.Sprint(got.Keys) != fmt.Sprint(h.Keys) || !got.AcceptedAt.Equal(h.AcceptedAt) || got.AcceptedBy != "ada" {
			t.Errorf("accepted %+v, %v", got, err)
		}
		if got := y.asked(t, all...); got != "changed unknown " {
			t.Errorf("looked at: %s", got)
		}
	}
	if list, err := y.SSHHostList(t.Context(), core.Page{Limit: 5}); err != nil || len(list.Items) != 1 {
		t.Errorf("listed %+v, %v", list, err)
	}
	y.must(y.ForgetSSHHost(t.Context(), "git.example.com:22", by))
	y.refused("forgotten twice", y.ForgetSSHHost(t.Context(), "git.example.com:22", by), "ssh_host.not_found")
	if y.audits("ssh_host.accept") != 2 || y.audits("ssh_host.forget") != 1 {
		t.Error("the audit does not have what was done")
	}
	secret, public, name := envelope(t), "ssh-ed25519 BBBB new", "renamed"
	c, err := y.EditCredential(t.Context(), here, repositories.CredentialEdit{Name: &name}, by)
	if err != nil || c.Name != name || !c.ChangedAt.IsZero() || y.asked(t, all...) != "" {
		t.Errorf("renamed %+v, %v", c, err)
	}
	c, err = y.EditCredential(t.Context(), here, repositories.CredentialEdit{PublicKey: &public, Secret: &secret}, by)
	if err != nil || c.PublicKey != public || c.ChangedAt.IsZero() || y.asked(t, all...) != "changed unknown refused well " {
		t.Errorf("replaced %+v, %v", c, err)
	}
	taken := "git.example.com:2222"
	_, err = y.EditCredential(t.Context(), here, repositories.CredentialEdit{Name: &taken}, by)
	y.refused("a taken name", err, "credential.name_taken")
	_, err = y.EditCredential(t.Context(), "cred_none", repositories.CredentialEdit{Name: &name}, by)
	y.refused("no such key", err, "credential.not_found")
}
