package integrations_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

const canary = "s.canary-Token-2957"

var ada = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleAdmin}

// room is the use cases of integrations on a real database, with clients that remember what they are made of.
type room struct {
	*integrations.Desk
	*integrations.Backends
	raw  *sql.DB
	at   time.Time
	made []integrations.Opened
	told error // by every client
}

func open(t *testing.T) *room {
	t.Helper()
	r := &room{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), r.at); err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if r.raw, err = sql.Open("sqlite", filepath.Join(dir, sqlite.File)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.raw.Close() })
	kept := store.New(db, r.now)
	maker := func(o integrations.Opened) (integrations.Backend, error) {
		r.made = append(r.made, o)
		return &client{r}, nil
	}
	r.Backends = integrations.NewBackends(kept, ring, map[string]integrations.Maker{secrets.Vault: maker, secrets.Manager: maker})
	r.Desk = integrations.NewDesk(kept, ring, r.Backends, r.now)
	return r
}

func (r *room) now() time.Time {
	r.at = r.at.Add(time.Second)
	return r.at
}

// client is a backend that has one value.
type client struct{ r *room }

func (*client) Name() string { return secrets.Vault }

func (c *client) Resolve(context.Context, []secrets.Ref) (map[string]secrets.Value, error) {
	return nil, c.r.told
}

func (c *client) Test(context.Context) error { return c.r.told }

func (c *client) Pick(_ context.Context, s integrations.Step) ([]integrations.Choice, error) {
	return make([]integrations.Choice, integrations.MaxChoices+1), c.r.told
}

func (r *room) save(t *testing.T, slug string, enabled bool, settings map[string]string) integrations.Integration {
	t.Helper()
	i, err := r.Save(t.Context(), slug, integrations.Change{Enabled: enabled, Settings: settings}, ada)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func vault() map[string]string {
	return map[string]string{"address": "https://vault.example:8200", "token": canary, "allowed_mount": "kv"}
}

func TestWhatIsSavedIsSealedAndShown(t *testing.T) {
	r := open(t)
	all, err := r.Integrations(t.Context())
	if err != nil || len(all) != 9 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, want := range []string{"vault", "manager", "sops", "s3"} {
		category := "secret_backend"
		if want == "s3" {
			category = "storage_backend"
		}
		if all[i].Slug != want || all[i].Category != category || all[i].Enabled != (want == "sops") || !all[i].UpdatedAt.IsZero() {
			t.Errorf("before anybody configured it: %+v", all[i])
		}
	}
	if all[1].Settings["site_url"] != "https://app.infisical.com" {
		t.Errorf("the default of site_url is %q", all[1].Settings["site_url"])
	}
	i := r.save(t, "vault", true, vault())
	if !i.Enabled || i.Settings["address"] != "https://vault.example:8200" || i.Settings["allowed_mount"] != "kv" || !i.Set["token"] || i.UpdatedAt.IsZero() {
		t.Errorf("saved %+v", i)
	}
	if _, shown := i.Settings["token"]; shown {
		t.Error("the token is among the settings that are shown")
	}
	for _, query := range []string{`SELECT count(*) FROM integrations WHERE instr(sealed, ?) > 0 OR instr(settings, ?) > 0`, `SELECT count(*) FROM audit_events WHERE instr(detail, ?) > 0 OR instr(resource, ?) > 0`} {
		var hits int
		if err := r.raw.QueryRowContext(t.Context(), query, canary, canary).Scan(&hits); err != nil || hits > 0 {
			t.Errorf("%s: %d, %v", query, hits, err)
		}
	}
	var audited int
	if err := r.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM audit_events WHERE action = 'integration.update' AND resource = 'vault'`).Scan(&audited); err != nil || audited != 1 {
		t.Errorf("%d audit events, %v", audited, err)
	}
}

func TestASecretSettingStaysWhenItIsLeftOut(t *testing.T) {
	r := open(t)
	r.save(t, "vault", true, vault())
	for _, token := range []map[string]string{{"address": "https://vault.example:8200"}, {"address": "https://vault.example:8200", "token": ""}} {
		i := r.save(t, "vault", true, token)
		if !i.Set["token"] || i.Settings["allowed_mount"] != "" {
			t.Errorf("after %v: %+v", token, i)
		}
	}
	if _, err := r.Provider(t.Context(), "vault"); err != nil {
		t.Fatal(err)
	}
	if got := r.made[0].Secrets["token"].Reveal(); got != canary {
		t.Errorf("the client got the token %q", got)
	}
	_, err := r.Save(t.Context(), "vault", integrations.Change{Enabled: true, Settings: map[string]string{"address": "https://elsewhere.example"}}, ada)
	if fault.CodeOf(err) != "integration.invalid" || !strings.Contains(fields(err), "settings.token must be entered again") {
		t.Errorf("the stored token goes to another server: %v (%s)", err, fields(err))
	}
}

func TestWhatCannotBeSavedIsNamed(t *testing.T) {
	r := open(t)
	cases := map[string]struct {
		slug     string
		settings map[string]string
		code     string
		says     string
	}{
		"unknown":           {"consul", nil, "integration.not_found", ""},
		"locked":            {"sops", nil, "integration.locked", ""},
		"missing":           {"vault", nil, "integration.invalid", "settings.address is required to enable Vault; settings.token is required to enable Vault"},
		"manager's missing": {"manager", map[string]string{"client_id": "id"}, "integration.invalid", "settings.client_secret is required"},
		"other setting":     {"vault", map[string]string{"namespace": "x"}, "integration.invalid", "settings.namespace is no setting of Vault"},
		"no URL":            {"vault", map[string]string{"address": "vault:8200", "token": "t"}, "integration.invalid", "settings.address must be a URL"},
		"URL with user":     {"vault", map[string]string{"address": "https://u:" + canary + "@h", "token": "t"}, "integration.invalid", "scheme, host and port alone"},
		"line break":        {"vault", map[string]string{"address": "https://h", "token": canary + "\n"}, "integration.invalid", "settings.token has a space"},
		"mount above":       {"vault", map[string]string{"address": "https://h", "token": "t", "allowed_mount": "../sys"}, "integration.invalid", "settings.allowed_mount must be the path"},
		"no bucket":         {"s3", map[string]string{"endpoint": "https://s3.example", "bucket": "../x"}, "integration.invalid", "settings.bucket must be the name of a bucket"},
		"a prefix above":    {"s3", map[string]string{"prefix": "../x"}, "integration.invalid", "settings.prefix must be a path"},
		"a region":          {"s3", map[string]string{"region": "eu/1"}, "integration.invalid", "settings.region must be"},
		"neither":           {"s3", map[string]string{"path_style": "yes"}, "integration.invalid", "settings.path_style must be true or false"},
		"none to keep":      {"s3", map[string]string{"keep": "0"}, "integration.invalid", "settings.keep must be a number"},
		"no secret key":     {"s3", map[string]string{"endpoint": "https://s3.example", "bucket": "abc", "access_key": "a"}, "integration.invalid", "settings.secret_key is required to enable S3"},
		"too long":          {"vault", map[string]string{"address": "https://h", "token": strings.Repeat("t", integrations.MaxSetting+1)}, "integration.invalid", "at most 4096 bytes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Save(t.Context(), c.slug, integrations.Change{Enabled: true, Settings: c.settings}, ada)
			if fault.CodeOf(err) != c.code || !strings.Contains(fields(err), c.says) {
				t.Errorf("got %v: %s", err, fields(err))
			}
			if err != nil && strings.Contains(err.Error()+fields(err), canary) {
				t.Error("the fault shows a secret")
			}
		})
	}
	if all, err := r.Integrations(t.Context()); err != nil || all[0].Enabled || !all[0].UpdatedAt.IsZero() {
		t.Errorf("something was kept: %+v, %v", all[0], err)
	}
	if i := r.save(t, "vault", true, map[string]string{"address": "http://vault:8200", "token": "t"}); len(i.Warnings) != 1 || !strings.Contains(i.Warnings[0], "Address is http") {
		t.Errorf("warnings %q", i.Warnings)
	}
}

func TestAProviderIsAsItIsConfiguredNow(t *testing.T) {
	r := open(t)
	provider := func(code, says string) {
		t.Helper()
		_, err := r.Provider(t.Context(), "vault")
		usable := r.Usable(t.Context(), "vault")
		if codeOf(err) != code || codeOf(usable) != code || err != nil && !strings.Contains(fault.PublicOf(err), says) {
			t.Errorf("provider: %v; usable: %v; want %s", err, usable, code)
		}
	}
	provider("secret.provider_disabled", "Settings, Integrations")
	if err := r.Usable(t.Context(), "internal"); err != nil {
		t.Errorf("internal: %v", err)
	}
	r.save(t, "vault", false, vault())
	provider("secret.provider_disabled", "not enabled")
	r.save(t, "vault", true, vault())
	provider("", "")
	provider("", "")
	if len(r.made) != 1 {
		t.Errorf("%d clients for one version of the settings", len(r.made))
	}
	changed := vault()
	changed["token"] = "another"
	r.save(t, "vault", true, changed)
	provider("", "")
	if len(r.made) != 2 || r.made[1].Secrets["token"].Reveal() != "another" {
		t.Errorf("after a change there are %d clients", len(r.made))
	}
	r.save(t, "vault", false, nil)
	provider("secret.provider_disabled", "not enabled")
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE integrations SET enabled = 1, sealed = NULL`); err != nil {
		t.Fatal(err)
	}
	provider("secret.provider_unconfigured", "it has no token")
	r.save(t, "vault", true, vault())
	r.damage(t)
	provider("integration.unreadable", "Enter them again")
	if all, err := r.Integrations(t.Context()); err != nil || len(all[0].Warnings) == 0 {
		t.Errorf("settings that cannot be opened: %+v, %v", all[0], err)
	}
	r.save(t, "vault", true, vault())
	provider("", "")
}

func TestTryingAndPicking(t *testing.T) {
	r := open(t)
	if err := r.Desk.Test(t.Context(), "vault"); fault.CodeOf(err) != "secret.provider_unconfigured" {
		t.Errorf("got %v", err)
	}
	if _, err := r.Desk.Pick(t.Context(), "vault", integrations.Step{Kind: integrations.StepMounts}); fault.CodeOf(err) != "secret.provider_disabled" {
		t.Errorf("got %v", err)
	}
	if _, err := r.Desk.Pick(t.Context(), "sops", integrations.Step{Kind: integrations.StepMounts}); fault.CodeOf(err) != "integration.no_backend" {
		t.Errorf("got %v", err)
	}
	if err := r.Desk.Test(t.Context(), "consul"); fault.CodeOf(err) != "integration.not_found" {
		t.Errorf("got %v", err)
	}
	if err := r.Desk.Test(t.Context(), "sops"); err != nil {
		t.Errorf("sops: %v", err)
	}
	r.save(t, "vault", false, vault())
	if err := r.Desk.Test(t.Context(), "vault"); err != nil {
		t.Errorf("it may be tried before it is enabled: %v", err)
	}
	r.save(t, "vault", true, vault())
	if choices, err := r.Desk.Pick(t.Context(), "vault", integrations.Step{Kind: integrations.StepMounts}); err != nil || len(choices) != integrations.MaxChoices {
		t.Errorf("%d choices, %v", len(choices), err)
	}
	r.told = fault.New(fault.Unavailable, "vault.unreachable", "it does not answer")
	if err := r.Desk.Test(t.Context(), "vault"); fault.CodeOf(err) != "vault.unreachable" {
		t.Errorf("got %v", err)
	}
}

// store3 is a storage that is only tried.
type store3 struct {
	backups.Storage
	r *room
}

func (s store3) Test(context.Context) error { return s.r.told }

func TestTheStorageOfCopiesIsAsItIsConfiguredNow(t *testing.T) {
	r := open(t)
	r.Backends.Storing(map[string]integrations.StorageMaker{integrations.S3: func(o integrations.Opened) (backups.Storage, error) {
		r.made = append(r.made, o)
		return store3{r: r}, nil
	}})
	place := func(on bool, keep, made int) {
		t.Helper()
		got, err := r.Backends.Offsite(t.Context())
		if err != nil || (got.Storage != nil) != on || got.Keep.Newest != keep || len(r.made) != made {
			t.Errorf("Offsite = %+v, %v after %d were made", got, err, len(r.made))
		}
	}
	place(false, 0, 0)
	if err := r.Desk.Test(t.Context(), "s3"); fault.CodeOf(err) != "storage.unconfigured" || !strings.Contains(fault.PublicOf(err), "no endpoint and no bucket") {
		t.Errorf("Test = %v", err)
	}
	settings := map[string]string{"endpoint": "http://s3.example:9000", "bucket": "copies", "access_key": "a", "secret_key": canary}
	if i := r.save(t, "s3", true, settings); len(i.Warnings) != 1 || strings.Contains(i.Warnings[0], "read the secrets") {
		t.Errorf("warnings %q", i.Warnings)
	}
	place(true, 30, 1)
	place(true, 30, 1)
	if got := r.made[0]; got.Secrets["secret_key"].Reveal() != canary || got.Settings["prefix"] != "berth" {
		t.Errorf("it is made of %+v", got.Settings)
	}
	settings["keep"] = "7"
	r.save(t, "s3", true, settings)
	place(true, 7, 2)
	r.told = fault.New(fault.Unavailable, "storage.unreachable", "away")
	if err := r.Desk.Test(t.Context(), "s3"); fault.CodeOf(err) != "storage.unreachable" {
		t.Errorf("Test = %v", err)
	}
	r.save(t, "s3", false, nil)
	place(false, 0, 2)
	for what, err := range map[string]error{"Usable": r.Usable(t.Context(), "s3"), "enabled": func() error { r.save(t, "s3", true, nil); return r.Usable(t.Context(), "s3") }()} {
		if err == nil {
			t.Errorf("%s: a storage gives variables their values", what)
		}
	}
	if _, err := r.Provider(t.Context(), "s3"); fault.CodeOf(err) != "integration.no_backend" {
		t.Errorf("Provider = %v", err)
	}
}

// damage changes the last byte of a sealed setting.
func (r *room) damage(t *testing.T) {
	t.Helper()
	var envelope []byte
	if err := r.raw.QueryRowContext(t.Context(), `SELECT sealed FROM integrations`).Scan(&envelope); err != nil {
		t.Fatal(err)
	}
	envelope[len(envelope)-1] ^= 1
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE integrations SET sealed = ?`, envelope); err != nil {
		t.Fatal(err)
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}

// fields are the problems that a fault names.
func fields(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) {
		return ""
	}
	texts := make([]string, len(known.Fields))
	for i, f := range known.Fields {
		texts[i] = f.Path + " " + f.Problem
	}
	return strings.Join(texts, "; ")
}
