package repositories_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
)

func TestCredentialIsSealedAndOpenedForItsHostOnly(t *testing.T) {
	r := open(t)
	key := r.key(t, "main", "Git.Example.com")
	got := r.add(t, repositories.Draft{Name: "app", URL: address, Branch: "main", Credential: key.ID})
	src, err := r.Source(t.Context(), got)
	if err != nil || src.URL != address || src.Branch != "main" || src.Username != "deploy" || src.Password.Reveal() != "canary-main" || src.Repository != got.ID {
		t.Fatalf("%+v, %v", src, err)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", src, src), "canary-main") {
		t.Error("printing the source shows the password")
	}
	if r.onDisk(t, "canary-main") {
		t.Error("the password is on disk")
	}
	if !r.onDisk(t, "deploy") {
		t.Error("not even the user name is found on disk, so that looking proves nothing")
	}
	got.URL = "https://evil.example.com/a" // as if somebody had changed the row
	_, err = r.Source(t.Context(), got)
	wantFault(t, err, "credential.other_host", "evil.example.com")
	anonymous, err := r.Source(t.Context(), r.add(t, repositories.Draft{Name: "open", URL: address}))
	if err != nil || anonymous.Username != "" || !anonymous.Password.Empty() {
		t.Errorf("%+v, %v", anonymous, err)
	}
}

func TestMovedPasswordDoesNotOpen(t *testing.T) {
	r := open(t)
	one, two := r.key(t, "one", "git.example.com"), r.key(t, "two", "git.example.com")
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE id = ?) WHERE id = ?`, one.ID, two.ID); err != nil {
		t.Fatal(err)
	}
	_, err := r.Source(t.Context(), repositories.Repository{ID: "rep_1", URL: address, Credential: two.ID})
	wantFault(t, err, "credential.unreadable", `"two" cannot be opened`)
	_, err = r.Source(t.Context(), repositories.Repository{ID: "rep_1", URL: address, Credential: "cred_none"})
	wantFault(t, err, "credential.not_found", "no such")
}

func TestFits(t *testing.T) {
	cases := map[string]struct {
		host, address string
		want          bool
	}{
		"same host":                          {"h", "https://h/a", true},
		"same host over http":                {"h", "http://h/a", true},
		"same port":                          {"h:3000", "http://h:3000/a", true},
		"default port, said by the key":      {"h:443", "https://h/a", true},
		"default port of http":               {"h:80", "http://h/a", true},
		"https port for http":                {"h:443", "http://h/a", false},
		"other port":                         {"h", "https://h:8443/a", false},
		"port lost":                          {"h:3000", "http://h/a", false},
		"other host":                         {"h", "https://h.evil/a", false},
		"host in the path":                   {"h", "https://evil/h", false},
		"IPv6":                               {"[::1]:3000", "http://[::1]:3000/a", true},
		"upper host of an address elsewhere": {"h", "https://H2/a", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := (repositories.Credential{Name: "k", Host: c.host}).Fits(c.address); (err == nil) != c.want {
				t.Errorf("%q for %q: %v", c.host, c.address, err)
			}
		})
	}
}

func TestCreateCredentialRefuses(t *testing.T) {
	r := open(t)
	r.key(t, "taken", "git.example.com")
	good := repositories.CredentialDraft{Name: "k", Type: repositories.TypeBasic, Host: "git.example.com", Username: "u", Password: secrets.NewValue("hunter2")}
	with := func(change func(*repositories.CredentialDraft)) repositories.CredentialDraft {
		d := good
		change(&d)
		return d
	}
	type draft = repositories.CredentialDraft
	cases := map[string]struct {
		draft      draft
		code, says string
	}{
		"a taken name":                  {with(func(d *draft) { d.Name = "taken" }), "credential.name_taken", "Another"},
		"no name":                       {with(func(d *draft) { d.Name = " " }), "credential.invalid", "name"},
		"another type":                  {with(func(d *draft) { d.Type = "x" }), "credential.invalid", "type"},
		"no host":                       {with(func(d *draft) { d.Host = "" }), "credential.invalid", "host"},
		"an address as host":            {with(func(d *draft) { d.Host = "https://git.example.com/a" }), "credential.invalid", "host"},
		"a user in the host":            {with(func(d *draft) { d.Host = "u@git.example.com" }), "credential.invalid", "host"},
		"a port that is none":           {with(func(d *draft) { d.Host = "git.example.com:0" }), "credential.invalid", "host"},
		"a dangling colon":              {with(func(d *draft) { d.Host = "git.example.com:" }), "credential.invalid", "host"},
		"an IPv6 address without marks": {with(func(d *draft) { d.Host = "::1" }), "credential.invalid", "host"},
		"no user":                       {with(func(d *draft) { d.Username = "" }), "credential.invalid", "username"},
		"a colon in the user":           {with(func(d *draft) { d.Username = "a:b" }), "credential.invalid", "username"},
		"no password":                   {with(func(d *draft) { d.Password = secrets.Value{} }), "credential.invalid", "password"},
		"a line end in the password":    {with(func(d *draft) { d.Password = secrets.NewValue("hunter2\nX: y") }), "credential.invalid", "password"},
		"a long password":               {with(func(d *draft) { d.Password = secrets.NewValue(strings.Repeat("hunter2", 1000)) }), "credential.invalid", "password"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.CreateCredential(t.Context(), c.draft, ada)
			wantFault(t, err, c.code, c.says)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v repeats the password", err)
			}
		})
	}
	for _, host := range []string{"gitea", "GITEA:3000", "10.0.0.1", "[::1]:3000", "[2001:db8::1]", "my_git.lan."} {
		if _, err := r.CreateCredential(t.Context(), with(func(d *draft) { d.Host, d.Name = host, host }), ada); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestCredentialsSayWhoUsesThem(t *testing.T) {
	r := open(t)
	used, free := r.key(t, "b-used", "git.example.com"), r.key(t, "a-free", "git.example.com")
	two := r.add(t, repositories.Draft{Name: "two", URL: address, Credential: used.ID})
	one := r.add(t, repositories.Draft{Name: "one", URL: address, Credential: used.ID})
	first, err := r.Credentials(t.Context(), core.Page{Limit: 1})
	if err != nil || len(first.Items) != 1 || first.Items[0].ID != free.ID || len(first.Items[0].UsedBy) != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := r.Credentials(t.Context(), core.Page{Limit: 1, After: first.Next})
	if err != nil || len(second.Items) != 1 || second.Next != "" {
		t.Fatalf("%+v, %v", second, err)
	}
	want := []repositories.Use{{ID: one.ID, Name: "one"}, {ID: two.ID, Name: "two"}}
	if fmt.Sprint(second.Items[0].UsedBy) != fmt.Sprint(want) {
		t.Errorf("used by %v, want %v", second.Items[0].UsedBy, want)
	}
	wantFault(t, r.DeleteCredential(t.Context(), used.ID, ada), "credential.in_use", "one, two")
	if err := r.DeleteCredential(t.Context(), free.ID, ada); err != nil {
		t.Fatal(err)
	}
	wantFault(t, r.DeleteCredential(t.Context(), free.ID, ada), "credential.not_found", "no such")
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE action IN ('credential.create', 'credential.delete')`); n != 3 {
		t.Errorf("%d audit events, want 3", n)
	}
}

func TestTryOut(t *testing.T) {
	r := open(t)
	r.git.Commit(address, "main", map[string]string{"a": "1"})
	const closed = "https://git.example.com/team/closed"
	r.git.Commit(closed, "main", map[string]string{"a": "1"})
	r.git.Protect(closed, "deploy", "canary-good")
	good, bad := r.key(t, "good", "git.example.com"), r.key(t, "bad", "git.example.com")
	cases := map[string]struct {
		trial repositories.Trial
		code  string // empty: it can be read
	}{
		"open to everyone":        {repositories.Trial{URL: address}, ""},
		"a stored key":            {repositories.Trial{URL: closed, Credential: good.ID}, ""},
		"user and password":       {repositories.Trial{URL: closed, Username: "deploy", Password: secrets.NewValue("canary-good")}, ""},
		"a stored key that fails": {repositories.Trial{URL: closed, Credential: bad.ID}, "git.credential_refused"},
		"nobody":                  {repositories.Trial{URL: closed}, "git.credential_refused"},
		"no such repository":      {repositories.Trial{URL: address + "-none"}, "git.repository_missing"},
		"no such branch":          {repositories.Trial{URL: address, Branch: "none"}, "git.branch_missing"},
		"a bad address":           {repositories.Trial{URL: "git://git.example.com/a"}, "credential.invalid_test"},
		"a bad branch":            {repositories.Trial{URL: address, Branch: "-x"}, "credential.invalid_test"},
		"a key and a password":    {repositories.Trial{URL: address, Credential: good.ID, Username: "u"}, "credential.invalid_test"},
		"a password alone":        {repositories.Trial{URL: address, Password: secrets.NewValue("x")}, "credential.invalid_test"},
		"a key of another host":   {repositories.Trial{URL: "https://evil.example.com/a", Credential: good.ID}, "credential.other_host"},
		"an unknown key":          {repositories.Trial{URL: address, Credential: "cred_none"}, "credential.not_found"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := r.TryOut(t.Context(), c.trial)
			if c.code == "" && err != nil || c.code != "" && fault.CodeOf(err) != c.code {
				t.Errorf("got %v, want %q", err, c.code)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%v shows a password", err)
			}
		})
	}
}

func TestTryOutGivesUpAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := repositories.NewDesk(nil, nil, nil, slowProber{}, nil, time.Now)
		began := time.Now()
		wantFault(t, desk.TryOut(t.Context(), repositories.Trial{URL: address}), "git.unreachable", "within 10 seconds")
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
