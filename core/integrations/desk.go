package integrations

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// Desk holds the use cases of integrations. Its fields are set once.
type Desk struct {
	store   Store
	ring    Ring
	outside Outside
	now     core.Clock
}

// NewDesk returns the use cases on a store.
func NewDesk(store Store, ring Ring, outside Outside, now core.Clock) *Desk {
	return &Desk{store: store, ring: ring, outside: outside, now: now}
}

// Integrations returns all integrations, configured or not. Of one whose secret settings cannot be
// opened none is said to be set.
func (d *Desk) Integrations(ctx context.Context) ([]Integration, error) {
	stored, err := d.store.Integrations(ctx)
	if err != nil {
		return nil, err
	}
	known := shownOf(stored)
	all := make([]Integration, len(known))
	for i, declaration := range known {
		o, err := open(declaration, stored[declaration.Slug], d.ring)
		all[i] = o.shown()
		if err != nil {
			all[i].Warnings = append(all[i].Warnings, fault.PublicOf(err))
		}
	}
	return all, nil
}

// Integration returns one integration. NotFound "integration.not_found".
func (d *Desk) Integration(ctx context.Context, slug string) (Integration, error) {
	if _, err := find(slug); err != nil {
		return Integration{}, err
	}
	all, err := d.Integrations(ctx)
	for _, i := range all {
		if i.Slug == slug {
			return i, err
		}
	}
	if d, ok := named(slug); ok && err == nil {
		return opened{Declaration: d}.shown(), nil // it is about to be made
	}
	return Integration{}, err
}

// shownOf are the declarations of all that is declared, and of the targets with names that are stored.
func shownOf(stored map[string]Stored) []Declaration {
	all := Declared()
	for _, slug := range slices.Sorted(maps.Keys(stored)) {
		if d, ok := named(slug); ok {
			all = append(all, d)
		}
	}
	return all
}

// Delete removes a notification target and what was set of it. NotFound "integration.not_found"; Conflict
// "integration.locked" for what is none.
func (d *Desk) Delete(ctx context.Context, slug string, by access.Principal) error {
	declaration, err := find(slug)
	if err != nil {
		return err
	}
	if declaration.Category != CategoryNotification {
		return fault.New(fault.Conflict, "integration.locked", "%s stays in the list. Disable it instead.", declaration.Name)
	}
	return d.store.DeleteIntegration(ctx, slug, by)
}

// Change replaces the settings of an integration.
type Change struct {
	Enabled bool
	// Settings by name; nil: all stay. A secret one that is empty or left out stays as it is, any other
	// then gets its default.
	Settings map[string]string
}

var errLocked = fault.New(fault.Conflict, "integration.locked", "SOPS is always enabled and has no settings: each repository has a key of its own.")

// Save replaces the settings. Invalid "integration.invalid" names every bad field, "integration.not_found",
// Conflict "integration.locked".
func (d *Desk) Save(ctx context.Context, slug string, c Change, by access.Principal) (Integration, error) {
	declaration, err := find(slug)
	if err != nil {
		return Integration{}, err
	}
	if declaration.Locked {
		return Integration{}, errLocked
	}
	if err := fault.BadFields("integration.invalid", declaration.check(c.Settings)); err != nil {
		return Integration{}, err
	}
	if _, ok := named(slug); ok {
		all, err := d.store.Integrations(ctx)
		if err != nil {
			return Integration{}, err
		}
		if _, there := all[slug]; !there && len(all) >= maxTargets {
			return Integration{}, errTargets
		}
	}
	edit := func(stored Stored) (Stored, error) { return d.apply(declaration, stored, c, nil) }
	if err := d.store.EditIntegration(ctx, slug, edit, by); err != nil {
		return Integration{}, err
	}
	return d.Integration(ctx, slug)
}

// Prepare replaces the settings as Save does, but secret ones that are expected are still to be given: until they are,
// it may be enabled already and cannot be used. One that is set stays. Faults are those of Save.
func (d *Desk) Prepare(ctx context.Context, slug string, c Change, expected []string, by access.Principal) error {
	declaration, err := find(slug)
	if err != nil {
		return err
	}
	if declaration.Locked {
		return errLocked
	}
	bad := declaration.check(c.Settings)
	for _, name := range expected {
		if !slices.ContainsFunc(declaration.Fields, func(f Field) bool { return f.Secret && f.Name == name }) {
			bad = append(bad, fault.Field{Path: "secrets", Problem: fmt.Sprintf("%.60q is no secret setting of %s", name, declaration.Name)})
		}
	}
	if err := fault.BadFields("integration.invalid", bad); err != nil {
		return err
	}
	return d.store.EditIntegration(ctx, slug, func(stored Stored) (Stored, error) { return d.apply(declaration, stored, c, expected) }, by)
}

// apply makes what is to be stored. Secret settings that are expected may be missing.
func (d *Desk) apply(declaration Declaration, stored Stored, c Change, expected []string) (Stored, error) {
	before, err := open(declaration, stored, d.ring)
	if err != nil {
		before.secret = map[string]string{} // they are lost; whoever saves enters them again
	}
	after := opened{Declaration: declaration, Stored: stored, secret: maps.Clone(before.secret)}
	after.Stored.Enabled, after.Settings = c.Enabled, map[string]string{}
	if c.Settings == nil {
		after.Settings = stored.Settings
	}
	for _, field := range declaration.Fields {
		value := c.Settings[field.Name]
		switch {
		case value == "":
		case field.Secret:
			after.secret[field.Name] = value
		default:
			after.Settings[field.Name] = value
		}
	}
	for _, name := range expected {
		after.secret[name] = before.secret[name]
	}
	bad := append(after.incomplete(expected), moved(before, after, c)...)
	if err := fault.BadFields("integration.invalid", bad); err != nil {
		return stored, err
	}
	after.Stored.Slug, after.Version, after.UpdatedAt = declaration.Slug, stored.Version+1, d.now()
	after.Sealed, err = sealed(declaration.Slug, after.secret, d.ring)
	return after.Stored, err
}

// incomplete complains about what is missing of an integration that is to be enabled, but not about what is expected.
func (o opened) incomplete(expected []string) []fault.Field {
	if !o.Stored.Enabled {
		return nil
	}
	var bad []fault.Field
	plain := o.plain()
	for _, field := range o.Fields {
		if field.Required && plain[field.Name] == "" && o.secret[field.Name] == "" && !slices.Contains(expected, field.Name) {
			bad = append(bad, fault.Field{Path: "settings." + field.Name, Problem: "is required to enable " + o.Name})
		}
	}
	return bad
}

// moved complains when a stored secret would be sent to another place than the one it was entered for.
func moved(before, after opened, c Change) []fault.Field {
	from, to, elsewhere := before.plain(), after.plain(), false
	for _, field := range after.Fields {
		elsewhere = elsewhere || field.Target && from[field.Name] != to[field.Name]
	}
	var bad []fault.Field
	for _, field := range after.Fields {
		if elsewhere && field.Secret && before.secret[field.Name] != "" && c.Settings[field.Name] == "" {
			bad = append(bad, fault.Field{Path: "settings." + field.Name, Problem: "must be entered again, because what is stored was meant for another server or identity"})
		}
	}
	return bad
}

// Test tries an integration as it is configured now, enabled or not. The fault says what is wrong.
func (d *Desk) Test(ctx context.Context, slug string) error {
	declaration, err := find(slug)
	if err != nil || declaration.Locked {
		return err
	}
	return d.outside.Test(ctx, slug)
}

// Pick returns what can be chosen next. Conflict "secret.provider_disabled", "secret.provider_unconfigured".
func (d *Desk) Pick(ctx context.Context, slug string, s Step) ([]Choice, error) {
	return d.outside.Pick(ctx, slug, s)
}

// Usable refuses a provider of secrets whose integration is not enabled or not configured.
func (d *Desk) Usable(ctx context.Context, provider string) error {
	if provider == secrets.Internal {
		return nil
	}
	o, err := configured(ctx, d.store, d.ring, provider)
	if o.Declaration.Slug != "" && o.Category != CategorySecretBackend {
		return fault.New(fault.Invalid, "integration.no_backend", "%s keeps no secrets that variables could name.", o.Name)
	}
	return err
}
